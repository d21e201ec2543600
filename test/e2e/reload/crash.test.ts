// P15 on the built bin: a server that dies is started again and told of the session, and what it owed is answered; half
// of a line it wrote is glued to nothing. Its exit codes decide what follows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { failureSaid } from '../../support/message.js';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const mayHaveRun = /may or may not have taken effect/;

test('P15 P1 a server that dies is started again and initialised again; every call it owed is answered once', async (t) => {
  const annotations = { effect: { readOnlyHint: true } };
  const proxy = await live(t, reloadable({ answer: 'one', annotations }));
  await proxy.request('tools/list');
  await proxy.request('logging/setLevel', { level: 'info' });
  await proxy.request('resources/subscribe', { uri: 'a:b' });
  const gate = proxy.gate();
  const safe = await proxy.begin('effect', { file: 'effects', until: gate.path });
  const unsafe = await proxy.begin('progress', { count: 0, until: gate.path });
  const killer = proxy.request('tools/call', { name: 'die', arguments: { signal: 'SIGKILL' } });
  for (const lost of [unsafe.answer, killer]) assert.match(failureSaid(await lost), mayHaveRun);
  assert.equal(await proxy.call('answer'), 'one');
  gate.open();
  assert.equal((await safe.answer).result.content[0].text, '2', 'it ran in both');
  await proxy.waitForLog(/the server was ended by SIGKILL/);
  const told = proxy.told(2).map(({ method }) => method);
  const replayed = ['initialize', 'notifications/initialized', 'logging/setLevel', 'resources/subscribe'];
  assert.deepEqual(told.slice(0, 4), replayed);
  assert.deepEqual(proxy.notifications(), ['notifications/resources/updated'], 'no list is told that has not changed');
});

test('P15 a crash is followed by a new start every time, and the session lives on', async (t) => {
  const proxy = await live(t, reloadable('one'));
  for (const code of [1, 7]) {
    assert.match(failureSaid(await proxy.request('tools/call', { name: 'die', arguments: { code } })), mayHaveRun);
    assert.equal(await proxy.call('answer'), 'one');
  }
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
});

test('P10 P11 half a line of a server that dies is glued to nothing', async (t) => {
  const half = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"cut';
  const proxy = await live(
    t,
    scripted(`export const tools = {
      which: () => generation,
      half: () => { process.stdout.write('${half}', () => process.exit(1)); return never; },
    };`),
  );
  assert.match(failureSaid(await proxy.request('tools/call', { name: 'half' })), mayHaveRun);
  assert.equal(await proxy.call('which'), '2');
  // Its call is told of it, inside a text.
  for (const { message } of proxy.messages)
    assert.ok(message?.jsonrpc === '2.0' && message.method !== 'notifications/message');
  await proxy.waitForLog(half);
});

test('P1 P11 a long answer that a death cuts off behind an inner brace is no answer', async (t) => {
  // What it looks like at both ends is a whole message: `{"jsonrpc":"2.0","id":…` in front, and `}` behind.
  const proxy = await live(
    t,
    scripted(`export const tools = { which: () => generation };
    export const methods = { 'resources/read': () => {
      const inner = JSON.stringify({ text: 'x'.repeat(200 * 1024) });
      const cut = '{"jsonrpc":"2.0","id":"cut","result":{"contents":[' + inner;
      process.stdout.write(cut, () => process.exit(1));
      return never;
    } };`),
    { options: ['--retry', 'never'] },
  );
  const { result, error } = await proxy.request('resources/read', { uri: 'a:b' }, { id: 'cut' });
  assert.equal(result, undefined);
  assert.match(error?.message ?? '', mayHaveRun);
  assert.equal(await proxy.call('which'), '2');
});

test('P10 half a line of the client’s, at the time of a reload, is whole when it arrives', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const line = '{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"answer","x":"é😀"}}';
  const bytes = Buffer.from(`${line}\n`);
  const cut = bytes.indexOf('😀') + 2;
  await proxy.send(bytes.subarray(0, cut));
  proxy.save(behaviour('two'));
  await proxy.reloaded(2);
  await proxy.send(bytes.subarray(cut));
  assert.equal((await proxy.response('é')).result.content[0].text, 'two');
  assert.equal(proxy.journal().at(-1)?.line, line);
});

/** A server that ends sooner with exit code 0 does not leave on purpose. The time is what is tested. */
const LEAVES_AFTER_MS = 5100;

test('P15 exit 0 of a server that has worked for a while ends the proxy with 0, when what it owed has been answered', async (t) => {
  const proxy = await live(t, reloadable('one'));
  await new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
  const gate = proxy.gate();
  const owed = [
    (await proxy.begin('effect', { file: 'effects', until: gate.path })).answer,
    proxy.request('tools/call', { name: 'die', arguments: { code: 0 } }),
  ];
  for (const answer of owed) assert.match(failureSaid(await answer), mayHaveRun);
  assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
});

