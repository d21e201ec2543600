// A server that speaks HTTP itself is reloaded behind a client on stdio: the session stays, with each kind of server
// and with a port of its own for every generation or one for all.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { behind, kinds, unusedPort, type Kind } from '../../support/upstream-project.js';

const listChanged = (method: string) => (received: { message: { method?: string } }) =>
  received.message.method === method;

for (const kind of Object.keys(kinds) as Kind[]) {
  test(`P4 P9 an edit is answered by new code in the same session, and new tools are told of: ${kind}`, async (t) => {
    const server = await behind(t, kind);
    assert.equal(await server.call(), 'one');
    await server.request('tools/list');
    server.say({ answer: 'two', tools: ['answer', 'other'] });
    assert.equal(await server.call(), 'two');
    assert.equal((await server.generation()).generation, 2);
    assert.equal(server.messages.filter(listChanged('notifications/tools/list_changed')).length, 1);
    const { result } = await server.request('tools/list');
    assert.ok(result.tools.some(({ name }: { name: string }) => name === 'other'));
  });

  test(`P7 P15 a broken edit and a crash do not cost the session: ${kind}`, async (t) => {
    const server = await behind(t, kind);
    const { pid } = await server.generation();
    server.say('not to be read');
    assert.match(await server.call(), /did not start with the code that is on the disk/);
    server.say({ answer: 'mended' });
    assert.equal(await server.call(), 'mended');
    assert.match(await server.call('die', { code: 3 }), /exited with code 3/);
    assert.equal(await server.call(), 'mended');
    assert.notEqual((await server.generation()).pid, pid);
  });
}

test('P4 P7 a server on a fixed port is replaced, and its failure says why', async (t) => {
  const server = await behind(t, 'v1 stateful', { isFixed: true });
  assert.equal(await server.call(), 'one');
  server.say({ answer: 'two' });
  assert.equal(await server.call(), 'two');
  server.say('not to be read');
  assert.match(await server.call(), /did not start/);
  server.say({ answer: 'three' });
  assert.equal(await server.call(), 'three');
});

test('P7 somebody else who answers on the fixed port is not taken for the server', async (t) => {
  const port = await unusedPort();
  const stranger = createServer((_, response) => response.end('I am somebody else'));
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  cleanup(t, () => stranger.close());
  const command = [...kinds['v1 stateful'].command];
  const options = ['--upstream', `http://127.0.0.1:${port}/mcp`];
  const server = await behind(t, 'v1 stateful', { command, options, env: { PORT: String(port) } });
  assert.match(await server.call(), new RegExp(`another program answers on 127\\.0\\.0\\.1:${port} already`));
  stranger.closeAllConnections();
  await new Promise((resolve) => stranger.close(resolve));
  server.say({ answer: 'now' });
  assert.equal(await server.call(), 'now');
});

test('P7 a start that is never answered in MCP says what came last', async (t) => {
  const page = `require('node:http').createServer((q, r) => { r.writeHead(404, { 'content-type': 'text/html' });
    r.end('<!doctype html><html><head><title>Not here</title></head><body><pre>Cannot POST /mcp</pre></body></html>') })
    .listen(process.env.PORT, '127.0.0.1')`;
  const server = await behind(t, 'v1 stateful', {
    command: [
      process.execPath,
      '-e',
      `if (require('node:fs').readFileSync('src/behaviour.json', 'utf8').includes('two')) ${page}; else import(process.argv[1])`,
      kinds['v1 stateful'].command[1],
    ],
    options: ['--start-timeout', '500'],
  });
  assert.equal(await server.call(), 'one');
  server.say({ answer: 'two' });
  const said = await server.call();
  assert.match(said, /did not answer the handshake/);
  assert.match(said, /HTTP 404: Not here\s+Cannot POST \/mcp/);
});

test('P4 P7 a port that is taken before the server has it is not the end of the start, nor of the overlap', async (t) => {
  const [node, file] = kinds['v1 stateful'].command;
  const taken = `const { existsSync, rmSync } = require('node:fs');
    if (existsSync('taken')) require('node:net').createServer().listen(process.env.PORT, '127.0.0.1', () => { rmSync('taken'); import(${JSON.stringify(file)}) });
    else import(${JSON.stringify(file)});`;
  const server = await behind(t, 'v1 stateful', { command: [node, '-e', taken] });
  assert.equal(await server.call(), 'one');
  server.files.write('taken', '');
  server.say({ answer: 'two' });
  assert.equal(await server.call(), 'two');
  assert.match(server.stderr(), /EADDRINUSE[^]*it is started again with another one/);
  assert.doesNotMatch(server.stderr(), /strategy|replace/);
});

test('P2 P12 a big answer comes whole, in the bytes that the server sent', async (t) => {
  const server = await behind(t, 'v1 stateful');
  const size = 3_000_000;
  assert.equal((await server.call('big', { size })).length, size);
});

test('P1 what is asked of the client in the course of a call, and by the stream of the session, is answered', async (t) => {
  const server = await behind(t, 'v1 stateful', { isUnopened: true });
  server.answer('sampling/createMessage', () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'because' },
  }));
  await server.initialize({ capabilities: { sampling: {} } });
  assert.match(await server.call('ask', { method: 'sampling/createMessage' }), /because/);
  assert.match(await server.call('ask', { method: 'sampling/createMessage', by: 'session' }), /because/);
  server.say({ answer: 'two' });
  assert.match(await server.call('ask', { method: 'sampling/createMessage', by: 'session' }), /because/);
});

test('P13 the client leaves, and a server that waits for open streams is gone with the proxy', async (t) => {
  const server = await behind(t, 'v1 stateful', { env: { WAITS: '1' } });
  await server.call();
  server.end();
  assert.deepEqual(await server.exit(), { code: 0, signal: null });
});
