// What counts as a message to the strict client of the smoke test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMessage } from '#src/smoke/message.js';

const read = (line: string): object => readMessage(Buffer.from(line));

test('requests, notifications, results and errors are told apart', () => {
  assert.deepEqual(read('{"jsonrpc":"2.0","id":0,"method":"a"}'), { kind: 'request', id: 0, method: 'a' });
  assert.deepEqual(read('{"jsonrpc":"2.0","method":"a"}'), { kind: 'notification', method: 'a' });
  assert.deepEqual(read('{"jsonrpc":"2.0","id":"x","result":null}'), { kind: 'result', id: 'x', result: null });
  const error = { code: -32601, message: 'no', data: undefined };
  assert.deepEqual(read('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}'), {
    kind: 'error',
    id: null,
    error,
  });
});

const faulty: readonly [line: string, fault: RegExp][] = [
  ['hello', /^a line is not JSON: hello$/],
  ['', /is not JSON/],
  ['"hello"', /is not a JSON-RPC message/],
  ['[{"jsonrpc":"2.0","method":"a"}]', /is a batch/],
  ['{"id":1,"result":{}}', /lacks "jsonrpc":"2\.0"/],
  ['{"jsonrpc":"2.0"}', /has neither method nor id/],
  ['{"jsonrpc":"2.0","id":1}', /has not just one of result and error/],
  ['{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}', /has not just one of result and error/],
  ['{"jsonrpc":"2.0","id":1,"error":"no"}', /has an error without code or message/],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}', /has an error without code or message/],
  ['{"jsonrpc":"2.0","id":{},"method":"a"}', /has an id that is not a string or number/],
  ['{"jsonrpc":"2.0","id":null,"method":"a"}', /has an id that is not a string or number/],
  ['{"jsonrpc":"2.0","id":true,"result":1}', /has neither method nor id/],
  ['{"jsonrpc":"2.0","method":7}', /has a method that is not a string/],
];

for (const [line, fault] of faulty) {
  test(`no message: ${line}`, () => {
    const message = readMessage(Buffer.from(line));
    assert.ok(message.kind === 'fault');
    assert.match(message.fault, fault);
  });
}

test('bytes that are no UTF-8 are no message, and long lines are quoted in part', () => {
  const bytes = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  assert.equal(readMessage(bytes).kind, 'fault');
  const long = readMessage(Buffer.from('x'.repeat(10_000)));
  assert.ok(long.kind === 'fault' && long.fault.length < 300);
});
