// The stream of a server that belongs to no request, and connections that are kept: what a server does to them between
// two messages is never noticed by the client. The server is the test's own, and somebody else's to the proxy.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { startProxy, type Started } from '../../support/harness.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const answers = (method: string): object =>
  method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'any', version: '1' } }
    : { content: [{ type: 'text', text: method }] };

/** POSTs are answered; the rest is for the test. */
async function before(t: TestContext, get: Handle, after: Handle = () => {}): Promise<Started> {
  const http = createServer((request, response) => {
    if (request.method === 'GET') return get(request, response);
    if (request.method !== 'POST') return void response.writeHead(200).end();
    void request.toArray().then((chunks) => {
      const { id, method } = JSON.parse(String(Buffer.concat(chunks as Buffer[]))) as { id?: string; method: string };
      response.once('finish', () => after(request, response));
      if (id === undefined) return response.writeHead(202).end();
      const headers = { 'content-type': 'application/json', 'mcp-session-id': 'a-session' };
      return response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result: answers(method) }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  cleanup(t, () => {
    http.close();
    http.closeAllConnections();
  });
  const { port } = http.address() as AddressInfo;
  const proxy = startProxy(t, { command: [], options: ['--upstream', `http://127.0.0.1:${port}/mcp`] });
  await proxy.initialize();
  return proxy;
}

test('P1 a stream that ends is opened again where it ended, as soon as the server wants it', async (t) => {
  const opened: { last: string | undefined; at: number }[] = [];
  const message = (text: string): string =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: text } });
  const proxy = await before(t, ({ headers }, response) => {
    const last = headers['last-event-id'];
    opened.push({ last: last === undefined ? undefined : String(last), at: performance.now() });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const number = opened.length;
    response.write(`id: place-${number}\nretry: 40\ndata: ${message(`news ${number}`)}\n\n`);
    if (number < 3) response.end();
  });
  for (const number of [1, 2, 3])
    await proxy.waitFor(({ params }) => params?.data === `news ${number}`, `the news of stream ${number}`);
  assert.deepEqual(
    opened.map(({ last }) => last),
    [undefined, 'place-1', 'place-2'],
  );
  for (const number of [1, 2]) assert.ok(opened[number]!.at - opened[number - 1]!.at >= 35, 'not before its time');
});

test('P1 a server that closes its connections after each answer, without a word, loses no call', async (t) => {
  let closed: Promise<unknown> = Promise.resolve();
  const close: Handle = ({ socket }) => {
    closed = once(socket, 'close');
    setImmediate(() => socket.end());
  };
  const proxy = await before(t, (_, response) => void response.writeHead(405).end(), close);
  for (let call = 0; call < 30; call++) {
    const { result } = await proxy.request('tools/call', { name: 'any', arguments: {} });
    assert.equal(result?.content[0].text, 'tools/call', proxy.transcript());
    await closed;
  }
});
