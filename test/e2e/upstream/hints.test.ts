// A server that speaks HTTP, run as if it spoke over its pipes: the log says what is missing, and the client's failure
// repeats it. What is recognised in what servers print is for test/agent/http-traces.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { project, startProxy } from '../../support/harness.js';
import { reloadable } from '../../support/reloadable.js';

/** Listens on any port, and prints on this stream what frameworks do. */
const listening = (stream: 'log' | 'error'): string => `
import { createServer } from 'node:http';
createServer((_, res) => res.end()).listen(0, '127.0.0.1', function () {
  console.${stream}('Server listening on http://localhost:' + this.address().port);
});
`;
const PATIENCE = { deadline: 60_000 };

for (const stream of ['log', 'error'] as const) {
  test(`P7 a server that prints its URL by console.${stream} and answers nothing: the log has the --upstream for it`, async (t) => {
    const files = project(t, { 'server.mjs': listening(stream) });
    const proxy = startProxy(t, {
      options: ['--start-timeout', '1000'],
      command: [process.execPath, 'server.mjs'],
      cwd: files.directory,
    });
    const opened = proxy.initialize();
    const advice = /it printed "(http:\/\/localhost:\d+)" .*add --upstream '\1\/mcp' to the options of mcp-hotline; /;
    const warning = await proxy.waitForLog(/the server has not answered for 3 s: /, PATIENCE);
    assert.match(warning, advice);
    await opened;
    const { result } = await proxy.request('tools/call', { name: 'any', arguments: {} }, PATIENCE);
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /has not answered the handshake for 6 s, but is still running: it printed/);
    assert.match(result.content[0].text, advice);
    assert.equal(proxy.stderr().match(/has not answered for 3 s/g)?.length, 1);
  });
}

test('P7 so it is said of a command that has spoken on its pipes before, whose answer is remembered', async (t) => {
  const files = project(t, reloadable('one'));
  const options = ['--state-dir', files.path('state'), '--start-timeout', '1000'];
  const start = () => startProxy(t, { options, command: [process.execPath, 'server.mjs'], cwd: files.directory });
  const before = start();
  await before.initialize();
  before.end();
  await before.exit();
  files.write('server.mjs', listening('log'));
  const proxy = start();
  await proxy.initialize();
  const warning = await proxy.waitForLog(/the server has not answered for 3 s: /, PATIENCE);
  assert.match(warning, /add --upstream 'http:\/\/localhost:\d+\/mcp'/);
});
