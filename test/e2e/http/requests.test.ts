// One request over HTTP and its end: a client that closes a POST takes its request back in the modern era and not in
// the legacy one; a request that comes during a reload waits for it; and what the proxy has asked of its own is no
// answer to a client. Streams that go on are streams.test.ts's.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { until } from '../../support/until.js';
import { memory, withMemory } from '../failures/failures.js';
import { entry, script } from '../modern/modern.js';
import { ask, legacySession, modern, modernCall, modernRequest, send, sseClient } from './raw.js';
import { served } from './served.js';

const posix = { skip: process.platform === 'win32' };

/** Tools that wait for a file, and may report progress first. */
const source = (version = '1'): string =>
  script(`import { appendFileSync } from 'node:fs';
    export const tools = {
      which: () => '${version}',
      pid: () => process.pid,
      hold: async ({ file, note }, { meta }) => {
        if (note !== undefined) appendFileSync(note, '${version} ');
        if (meta?.progressToken !== undefined)
          send({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: 1 } });
        await appears(file);
        return 'held';
      },
    };`);
const files = (version?: string): Record<string, string> => ({
  'server.mjs': entry,
  'src/script.mjs': source(version),
});

for (const [when, more] of [
  ['before anything has come', {}],
  ['in mid-stream', { _meta: { progressToken: 'p' } }],
] as const)
  test(`P16 a modern client that closes its POST ${when} has taken its request back`, async (t) => {
    const proxy = await served(t, files());
    assert.equal(await modernCall(proxy.url, 'which'), '1');
    const params = { name: 'hold', arguments: { file: 'never' }, ...more };
    const call = ask(t, proxy.url, modernRequest('tools/call', params, 'x'));
    const { line } = await proxy.received(/"hold"/);
    if ('_meta' in more) await (await call.stream).message('notifications/progress');
    call.close();
    const cancelled = JSON.parse((await proxy.received(/notifications\/cancelled/)).line);
    assert.equal(cancelled.params.requestId, JSON.parse(line).id);
    assert.equal(await modernCall(proxy.url, 'which'), '1');
  });

test('P16 a legacy client that closes its POST has taken nothing back: the call goes on, and its answer is dropped', async (t) => {
  const proxy = await served(t, files());
  const session = await legacySession(proxy.url);
  const call = session.begin(t, 'hold', { file: 'gate', note: 'ran' }, 'x');
  await proxy.received(/"hold"/);
  call.close();
  assert.equal(await session.call('which'), '1');
  proxy.files.write('gate', '');
  const { level } = await proxy.untilLogged('warning', ({ text }) => text.includes('an answer was dropped'));
  assert.equal(level, 'debug');
  assert.ok(!proxy.journal().some(({ line }) => line.includes('cancelled')), proxy.transcript());
  assert.equal(await session.call('which'), '1');
});

test('P3.hold P16 requests that come during a reload wait for its end, those of every transport', async (t) => {
  const proxy = await served(t, files());
  const [legacy, sse] = [await legacySession(proxy.url), await sseClient(t, proxy.sse)];
  assert.deepEqual([await legacy.call('which'), await sse.call('which')], ['1', '1']);
  assert.equal(await modernCall(proxy.url, 'which'), '1');
  proxy.files.write(
    'src/script.mjs',
    `import { existsSync } from 'node:fs';
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
    ${source('2')}`,
  );
  let open = 3;
  const answers = [legacy.call('which'), sse.call('which'), modernCall(proxy.url, 'which')].map((answer) =>
    answer.finally(() => open--),
  );
  await proxy.untilLogged('change');
  const closed = ask(
    t,
    proxy.url,
    modernRequest('tools/call', { name: 'hold', arguments: { file: 'go', note: 'ran' } }),
  );
  assert.equal((await send(proxy.url.replace('/mcp', '/health'), { method: 'GET' })).status, 200);
  assert.equal(open, 3);
  closed.close();
  proxy.files.write('go', '');
  assert.deepEqual(await Promise.all(answers), ['2', '2', '2']);
  assert.equal(await modernCall(proxy.url, 'which'), '2');
  assert.ok(!existsSync(proxy.files.path('ran')), 'what was taken back while it waited was not executed');
});

