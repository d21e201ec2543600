/** The answers that go to no server: their bodies, with the client's own id, and their words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bodyTooLarge,
  ending,
  type Fault,
  legacyServerOnly,
  methodNotAllowed,
  methodNotFound,
  noMessage,
  notJson,
  nothingHere,
  parseError,
  replyTo,
  tooManyRequests,
  tooManySessions,
} from '#src/front/http/replies.js';

test('an error has the id as the client spelt it, and null without one', () => {
  const fault: Fault = { status: 400, code: -32022, message: 'Say "x"', data: { supported: ['a'], requested: 'b' } };
  const body = (id?: string): string => replyTo(fault, id).body;
  const error = '{"code":-32022,"message":"Say \\"x\\"","data":{"supported":["a"],"requested":"b"}}';
  assert.equal(body('12345678901234567890'), `{"jsonrpc":"2.0","error":${error},"id":12345678901234567890}`);
  assert.equal(body('1.0'), `{"jsonrpc":"2.0","error":${error},"id":1.0}`);
  assert.equal(body('"\\u0061"'), `{"jsonrpc":"2.0","error":${error},"id":"\\u0061"}`);
  assert.equal(body(), `{"jsonrpc":"2.0","error":${error},"id":null}`);
});

test('headers of the fault are headers of the reply, and the type is said', () => {
  assert.deepEqual(replyTo(methodNotAllowed('GET, POST, DELETE'), '1'), {
    status: 405,
    headers: {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      Allow: 'GET, POST, DELETE',
    },
    body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Method not allowed."},"id":1}',
  });
});

test('what is no answer to JSON-RPC is plain text', () => {
  const { status, headers, body } = replyTo(nothingHere);
  assert.deepEqual([status, headers['Content-Type']], [404, 'text/plain; charset=utf-8']);
  assert.equal(body, 'There is nothing at this path. MCP is at /mcp, HTTP+SSE at /sse.\n');
});

for (const [fault, status, code, words] of [
  [bodyTooLarge(1024), 413, -32700, /longer than 1024 bytes.*--max-message/],
  [notJson, 415, -32000, /Content-Type must be application\/json/],
  [tooManyRequests(100), 429, -32000, /100 requests/],
  [tooManySessions(64), 503, -32000, /64 sessions.*--max-sessions/],
  [ending, 503, -32000, /ending/],
  [legacyServerOnly, 400, -32000, /^Bad Request: Server not initialized$/],
  [methodNotFound, 404, -32601, /^Method not found$/],
  [parseError, 400, -32700, /^Parse error: Invalid JSON$/],
  [noMessage, 400, -32600, /JSON-RPC 2\.0 message/],
] as const) {
  test(`${status} ${code}: ${words.source}`, () => {
    assert.deepEqual([fault.status, fault.code], [status, code]);
    assert.match(fault.message, words);
  });
}

test('after a body that is too long, the connection stays: who still sends would not see the answer', () => {
  assert.equal(replyTo(bodyTooLarge(1)).headers['Connection'], undefined);
});
