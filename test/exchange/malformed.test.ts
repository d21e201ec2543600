/** Lines of the client that are no messages: what is said of them, and which are answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterLineText } from '#src/agent/failure.js';
import { lineFaultText } from '#src/agent/line-faults.js';
import { fromClient } from '#src/exchange/from-client.js';
import { lastMalformed, asMeant, faultOf } from '#src/exchange/malformed.js';
import { Message } from '#src/wire/message.js';
import { play, type Play } from './play.js';

const faults: [line: string, fault: RegExp][] = [
  ['hello', /is not JSON$/],
  ['{"jsonrpc":"2.0",', /is not JSON$/],
  ['7', /not an object/],
  ['[]', /empty batch/],
  ['[1]', /batch with something else/],
  ['{"id":1,"method":"x"}', /no member "jsonrpc"/],
  ['{"jsonrpc":"2.0","id":{},"method":"x"}', /neither a string nor a number/],
  ['{"jsonrpc":"2.0","id":1}', /neither a method nor a result/],
];

for (const [line, fault] of faults) {
  test(`${line}: its fault is named`, () => assert.match(lineFaultText(faultOf(Message.fromJson(line))), fault));
}

/** A served desk, and what it sends for a line that is told to be one thing or the other. */
function serving(): Play {
  const game = play();
  game.lineage.serving = game.upstream(1);
  game.lineage.isHolding = false;
  return game;
}

for (const id of ['true', '{}', '[1]']) {
  test(`P1 a request with the id ${id} is answered -32600, and goes to no server`, () => {
    const game = serving();
    fromClient(game.session, Message.fromJson(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
    const [[to, message] = ['', {}], ...rest] = game.take();
    assert.deepEqual([to, rest.length], ['client', 0]);
    assert.deepEqual((message as { id: null; error: { code: number } }).error.code, -32600);
    assert.equal((message as { id: null }).id, null);
  });
}

test('P14 what is wrong with a line is told once a kind, with its length and nothing of its content', () => {
  const game = serving();
  const lines = ['a secret', 'another secret', '{"secret":1}'];
  for (const text of lines) fromClient(game.session, Message.fromJson(text));
  assert.deepEqual(
    game.lines,
    lines.map((text) => `${text}\n`),
    'each is passed on as it is',
  );
  assert.equal(game.warnings.length, 2);
  assert.match(game.warnings[0]!, /a line of 9 bytes that is not JSON/);
  assert.doesNotMatch(game.warnings.join(), /secret/);
  assert.match(afterLineText(lastMalformed(game.session, game.upstream(1))!), /13 bytes.*no member "jsonrpc"/);
  assert.equal(lastMalformed(game.session, game.upstream(2)), undefined, 'another server did not get it');
  game.now = 1001;
  assert.equal(lastMalformed(game.session, game.upstream(1)), undefined, 'it was long ago');
});

const meanings: [line: string, meant: object][] = [
  ['{"id":1,"method":"x"}', { kind: 'request', id: '1', method: 'x' }],
  [
    '{"jsonrpc":"1.0","method":"x","id":98765432109876543210}',
    { kind: 'request', id: '98765432109876543210', method: 'x' },
  ],
  ['{"method":"notifications/x"}', { kind: 'notification', method: 'notifications/x' }],
  ['{"id":"a","result":{}}', { kind: 'response', id: '"a"', error: false }],
  ['{"id":"a","error":{}}', { kind: 'response', id: '"a"', error: true }],
  ['{"jsonrpc":"2.0","id":null,"method":"notifications/x"}', { kind: 'notification', method: 'notifications/x' }],
  ['{"jsonrpc":"2.0","id":null,"method":"x"}', { kind: 'request', id: 'null', method: 'x' }],
  ['{"jsonrpc":"2.0","id":1,"method":"notifications/x"}', { kind: 'request', id: '1', method: 'notifications/x' }],
  ['{"jsonrpc":"2.0","id":true,"method":"x"}', { kind: 'invalid' }],
  ['{"id":true,"method":"x"}', { kind: 'invalid' }],
  ['{"id":1}', { kind: 'invalid' }],
  ['[{"id":1,"method":"x"}]', { kind: 'invalid' }],
  ['null', { kind: 'invalid' }],
  ['{"id":1,"method":"x"', { kind: 'invalid' }],
];

for (const [text, meant] of meanings) {
  test(`P2 ${text} is taken for what it is meant to be`, () => {
    assert.deepEqual(asMeant(serving().session, Message.fromJson(text)).envelope, meant);
  });
}
