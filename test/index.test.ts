// The programmatic entry: a proxy on streams of the test's own, with real servers, and options that are checked.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { createProxy, type ProxyEvents, type ProxyStatus } from '#src/index.js';
import { project } from './support/project.js';

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

test('all bad options are told at once', () => {
  const options = { command: '', args: 'server.js', wach: ['src'], hold: -1, reload: true, cwd: '/no/such/directory' };
  assert.throws(
    () => createProxy(streams(), options as object),
    (error: Error) => {
      assert.deepEqual(
        error.message
          .split('\n')
          .map((line) => /\w[\w-]*(?=:| is | \/no)/.exec(line.replace('mcp-hotline: ', ''))?.[0]),
        ['command', 'args', 'wach', 'hold', 'directory'],
        error.message,
      );
      return error instanceof TypeError;
    },
  );
});

const incomplete: readonly [given: readonly unknown[], error: RegExp][] = [
  [[], /^mcp-hotline: streams: expected an object, .*\n +options: expected an object, as in \{ command: "node"/],
  [[undefined, cat], /^mcp-hotline: streams: expected an object, as in \{ input: process\.stdin/],
  [[null, null], /streams: expected .*\n +options: expected /],
  [[streams()], /^mcp-hotline: options: expected an object/],
  [[streams(), ['node', 'server.js']], /^mcp-hotline: options: expected an object/],
  [[{}, cat], /^mcp-hotline: input: expected a readable stream, .*\n +output: expected a writable stream/],
  [[{ ...streams(), stderr: 2 }, cat], /^mcp-hotline: stderr: expected a writable stream$/],
  [
    [
      { input: process.stdout, output: 'x' },
      { hold: -1, env },
    ],
    /output: .*\n +hold: .*\n +command: expected /,
  ],
];

for (const [given, error] of incomplete) {
  test(`what is missing is told in words: ${error.source}`, () => {
    const call = createProxy as (...given: readonly unknown[]) => unknown;
    assert.throws(() => call(...given), { name: 'TypeError', message: error });
  });
}

const reloading = { watch: [import.meta.filename] };
const asked = '{"jsonrpc":"2.0","id":1,"method":"ç"}\n';

for (const [what, input] of [
  ['text', () => Readable.from([asked.slice(0, 9), asked.slice(9)])],
  ['bytes that are no Buffer', () => Readable.from([new TextEncoder().encode(asked)])],
  ['decoded text', () => new PassThrough({ encoding: 'utf8' }).end(asked)],
  ['text in another encoding', () => new PassThrough({ encoding: 'latin1' }).end(asked)],
] as const) {
  for (const flow of [{ reload: false }, reloading]) {
    test(`P2 an input of ${what} is read as the bytes it stands for, ${'watch' in flow ? 'reloading' : 'plain'}`, async () => {
      const output = new PassThrough();
      const stderr = new PassThrough().resume();
      // What is sent back is a request of the server's: all that the proxy looks at in it is its envelope.
      const proxy = createProxy({ input: input(), output, stderr }, { ...cat, ...flow, logLevel: 'silent' });
      assert.equal(await proxy.closed, 0);
      output.end();
      assert.equal(await textOf(output), asked);
    });
  }
}

const closed = async (stream: PassThrough): Promise<void> => {
  stream.destroy();
  await once(stream, 'close');
};

for (const [what, prepare] of [
  ['an input that has ended', async ({ input }) => void (await once(input.resume().end(), 'end'))],
  ['an input that is destroyed', ({ input }) => closed(input)],
  ['an output that is destroyed', ({ output }) => closed(output)],
] as readonly [string, (io: ReturnType<typeof streams>) => Promise<void>][]) {
  test(`P13 ${what} before the proxy is there is a client that has left`, async () => {
    for (const flow of [{ reload: false }, reloading]) {
      const io = streams();
      await prepare(io);
      assert.equal(await createProxy(io, { ...cat, ...flow, logLevel: 'silent' }).closed, 0);
    }
  });
}

for (const [what, act] of [
  ['ends', (output) => void output.end()],
  ['destroys', (output) => void output.destroy()],
] as readonly [string, (output: PassThrough) => void][]) {
  test(`P13 a caller that ${what} the output has left`, async () => {
    for (const flow of [{ reload: false }, reloading]) {
      const io = streams();
      const proxy = createProxy(io, { ...cat, ...flow, logLevel: 'silent' });
      io.input.write('{"jsonrpc":"2.0","id":1,"method":"x"}\n');
      await once(io.output, 'data');
      act(io.output);
      assert.equal(await proxy.closed, 0);
    }
  });
}

const reloadableServer = (answer: string): string => `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } }
    : { content: [{ type: 'text', text: '${answer}' }] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
}
`;

test('a program is told of readiness, reloads, failures and the end, and can ask for the status at any time', async (t) => {
  const here = project(t, { 'server.mjs': reloadableServer('one') });
  const io = streams();
  io.stderr.resume();
  io.output.resume();
  const proxy = createProxy(io, {
    command: process.execPath,
    args: [here.path('server.mjs')],
    watch: [here.path('server.mjs')],
    stateDir: here.path('state'),
    logLevel: 'silent',
    env,
  });
  t.after(() => proxy.close());
  assert.deepEqual(proxy.status(), { state: 'starting' });
  const next = <Name extends 'ready' | 'reloaded' | 'failed' | 'exit'>(name: Name): Promise<ProxyEvents[Name]> =>
    new Promise((resolve) => {
      const stop = proxy.on(name, (event) => {
        stop();
        resolve(event);
      });
    });
  const ready = next('ready');
  let calls = 0;
  proxy.on('reloaded', () => {
    calls++;
    throw new Error('a listener must not harm the proxy');
  });
  const send = (message: object): void => void io.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1.0' } },
  });
  const { generation, pid } = await ready;
  assert.ok(generation !== undefined);
  send({ method: 'notifications/initialized' });
  const first = proxy.status();
  assert.deepEqual([first.generation, first.pid, first.client], [generation, pid, 'a 1.0']);

  const reloaded = next('reloaded');
  here.write('server.mjs', reloadableServer('two'));
  const reload = await reloaded;
  // The very first save may have come after the start: then there is one more.
  assert.ok(reload.generation! > generation);
  assert.equal(reload.files.length, 1);
  assert.equal(typeof reload.phases['start'], 'number');
  assert.deepEqual(reload.changes, []);
  assert.ok(calls >= 1);

  const failed = next('failed');
  here.write('server.mjs', 'broken(');
  const failure = await failed;
  assert.equal(failure.kind, 'start');
  assert.ok(failure.generation! > reload.generation!);
  assert.match(failure.how, /^exited with code 1 before the handshake was done$/);
  assert.match(failure.output, /SyntaxError/);
  const status: ProxyStatus = proxy.status();
  assert.ok(status.generation! >= reload.generation! && status.generation! < failure.generation!);
  assert.deepEqual(status.lastReload?.files, reload.files);

  const exit = next('exit');
  proxy.close();
  assert.deepEqual(await exit, { code: 0 });
  assert.equal(await proxy.closed, 0);
  assert.equal(proxy.status().state, 'closed');
  assert.throws(() => proxy.on('changed' as 'ready', () => {}), /changed is no event/);
});

test('without reloading, ready says which process was started', async () => {
  const io = streams();
  const proxy = createProxy(io, { ...cat, reload: false, logLevel: 'silent' });
  const ready = await new Promise<ProxyEvents['ready']>((resolve) => void proxy.on('ready', resolve));
  assert.deepEqual(proxy.status(), { state: 'serving', ...ready });
  proxy.close();
  assert.equal(await proxy.closed, 0);
});
