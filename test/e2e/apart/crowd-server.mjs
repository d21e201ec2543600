// A server of either era, pinned by its first telling message, that has a lot to say in the course of each call: progress,
// questions, log messages, news of a kind of its own. All of it names the client whose call it is (`of`), so that a test
// sees what has gone astray. `version` stands in its answers.

import { setTimeout as delay } from 'node:timers/promises';
import { introduction, lines, send } from '../../../fixtures/servers/lines.mjs';

const PREFIX = 'io.modelcontextprotocol/';
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
/** So long a client may think about a question. */
const PATIENCE_MS = 30_000;

export async function serve(version) {
  const questions = new Map();
  const subscribed = new Set();
  const listens = new Map();
  const takenBack = new Set();
  let lastQuestion = 0;
  let level = Infinity;
  let era;

  const ask = (method, params) => {
    const id = lastQuestion++;
    send({ id, method, params });
    const late = delay(PATIENCE_MS, { by: 'nobody' }, { ref: false });
    return Promise.race([new Promise((resolve) => questions.set(id, resolve)), late]);
  };

  const log = (of, wanted, meta) => {
    // A legacy message is for everybody who wants its level, so it names nobody.
    if (era === 'legacy' && LEVELS.indexOf(wanted) >= level)
      send({ method: 'notifications/message', params: { level: wanted, data: 'for all' } });
    if (era === 'modern' && meta[`${PREFIX}logLevel`] !== undefined)
      send({ method: 'notifications/message', params: { level: wanted, data: { of } } });
  };

  const stamped = (id, method, params) =>
    send({ method, params: { ...params, _meta: { [`${PREFIX}subscriptionId`]: id } } });

  /** What is to be done in the course of a call, in this order. */
  const work = async ({ of, steps = [], pause = 0, heeds = false }, meta, id) => {
    let [progress, answer] = [0, undefined];
    takenBack.delete(id);
    for (const step of steps) {
      await delay(pause);
      if (heeds && takenBack.has(id)) return undefined;
      if (step === 'progress' && meta.progressToken !== undefined)
        send({
          method: 'notifications/progress',
          params: { progressToken: meta.progressToken, progress: ++progress, message: of },
        });
      if (step.startsWith('log ')) log(of, step.slice(4), meta);
      if (step === 'tell') send({ method: 'notifications/of-its-own', params: { of } });
      if (step.startsWith('ask ') && era === 'legacy') {
        // A question for roots says nothing of a call.
        answer = await ask(step.slice(4), step === 'ask roots/list' ? undefined : { of });
      }
      if (step.startsWith('touch ')) {
        const uri = step.slice(6);
        if (subscribed.has(uri)) send({ method: 'notifications/resources/updated', params: { uri } });
        for (const [stream, { filter }] of listens)
          if (filter.resourceSubscriptions?.includes(uri)) stamped(stream, 'notifications/resources/updated', { uri });
      }
      if (step === 'change') {
        if (era === 'legacy') send({ method: 'notifications/tools/list_changed' });
        for (const [stream, own] of listens)
          if (own.filter.toolsListChanged) stamped(stream, 'notifications/tools/list_changed', { of: own.of });
      }
    }
    return { content: [{ type: 'text', text: JSON.stringify({ of, version, answer }) }] };
  };

  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    ...(process.env.NO_LOGGING ? {} : { logging: {} }),
  };
  const methods = {
    initialize: ({ protocolVersion }) => ({ ...introduction('crowd', capabilities), protocolVersion }),
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' }),
    ping: () => ({}),
    'tools/list': () => ({
      tools: [{ name: 'work', inputSchema: { type: 'object' } }],
      ttlMs: 0,
      cacheScope: 'private',
    }),
    'resources/list': () => ({ resources: [], ttlMs: 0, cacheScope: 'private' }),
    'resources/templates/list': () => ({ resourceTemplates: [], ttlMs: 0, cacheScope: 'private' }),
    'resources/read': ({ uri, of }) => ({ contents: [{ uri, text: of }] }),
    'logging/setLevel': (params) => ((level = LEVELS.indexOf(params.level)), {}),
    'resources/subscribe': ({ uri }) => (subscribed.add(uri), {}),
    'resources/unsubscribe': ({ uri }) => (subscribed.delete(uri), {}),
    'subscriptions/listen': ({ notifications, of }, id) => {
      listens.set(id, { filter: notifications, of });
      stamped(id, 'notifications/subscriptions/acknowledged', { notifications });
    },
    'tools/call': (params, id) => work(params.arguments, params['_meta'] ?? {}, id),
  };
  const legacyOnly = new Set([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
  ]);

  const respond = async (message) => {
    const { id, method, params = {} } = message;
    if (method === undefined) return void questions.get(id)?.(message.result ?? { refused: message.error });
    const isModern = typeof params['_meta']?.[`${PREFIX}protocolVersion`] === 'string';
    if (!isModern) era ??= 'legacy';
    else if (method !== 'server/discover') era ??= 'modern';
    if (method === 'notifications/cancelled') {
      listens.delete(params.requestId);
      takenBack.add(params.requestId);
    }
    if (id === undefined) return undefined;
    const isForeign =
      era === 'legacy'
        ? /^(server|subscriptions)\//.test(method)
        : era === 'modern' && (legacyOnly.has(method) || !isModern);
    if (isForeign || methods[method] === undefined)
      return { jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method}` } };
    const outcome = await methods[method](params, id);
    if (outcome === undefined) return undefined;
    const result = era === 'legacy' ? outcome : { resultType: 'complete', ...outcome };
    return { jsonrpc: '2.0', id, result };
  };

  for await (const line of lines(process.stdin)) {
    const message = JSON.parse(line);
    if (!Array.isArray(message)) void respond(message).then((answer) => answer && send(answer));
    else
      void Promise.all(message.map(respond)).then((all) => {
        const answers = all.filter((answer) => answer !== undefined);
        if (answers.length > 0) process.stdout.write(`${JSON.stringify(answers)}\n`);
      });
  }
}