test('P7 P15 exit 0 soon after the start, or after an edit, is a mistake in the code: the session lives on', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const leave = async (): Promise<string> =>
    failureSaid(await proxy.request('tools/call', { name: 'die', arguments: { code: 0 } }));
  assert.match(await leave(), /"die" was running: `node` exited with code 0\.[^]*may or may not have taken effect/);
  assert.equal(await proxy.call('answer'), 'one');
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
  await new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
  assert.match(await leave(), /exited with code 0/);
  assert.equal(await proxy.call('answer'), 'two');
  // The server that follows was started by no edit, but it runs the edited code.
  await new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
  assert.match(await leave(), /exited with code 0/);
  proxy.save(behaviour('three'));
  assert.equal(await proxy.call('answer'), 'three');
});

test('P7 a server that ends with exit code 0 again and again is waited for, and calls are told why', async (t) => {
  const proxy = await live(t, reloadable('one'));
  for (let end = 1; end <= 4; end++) {
    const answer = await proxy.request('tools/call', { name: 'die', arguments: { code: 0 } });
    assert.match(failureSaid(answer), mayHaveRun);
  }
  const { error } = await proxy.request('resources/list');
  assert.match(error?.message ?? '', /^The MCP server ended by itself: `node` exited with code 0\./);
  // A tool call does not wait for the ladder, but it does not try again right after the last attempt either.
  for (;;) {
    const { result } = await proxy.request('tools/call', { name: 'answer' });
    if (result.isError !== true) return assert.equal(result.content[0].text, 'one');
    assert.match(result.content[0].text, /^The MCP server ended by itself[^]*remove that\. Then call the tool again/);
    await setImmediate();
  }
});

test('P15 what was stopped to be replaced is no crash: after many reloads the first crash is followed by a start at once', async (t) => {
  const proxy = await live(t, reloadable('0'), { options: ['--strategy', 'replace'] });
  for (let edit = 1; edit <= 5; edit++) {
    proxy.save(behaviour(String(edit)));
    assert.equal(await proxy.call('answer'), String(edit));
  }
  assert.match(failureSaid(await proxy.request('tools/call', { name: 'die', arguments: { code: 3 } })), mayHaveRun);
  assert.equal(await proxy.call('answer'), '5', 'held, not refused');
});

test('P14 P15 a server that dies of a line that is no message: the log and the words of the crash name the line', async (t) => {
  const proxy = await live(t, scripted('export const tools = { slow: () => never, which: () => generation };'));
  const slow = await proxy.begin('slow');
  await proxy.send('this is no JSON, and secret');
  const text = failureSaid(await slow.answer);
  assert.match(
    text,
    /exited with code 1, right after it was sent a line of the client's \(28 bytes\) that is not JSON/,
  );
  await proxy.waitForLog(/the client sent a line of 28 bytes that is not JSON/);
  assert.doesNotMatch(proxy.stderr().replace(/^(?!mcp-hotline: ).*$/gm, ''), /secret/);
  assert.equal(await proxy.call('which'), '2');
});

test('P15 exit 42 asks for a restart: at once, and what is new then is told', async (t) => {
  const growing = `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
    appendFileSync('starts', '.');
    export const tools = {
      which: () => generation,
      restart: () => { process.exit(42); },
      ...(readFileSync('starts', 'utf8').length > 1 && { another: () => 'there' }),
    };`;
  const proxy = await live(t, scripted(growing));
  await proxy.request('tools/list');
  assert.match(failureSaid(await proxy.request('tools/call', { name: 'restart' })), mayHaveRun);
  assert.equal(await proxy.call('which'), '2');
  assert.equal(await proxy.call('another'), 'there');
  assert.deepEqual(proxy.notifications(), ['notifications/tools/list_changed']);
  assert.match(failureSaid(await proxy.request('tools/call', { name: 'restart' })), mayHaveRun);
  assert.equal(await proxy.call('which'), '3');
});

test('P15 P9 a crash, then an edit: the new lists are told', async (t) => {
  const proxy = await live(t, reloadable('one'));
  await proxy.request('tools/list');
  const held = `import { existsSync } from 'node:fs';
    while (!existsSync('gate')) await new Promise((done) => setTimeout(done, 5));\n`;
  proxy.save(held + behaviour('two'));
  await proxy.waitForLog('changed: ');
  const { pid } = proxy.journal()[0]!;
  process.kill(pid, 'SIGKILL');
  await proxy.gone(pid);
  const call = proxy.request('tools/call', { name: 'more' });
  proxy.save(behaviour({ answer: 'three', lists: { tools: [{ name: 'more' }] } }));
  assert.equal((await call).result.content[0].text, 'three');
  assert.ok(proxy.notifications().includes('notifications/tools/list_changed'), proxy.transcript());
});

