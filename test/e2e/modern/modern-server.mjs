// A server that speaks both eras over stdio and is as strict as the published one: its first telling message pins it,
// and what belongs to the other era is refused from then on. Made of functions that a test edits (see modern.ts). With
// JOURNAL set, every line it receives is appended there, with generation and pid.

import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { introduction, lines, send } from '../../../fixtures/servers/lines.mjs';

export { send };
export const generation = Number(process.env.MCP_HOTLINE_GENERATION ?? 0);
export const never = new Promise(() => {});

const PREFIX = 'io.modelcontextprotocol/';
const serverInfo = { name: 'modern', version: '1.0.0' };
const filters = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};
const streams = new Map();

export async function appears(file) {
  while (!existsSync(file)) await delay(10);
}

/** Tells every open stream that asked for it. */
export function tell(method, params = {}) {
  for (const [id, wanted] of streams) {
    const asked = wanted[filters[method]] === true || wanted.resourceSubscriptions?.includes(params.uri);
    if (asked) send({ method, params: { ...params, _meta: { [`${PREFIX}subscriptionId`]: id } } });
  }
}

const isModern = (message) => typeof message.params?.['_meta']?.[`${PREFIX}protocolVersion`] === 'string';

/** `closing` says how open streams end with the process: by a `result`, by a `cancelled`, or not at all. */
export async function serve({ capabilities = { tools: {} }, lists = {}, tools = {}, methods, closing }) {
  let era;
  const list = (member, items) => () => ({ [member]: items, ttlMs: 0, cacheScope: 'private' });
  const own = Object.keys(tools).map((name) => ({
    name,
    inputSchema: { type: 'object' },
    ...(tools[name].annotations && { annotations: tools[name].annotations }),
  }));
  const all = {
    initialize: ({ protocolVersion }) => ({ ...introduction('modern', capabilities), protocolVersion }),
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' }),
    'tools/list': list('tools', own),
    'prompts/list': list('prompts', lists.prompts ?? []),
    'resources/list': list('resources', lists.resources ?? []),
    'resources/templates/list': list('resourceTemplates', lists.resourceTemplates ?? []),
    'tools/call': async (params, id) => {
      const said = await tools[params.name](params.arguments ?? {}, { id, params, meta: params['_meta'] });
      return typeof said === 'object' ? said : { content: [{ type: 'text', text: String(said) }] };
    },
    'subscriptions/listen': ({ notifications }, id) => {
      streams.set(id, notifications);
      const told = Object.fromEntries(Object.entries(notifications).filter(([name]) => honoured(name)));
      const params = { notifications: told, _meta: { [`${PREFIX}subscriptionId`]: id } };
      send({ method: 'notifications/subscriptions/acknowledged', params });
    },
    ...methods,
  };
  /** As the published server does: only what the capabilities promise. */
  const honoured = (name) =>
    name === 'resourceSubscriptions'
      ? capabilities.resources?.subscribe === true
      : capabilities[name.replace('ListChanged', '')]?.listChanged === true;

  const refusal = (message) => {
    const { method } = message;
    if (era === 'modern' && method === 'initialize') return [-32022, 'pinned to the modern era'];
    if (era === 'modern' && !isModern(message)) return [-32602, `${method} without _meta`];
    if (era === 'legacy' && /^(server|subscriptions)\//.test(method)) return [-32601, 'pinned to the legacy era'];
    return all[method] ? undefined : [-32601, `no method ${method}`];
  };
  const respond = async (message) => {
    const { id, method, params = {} } = message;
    if (!isModern(message)) era ??= 'legacy';
    else if (method !== 'server/discover') era ??= 'modern';
    if (method === 'notifications/cancelled') return void streams.delete(params.requestId);
    if (id === undefined || method === undefined) return;
    const [code, text] = refusal(message) ?? [];
    if (code !== undefined) return send({ id, error: { code, message: text } });
    const outcome = await all[method](params, id);
    // A string is the result as JSON, to be sent as it is, with the id behind it as the published server has it.
    if (typeof outcome === 'string')
      process.stdout.write(`{"result":${outcome},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`);
    else if (outcome !== undefined) send({ id, result: complete(outcome) });
  };
  const complete = (result) =>
    era === 'legacy' ? result : { resultType: 'complete', _meta: { [`${PREFIX}serverInfo`]: serverInfo }, ...result };

  const end = () => {
    for (const id of streams.keys()) {
      if (closing === 'result') send({ id, result: { resultType: 'complete' } });
      if (closing === 'cancelled') send({ method: 'notifications/cancelled', params: { requestId: id } });
    }
    process.exit(0);
  };
  process.on('SIGTERM', end);
  for await (const line of lines(process.stdin)) {
    if (process.env.JOURNAL)
      appendFileSync(process.env.JOURNAL, `${JSON.stringify({ generation, pid: process.pid, line: String(line) })}\n`);
    void respond(JSON.parse(line));
  }
  end();
}
