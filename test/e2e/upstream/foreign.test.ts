// A server that somebody else starts and restarts (`--upstream <url>` without a command): the session stays, what is
// asked while it is away waits, and clients hear of what has changed.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { foreignServer, type ForeignServer } from '../../support/foreign-server.js';
import { startProxy, type Started } from '../../support/harness.js';
import { kinds, unusedPort, type Kind } from '../../support/upstream-project.js';
import { served } from '../http/served.js';
import { connect } from '../modern/sdk.js';

const PATIENCE = { deadline: 60_000 };
const LIST_CHANGED = 'notifications/tools/list_changed';

function proxied(t: TestContext, { files, url }: ForeignServer, ...options: string[]): Started {
  return startProxy(t, { cwd: files.directory, command: [], options: ['--upstream', url, ...options] });
}

async function call(proxy: Started, name = 'answer'): Promise<string> {
  const { result, error } = await proxy.request('tools/call', { name, arguments: {} }, PATIENCE);
  return error === undefined ? (result.content[0].text as string) : `error: ${error.message}`;
}

describe('servers that somebody else starts', { concurrency: 2 }, () => {
  for (const kind of Object.keys(kinds) as Kind[]) {
    test(`P1 P9 a restart is noticed by a client that asks nothing, and a call meanwhile waits: ${kind}`, async (t) => {
      const server = await foreignServer(t, kind);
      await server.start();
      const proxy = proxied(t, server);
      await proxy.initialize();
      assert.equal(await call(proxy), 'one');
      await proxy.request('tools/list');

      await server.stop();
      await proxy.waitForLog(/the server can't be reached at http/, PATIENCE);
      server.say({ answer: 'two', tools: ['answer', 'other'] });
      await server.start();
      await proxy.waitFor(({ method }) => method === LIST_CHANGED, 'list_changed', PATIENCE);
      assert.equal(await call(proxy, 'other'), 'two');
      await proxy.request('tools/list');

      const from = proxy.stderr().split('\n').length - 1;
      await server.stop();
      const waiting = call(proxy);
      await proxy.waitForLog(/the server can't be reached at http/, { ...PATIENCE, from });
      server.say({ answer: 'three', tools: ['answer', 'other'] });
      await server.start();
      assert.equal(await waiting, 'three');
      await proxy.waitForLog(/is back/, { ...PATIENCE, from });
      assert.equal(proxy.messages.filter(({ message }) => message.method === LIST_CHANGED).length, 1);
      assert.deepEqual(proxy.duplicates, []);
    });
  }

  test('P7 a server that is not there yet is named, and its tools come when it is', async (t) => {
    const server = await foreignServer(t, 'v1 stateful');
    const proxy = proxied(t, server, '--start-timeout', '200');
    await proxy.initialize();
    const words = await call(proxy);
    assert.ok(words.includes(`cannot be used at the moment: \`${server.url}\` has not answered`), words);
    assert.match(
      words,
      /the connection was refused.*\nThe tool was not executed\. mcp-hotline does not start this server/,
    );
    const before = await proxy.request('tools/list');
    assert.ok(!JSON.stringify(before).includes('"answer"'), proxy.transcript());
    await server.start();
    await proxy.waitFor(({ method }) => method === LIST_CHANGED, 'list_changed', PATIENCE);
    assert.equal(await call(proxy), 'one');
  });

  test('P12 a call waits no longer than --hold, and what was lost with the server is told', async (t) => {
    const server = await foreignServer(t, 'v1 stateful');
    await server.start();
    const proxy = proxied(t, server, '--hold', '1000');
    await proxy.initialize();
    const file = server.files.path('never');
    const lost = proxy.request('tools/call', {
      name: 'effect',
      arguments: { file: server.files.path('ran'), until: file },
    });
    await call(proxy);
    await server.stop();
    const { result } = await lost;
    assert.match(
      result.content[0].text,
      /was lost while the tool "effect" was running .* may or may not have taken effect/,
    );
    assert.match(
      await call(proxy),
      /error: The MCP server can't be reached \(.*\), and this request has waited [\d.]+ s for it\. It was not executed/,
    );
    await server.start();
    assert.equal(await call(proxy), 'one');
  });

  test('P13 a server that waits at its end for open streams is not kept from going', async (t) => {
    for (const kind of ['v1 stateful', 'v1 SSE'] as const) {
      const server = await foreignServer(t, kind, { WAITS: '1' });
      await server.start();
      const proxy = proxied(t, server);
      await proxy.initialize();
      await proxy.request('tools/list');
      await server.stop('SIGTERM');
      server.say({ answer: 'two' });
      await server.start();
      assert.equal(await call(proxy), 'two', kind);
    }
  });

  test('P13 at the end the session is ended there, and nobody is signalled', async (t) => {
    const asked: string[] = [];
    const port = await unusedPort();
    const http = createServer((request, response) => {
      asked.push(`${request.method} ${String(request.headers['mcp-session-id'] ?? '-')}`);
      void request.toArray().then((chunks) => {
        if (request.method !== 'POST') return response.writeHead(request.method === 'GET' ? 405 : 200).end();
        const { id, method } = JSON.parse(String(Buffer.concat(chunks as Buffer[]))) as { id?: number; method: string };
        if (id === undefined) return response.writeHead(202).end();
        const info = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'any', version: '1' } };
        const result = method === 'initialize' ? info : {};
        const headers = {
          'content-type': 'application/json',
          ...(method === 'initialize' && { 'mcp-session-id': 's1' }),
        };
        return response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    cleanup(t, () => http.close());
    for (const end of ['stdin', 'signal'] as const) {
      asked.length = 0;
      const proxy = startProxy(t, { command: [], options: ['--upstream', `http://127.0.0.1:${port}/mcp`] });
      await proxy.initialize();
      await proxy.request('ping');
      if (end === 'stdin') proxy.end();
      else proxy.kill('SIGTERM');
      await proxy.exit();
      assert.ok(asked.includes('DELETE s1'), `${end}: ${asked.join()}`);
    }
  });

  test('P9 P16 modern clients over HTTP hear of a restart by the stream that they have open', async (t) => {
    const server = await foreignServer(t, 'v2');
    await server.start();
    const options = ['--upstream', server.url];
    const { url } = await served(t, {}, { command: [], options, watches: false });
    const sdk = await connect(t, 'v2 pinned', { url });
    const names = await sdk.tools();
    assert.equal(await sdk.call('answer'), 'one');
    for (const [answer, other] of [
      ['two', 'other'],
      ['three', 'another'],
    ] as const) {
      await server.stop();
      server.say({ answer, tools: ['answer', other] });
      await server.start();
      await sdk.changed('answer', other, ...names.slice(1));
      assert.equal(await sdk.call(other), answer);
    }
  });
});