test('P15 a server that dies while its successor starts: the successor answers what may be sent again, and decides', async (t) => {
  const annotations = { effect: { idempotentHint: true } };
  const proxy = await live(t, reloadable({ answer: 'one', annotations }));
  await proxy.request('tools/list');
  const gate = proxy.gate();
  const safe = await proxy.begin('effect', { file: 'effects', until: gate.path });
  const unsafe = await proxy.begin('progress', { count: 0, until: gate.path });
  const open = await proxy.saveHeld(behaviour('two'));
  const held = proxy.call('answer');
  process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
  assert.match(failureSaid(await unsafe.answer), mayHaveRun);
  open();
  gate.open();
  assert.equal(await held, 'two');
  assert.equal((await safe.answer).result.content[0].text, '2');
  assert.equal(JSON.parse(await proxy.call('generation')).generation, 2);
});

test('P15 P8 what a crashed server owed runs in order on the next one, before what was sent later', async (t) => {
  const reads = (answer: string) => script(`export const methods = { 'resources/read': ({ uri }) => ${answer} };`);
  const proxy = await live(t, { ...scripted(''), 'src/script.mjs': reads('generation === 1 ? never : { uri }') });
  const asked = ['a:1', 'a:2'].map((uri) => proxy.request('resources/read', { uri }));
  await proxy.received(/a:2/);
  process.kill(proxy.journal()[0]!.pid, 'SIGTERM');
  await proxy.waitForLog('the server was ended by SIGTERM');
  asked.push(proxy.request('resources/read', { uri: 'a:3' }));
  assert.deepEqual(
    (await Promise.all(asked)).map(({ result }) => result.uri),
    ['a:1', 'a:2', 'a:3'],
  );
  const order = proxy.told(2).flatMap(({ method, params }) => (method === 'resources/read' ? [params.uri] : []));
  assert.deepEqual(order, ['a:1', 'a:2', 'a:3']);
});

test('P15 a server that crashes again and again is waited for longer; meanwhile calls are told so, and an edit ends the wait', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const die = () => proxy.request('tools/call', { name: 'die', arguments: { code: 9 } });
  for (let crash = 1; crash <= 4; crash++) assert.match(failureSaid(await die()), mayHaveRun);
  const { result } = await proxy.request('tools/call', { name: 'answer' });
  assert.equal(result.isError, true, proxy.transcript());
  assert.match(result.content[0].text, /crashed.*exited with code 9/);
  const { error } = await proxy.request('resources/list');
  assert.match(error?.message ?? '', /crashed/);
  assert.deepEqual((await proxy.request('ping')).result, {});
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
});

test('P8 P1 a safe call that crashes its server is sent again once, and then told what happened; others are not kept waiting', async (t) => {
  const annotations = { die: { readOnlyHint: true } };
  const proxy = await live(t, reloadable({ answer: 'one', annotations }));
  await proxy.request('tools/list');
  const killer = proxy.request('tools/call', { name: 'die', arguments: { code: 7 } });
  const text = failureSaid(await killer);
  const other = proxy.request('resources/read', { uri: 'a:b' });
  assert.match(
    text,
    /ended twice while the tool "die" was running.*exited with code 7[^]*may or may not have taken effect/,
  );
  assert.match(text, /not sent a third time/);
  assert.equal((await other).result?.contents[0].text ?? '', 'one', proxy.transcript());
  const sent = proxy.journal().filter(({ line }) => line.includes('"die"') && line.includes('tools/call'));
  assert.deepEqual(
    sent.map(({ generation }) => generation),
    [1, 2],
  );
  assert.equal(await proxy.call('answer'), 'one');
});

test('P8 a safe call whose server crashed is never said not to have run, though no server comes up again', async (t) => {
  const source = (start: string) =>
    script(`import { existsSync, writeFileSync } from 'node:fs';
    ${start}
    export const tools = { die: () => { writeFileSync('dead', ''); process.exit(7); }, which: () => generation };
    export const lists = { tools: [{ name: 'die', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }] };
    export const methods = { 'tools/list': () => lists };`);
  const proxy = await live(t, {
    ...scripted(''),
    'src/script.mjs': source(`if (existsSync('dead')) throw new Error('it is dead');`),
  });
  await proxy.request('tools/list');
  const text = failureSaid(await proxy.request('tools/call', { name: 'die' }));
  assert.match(text, mayHaveRun);
  assert.doesNotMatch(text, /not executed/);
});

test('P7 P15 a task-augmented call gets a JSON-RPC error for a failure of ours, since clients expect a task there', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const died = await proxy.request('tools/call', { name: 'die', arguments: { code: 7 }, task: { ttl: 1000 } });
  assert.equal(died.error?.code, -32603);
  assert.deepEqual([died.error.data.mayHaveRun, died.error.data.kind], [true, 'crash']);
  proxy.save('this is no JavaScript');
  const failed = await proxy.request('tools/call', { name: 'answer', task: {} });
  assert.equal(failed.error?.code, -32603);
  assert.equal(failed.error.data.kind, 'start');
});
