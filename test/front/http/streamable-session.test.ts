// A session over Streamable HTTP: its streams, and how it begins and ends, before a home that answers by hand.
import assert from 'node:assert/strict';
import test from 'node:test';
import { answerTo, SESSION } from '#src/channel/channel.js';
import { error, notification, result } from '#src/wire/json-rpc.js';
import { startFront, type Fronted, type Served } from './fronted.js';

const VERSION = '2025-11-25';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

test('P2 a session is open though the server said something before it answered initialize', async (t) => {
  const front = await startFront(t);
  const { served, response } = await initialize(front);
  served.channel.send(notification('notifications/message', { level: 'info', data: 'hello' }), SESSION);
  served.channel.send(result('0', { protocolVersion: VERSION, capabilities: {} }), answerTo('0'));
  const answer = await response;
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const session = String(answer.headers.get('mcp-session-id'));
  assert.match(await answer.text(), /hello[\s\S]*protocolVersion/);
  // The stream of such a session begins with an event that tells where to resume: its version is known.
  const stream = await fetch(`${front.url}/mcp`, { headers: { ...HEADERS, 'mcp-session-id': session } });
  const first = await stream.body?.getReader().read();
  assert.match(new TextDecoder().decode(first?.value as Uint8Array), /^id: 0\ndata: /);
});

test('a session that was refused is none, though the server said something before', { timeout: 60_000 }, async (t) => {
  const front = await startFront(t);
  const { served, response } = await initialize(front);
  served.channel.send(notification('notifications/message', { level: 'info', data: 'hello' }), SESSION);
  served.channel.send(error('0', -32602, 'no'), answerTo('0'));
  const answer = await response;
  assert.match(await answer.text(), /"no"/);
  const session = String(answer.headers.get('mcp-session-id'));
  await served.left;
  const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const headers = { ...HEADERS, 'mcp-session-id': session };
  const { status } = await fetch(`${front.url}/mcp`, { method: 'POST', headers, body });
  assert.equal(status, 404);
});

async function initialize(front: Fronted): Promise<{ served: Served; response: Promise<Response> }> {
  const client = front.client();
  const response = fetch(`${front.url}/mcp`, { method: 'POST', headers: HEADERS, body: INITIALIZE });
  return { served: await client, response };
}
