// The soak's server: speaks both eras, is strict about the handshake, and every answer says from which version of the
// files it was started, which generation gives it and how many calls with an effect had come before. Calls with an
// effect leave a line in the file EFFECTS. With GRANDCHILD set, it has a child of its own that outlives it unless
// somebody ends it. With SOAK_HTTP set, it speaks HTTP itself (soak-http.mjs), else over its pipes.

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { introduction, lines, send as print } from '../../fixtures/servers/lines.mjs';
import { serveHttp } from './soak-http.mjs';

const PREFIX = 'io.modelcontextprotocol/';
const generation = Number(process.env.MCP_HOTLINE_GENERATION ?? 0);
const capabilities = { tools: {}, resources: {} };
const schema = { type: 'object' };

/** `parts`: the modules of the project, each with its version and perhaps a tool. */
export async function serve(parts) {
  const version = Math.max(0, ...parts.map((part) => part.version ?? 0));
  let arrivals = 0;
  if (process.env.GRANDCHILD) spawn('sleep', ['3600'], { stdio: 'ignore' });

  const tools = [
    { name: 'work', inputSchema: schema },
    { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'die', inputSchema: schema },
    ...parts.filter(({ tool }) => tool).map(({ tool }) => ({ name: tool, inputSchema: schema })),
  ];
  const facts = (more) => JSON.stringify({ version, generation, ...more });

  /**
   * `say`: how many characters to answer with; `ms`: how long to take; `steps`: how much progress to tell of meanwhile.
   */
  const call = async ({ name, arguments: given = {}, _meta: meta }, _id, send) => {
    const { seq, say = 0, ms = 0, steps = 0, text = '', how } = given;
    if (name === 'die') return process.kill(process.pid, how);
    const arrival = name === 'work' ? ++arrivals : undefined;
    if (name === 'work') appendFileSync(process.env.EFFECTS, `${seq}\n`);
    for (let progress = 1; progress <= steps; progress += 1) {
      await delay(ms / steps);
      const params = { progressToken: meta.progressToken, progress, total: steps };
      send({ method: 'notifications/progress', params });
    }
    if (steps === 0 && ms > 0) await delay(ms);
    const said = facts({ arrival, heard: text.length });
    return {
      content: [
        { type: 'text', text: said },
        { type: 'text', text: 'y'.repeat(say) },
      ],
    };
  };

  const methods = {
    initialize: ({ protocolVersion }) => ({ ...introduction('soak', capabilities), protocolVersion }),
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' }),
    ping: () => ({}),
    'tools/list': () => ({ tools, ttlMs: 0, cacheScope: 'private' }),
    'resources/list': () => ({ resources: [], ttlMs: 0, cacheScope: 'private' }),
    'resources/templates/list': () => ({ resourceTemplates: [], ttlMs: 0, cacheScope: 'private' }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: facts() }], ttlMs: 0, cacheScope: 'private' }),
    'tools/call': call,
    'subscriptions/listen': ({ notifications }, id, send) => {
      const params = { notifications, _meta: { [`${PREFIX}subscriptionId`]: id } };
      send({ method: 'notifications/subscriptions/acknowledged', params });
    },
  };

  const refusal = (state, method, isModern) => {
    if (!methods[method]) return `no method ${method}`;
    if (method === 'initialize') return state === 'new' ? undefined : `initialize while ${state}`;
    if (isModern)
      return state === 'new' || state === 'modern' ? undefined : `${method} of the modern era while ${state}`;
    return state === 'initialized' || method === 'ping' ? undefined : `${method} while ${state}`;
  };
  /** One client's connection, which answers by what it is given with each message. `state`: how far it has come. */
  const connect = (state = 'new') => {
    return async ({ id, method, params = {} }, send) => {
      const isModern = params['_meta']?.[`${PREFIX}protocolVersion`] !== undefined;
      if (method === 'notifications/initialized') state = 'initialized';
      if (id === undefined || method === undefined) return;
      const refused = refusal(state, method, isModern);
      if (refused !== undefined) return void send({ id, error: { code: -32600, message: refused } });
      if (method === 'initialize') state = 'initializing';
      else if (isModern && method !== 'server/discover') state = 'modern';
      const result = await methods[method](params, id, send);
      if (result !== undefined) send({ id, result: isModern ? { resultType: 'complete', ...result } : result });
    };
  };
  if (process.env.SOAK_HTTP) return serveHttp(process.env.SOAK_HTTP, connect);
  const respond = connect();
  for await (const line of lines(process.stdin)) void respond(JSON.parse(line), print);
  process.exit(0);
}