test('P16 server/discover is answered by the server itself, however often and late it is asked', async (t) => {
  const slow = script(`let asked = 0;
    export const methods = {
      'server/discover': async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, instructions: 'no. ' + ++asked };
      },
    };
    export const tools = { which: () => 'here' };`);
  const said = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, instructions: 'remembered' };
  const proxy = await served(
    t,
    { 'server.mjs': entry, 'src/script.mjs': slow, ...memory({ 'server/discover': said }) },
    { options: withMemory },
  );
  const instructions = async (): Promise<string> => (await modern(proxy.url, 'server/discover')).result.instructions;
  const first = await instructions();
  assert.match(first, /^no\. \d$/);
  // Longer than a client of a slow server is left waiting.
  await delay(1600);
  const second = await instructions();
  assert.match(second, /^no\. \d$/);
  assert.notEqual(first, second);
  assert.equal(await modernCall(proxy.url, 'which'), 'here');
});

test(
  'P12 messages that a server does not take wait with their clients, and no more than so many of them',
  posix,
  async (t) => {
    const proxy = await served(t, files());
    const session = await legacySession(proxy.url);
    const sse = await sseClient(t, proxy.sse);
    const pids = [Number(await session.call('pid')), Number(await sse.call('pid'))];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const pad = 'x'.repeat(100_000);
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping', params: { pad } });
    const posts = Array.from({ length: 450 }, (_, id) => [session.post(ping(id)), sse.post(ping(id))]).flat();
    // Those that are over the limit are refused while the others still wait.
    await Promise.race(posts.map(async (post) => (await post).status === 429 || new Promise(() => {})));
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    const all = await Promise.all(posts);
    for (const [at, name] of ['session', 'SSE'].entries()) {
      const statuses = all.filter((_, index) => index % 2 === at).map(({ status }) => status);
      const refused = statuses.filter((status) => status === 429).length;
      const taken = statuses.filter((status) => status === (at === 0 ? 200 : 202)).length;
      assert.ok(refused > 0 && refused < 250, `${name}: ${refused} refused`);
      assert.equal(taken + refused, 450, name);
    }
    assert.deepEqual([await session.call('which'), await sse.call('which')], ['1', '1']);
  },
);

for (const way of ['serve', 'share'] as const)
  test(`P1 P16 a request with the id null is refused, since nobody could tell its answer; a notification is one (${way})`, async (t) => {
    const proxy = await served(t, files(), { way });
    const session = await legacySession(proxy.url);
    const sse = await sseClient(t, proxy.sse);
    const call = { jsonrpc: '2.0', id: null, method: 'tools/call', params: { name: 'which' } };
    const { body, headers } = modernRequest('tools/call', { name: 'which' });
    const refusals = [
      await session.post(call),
      await session.post([{ ...call, id: 1 }, call]),
      await sse.post(call),
      await send(proxy.url, { headers: { ...headers }, body: { ...(body as object), id: null } }),
    ];
    for (const { status, messages } of refusals)
      assert.deepEqual([status, messages[0]?.error?.code, messages[0]?.id], [400, -32600, null]);
    const told = { jsonrpc: '2.0', id: null, method: 'notifications/told', params: { by: 'streamable' } };
    assert.equal((await session.post(told)).status, 202);
    assert.equal((await sse.post({ ...told, params: { by: 'sse' } })).status, 202);
    await proxy.received(/notifications\/told.*streamable/);
    await proxy.received(/notifications\/told.*sse/);
    assert.deepEqual([await session.call('which'), await sse.call('which')], ['1', '1']);
  });

test('P1 P13 who still waits when the proxy ends is told, by every transport', async (t) => {
  const proxy = await served(t, files());
  const session = await legacySession(proxy.url);
  const sse = await sseClient(t, proxy.sse);
  const params = { name: 'hold', arguments: { file: 'never' } };
  const call = { jsonrpc: '2.0', id: 'x', method: 'tools/call', params };
  const posts = [session.post(call), send(proxy.url, modernRequest('tools/call', params, 'x'))];
  await sse.post(call);
  await until(() => proxy.journal().filter(({ line }) => line.includes('"hold"')).length === 3, 'all calls', proxy);
  proxy.kill('SIGTERM');
  const answers = [...posts.map(async (post) => (await post).messages[0]!), sse.stream.message({ id: 'x' })];
  for (const { error } of await Promise.all(answers)) {
    assert.equal(error?.code, -32603);
    assert.match(error.message, /ended before it answered/);
  }
  assert.equal((await proxy.finished()).code, 143);
});
