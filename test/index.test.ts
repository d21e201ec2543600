// The programmatic entry: a proxy on streams of the test's own, with real servers, and options that are checked.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createProxy } from '#src/index.js';

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MCP_|NODE_EXTRA_CA_CERTS)/.test(name)),
);
const cat = { command: process.execPath, args: ['-e', 'process.stdin.pipe(process.stdout)'], env };
const streams = () => ({ input: new PassThrough(), output: new PassThrough(), stderr: new PassThrough() });

test('messages pass, and the code comes back instead of an exit', async () => {
  const io = streams();
  const proxy = createProxy(io, { ...cat, logLevel: 'silent' });
  const message = '{"jsonrpc":"2.0","method":"x"}\n';
  io.input.write(message);
  const [chunk] = (await once(io.output, 'data')) as [Buffer];
  assert.equal(chunk.toString(), message);
  proxy.close();
  assert.equal(await proxy.closed, 0);
});

test('the log goes to the stderr that was given', async () => {
  const io = streams();
  let text = '';
  io.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const proxy = createProxy(io, { command: 'no-such-command-here', env });
  assert.equal(await proxy.closed, 127);
  assert.match(text, /^mcp-hotline: .*no-such-command-here/);
});

const refused: readonly [options: object, error: RegExp][] = [
  [{}, /command: expected the name or path of a program/],
  [{ command: '' }, /command: expected/],
  [{ command: 'a\0b' }, /command: expected/],
  [{ command: 'x', args: 'server.js' }, /args: expected a list of strings/],
  [{ command: 'x', args: [1] }, /args: expected a list of strings/],
  [{ command: 'x', env: null }, /env: expected an object/],
  [{ command: 'x', wach: ['src'] }, /wach is not an option; did you mean watch\?/],
  [{ command: 'x', hold: -1 }, /hold: -1 is not allowed, expected a whole number/],
  [{ command: 'x', cwd: '/no/such/directory' }, /the directory \/no\/such\/directory does not exist/],
  [{ command: 'x', env: { MCP_HOTLINE_HOLD: 'x' } }, /MCP_HOTLINE_HOLD: "x" is not allowed/],
];

for (const [options, error] of refused) {
  test(`bad options throw: ${error.source}`, () => {
    assert.throws(() => createProxy(streams(), options), error);
  });
}
