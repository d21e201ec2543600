// A clean stdout: the client reads messages and nothing else, whatever the server prints, and the author of the server
// is told. The server's stderr is nobody's business and passes as it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, startProxy } from '../support/harness.js';

const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');

test('P11 text and JSON that are no messages go to stderr, with a hint once a kind', async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('noise') });
  const count = 20;
  await peer.initialize();
  assert.deepEqual((await peer.request('noise', { count })).result, { method: 'noise' });
  peer.end();
  await peer.finished();

  const received = peer.messages.map(({ message }) => message);
  assert.ok(
    received.every((message) => message?.jsonrpc === '2.0'),
    peer.transcript(),
  );
  assert.deepEqual(
    received.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.data),
    Array.from({ length: count }, (_, index) => index),
  );
  assert.equal(received.length, count + 2);
  const stderr = peer.stderr().split('\n');
  for (let index = 0; index < count; index++) {
    for (const line of [
      `Server listening, attempt ${index}`,
      `[info] attempt ${index} [ok]`,
      `{"level":"info","id":${index},"msg":"jsonrpc 2.0 ready"}`,
      `["log",${index}]`,
      `${index}`,
    ])
      assert.ok(stderr.includes(line), `${line} is not on stderr\n${peer.transcript()}`);
  }
  const hints = stderr.filter((line) => line.startsWith('mcp-hotline: ') && line.includes('stdout'));
  assert.equal(hints.length, 2, `one for text, one for JSON, not:\n${hints.join('\n')}`);
});

test('P11 P3 of much that is printed at once the messages go to stdout and the rest to stderr, all in order', async (t) => {
  const peer = startProxy(t, { noReload: true, options: ['--log-level', 'silent'], command: fixture('noise') });
  const lines = Array.from({ length: 3000 }, (_, n) => {
    if (n % 7 === 3) return `{"jsonrpc":"2.0","method":"n","params":${n}}`;
    return n % 5 === 0 ? '' : n % 3 === 0 ? `{"noise":${n}}` : `text ${n}`;
  });
  await peer.request('print', { stream: 'stdout', bytes: base64(`${lines.join('\n')}\n`) });
  peer.end();
  await peer.finished();
  const messages = lines.filter((line) => line.includes('jsonrpc'));
  const told = peer.messages.map(({ raw }) => String(raw).trimEnd()).filter((line) => line.includes('"params"'));
  assert.deepEqual(told, messages);
  const rest = lines.filter((line) => line !== '' && !messages.includes(line));
  assert.equal(peer.stderr(), `${rest.join('\n')}\n`);
});

for (const { what, line } of [
  { what: 'text in brackets', line: '[server] listening on [::1]' },
  { what: 'text in braces', line: '{{ banner }}' },
  { what: 'a JSON log with an id and a method', line: '{"level":30,"id":7,"method":"GET","url":"/"}' },
  { what: 'an array of strings', line: '["a","b"]' },
  { what: 'a JSON string', line: '"{\\"jsonrpc\\":\\"2.0\\"}"' },
  { what: 'a message with text before it', line: 'debug: {"jsonrpc":"2.0","method":"n"}' },
  { what: 'a message with text behind it', line: '{"jsonrpc":"2.0","method":"n"} sent' },
  { what: 'white space', line: ' \t ' },
  { what: 'a JSON-RPC object that is neither call nor answer', line: '{"jsonrpc":"2.0","params":{}}' },
]) {
  test(`P11 ${what} does not reach the client`, async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('noise') });
    await peer.request('print', { stream: 'stdout', bytes: base64(`${line}\n`) });
    assert.equal(peer.messages.length, 1, peer.transcript());
    if (line.trim() !== '') await peer.waitForLog(line);
  });
}

test('P11 bytes that are no text go to stderr as they are', async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('noise') });
  const bytes = Buffer.from([0, 0xff, 0xfe, 0x7b, 0xc3, 0x28, 0x7d, 10]);
  await peer.request('print', { stream: 'stdout', bytes: base64(bytes) });
  peer.end();
  await peer.finished();
  assert.equal(peer.messages.length, 1);
  assert.ok(peer.stderrBytes().includes(bytes));
});

test('P11 half a message at the end of a server reaches stderr, not the client', async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('noise'), unread: true });
  const stdout: Buffer[] = [];
  peer.child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  const whole = '{"jsonrpc":"2.0","method":"n","params":"é"}\n';
  const half = '{"jsonrpc":"2.0","id":"half","result":{"text":"{}';
  await peer.send({
    jsonrpc: '2.0',
    id: 'half',
    method: 'print',
    params: { stream: 'stdout', bytes: base64(whole + half), exit: 0 },
  });
  assert.equal((await peer.finished()).code, 0);
  assert.equal(Buffer.concat(stdout).toString(), whole);
  assert.ok(peer.stderr().includes(half), peer.stderr());
});

test('P11 whatever the proxy has to say at level debug is not on stdout', async (t) => {
  const peer = startProxy(t, { noReload: true, options: ['--log-level', 'debug'], command: fixture('noise') });
  await peer.initialize();
  peer.end();
  await peer.finished();
  assert.equal(peer.messages.length, 1);
  assert.match(peer.stderr(), /^mcp-hotline: /m);
});

test('the stderr of the server passes through unchanged', async (t) => {
  const peer = startProxy(t, { noReload: true, options: ['--log-level', 'silent'], command: fixture('noise') });
  const bytes = Buffer.concat([
    Buffer.from('plain\n\u001b[31mred\u001b[0m\r\n{"jsonrpc":"2.0","id":1,"method":"m"}\n'),
    Buffer.alloc(200_000, 'é'),
    Buffer.from([0xff, 0, 0xc3]),
    Buffer.from(' no newline'),
  ]);
  await peer.request('print', { stream: 'stderr', bytes: base64(bytes) });
  peer.end();
  await peer.finished();
  assert.ok(peer.stderrBytes().equals(bytes), 'stderr differs');
});

for (const [runner, banner] of [
  ['npm', '\n> app@1.0.0 start\n> node server.js\n\n'],
  ['pnpm', '\n> app@1.0.0 start /home/me/app\n> node server.js\n\n'],
  ['yarn', 'yarn run v1.22.22\n$ node server.js\n'],
] as const) {
  test(`P11 the banner of ${runner} gets the hint about --silent, and other text its own`, async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('noise') });
    await peer.initialize();
    const print = (text: string) => peer.request('print', { stream: 'stdout', bytes: base64(text) });
    await print(banner);
    const hint = await peer.waitForLog('banner on stdout');
    assert.ok(hint.includes(`start the server with ${runner} --silent`), hint);
    assert.doesNotMatch(peer.stderr(), /the server printed text on stdout/);
    await print('listening\n');
    await peer.waitForLog('the server printed text on stdout');
    await print(banner);
    peer.end();
    await peer.finished();
    assert.equal(peer.stderr().match(/banner on stdout/g)?.length, 1);
  });
}
