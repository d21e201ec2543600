// Which protocol version a client is told in place of a server, by what that server answered when it ran before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { negotiate } from '#src/exchange/opening-answers.js';

const [oldest, older, latest] = ['2024-11-05', '2025-06-18', '2025-11-25'];

test('P7 the protocol version is the one that the server would have answered with', () => {
  for (const [asked, seen, told, why] of [
    [older, {}, older, 'nothing is known'],
    [older, { [older]: older }, older, 'as it was'],
    [latest, { [latest]: older }, older, 'as it was'],
    [latest, { [older]: older }, latest, 'it may know a later one'],
    [older, { [latest]: oldest }, oldest, 'its latest is the oldest'],
    [oldest, { [latest]: older }, oldest, 'one that is older than its latest'],
    [latest, { [oldest]: older }, older, 'its latest is later than what was asked for then, and earlier than this'],
    ['toString', {}, 'toString', 'no member of ours'],
  ] as const) {
    assert.equal(negotiate(asked, seen), told, why);
  }
});
