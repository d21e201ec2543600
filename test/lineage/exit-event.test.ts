/** What the end of a server means, by its exit code and its life. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOf, type Life } from '#src/lineage/exit-event.js';

const life: Life = {
  hasAnswered: true,
  wasEdited: false,
  hasClientLeft: false,
  isAwaited: false,
  isProbed: false,
  endsWithServer: false,
  ranMs: 5000,
};

const cases: [code: number | null, life: Partial<Life>, meaning: string][] = [
  [0, {}, 'leaves'],
  [0, { ranMs: 4999 }, 'exit'],
  [0, { wasEdited: true, ranMs: 3_600_000 }, 'exit'],
  [0, { wasEdited: true, ranMs: 1, hasClientLeft: true }, 'leaves'],
  [0, { hasAnswered: false }, 'start'],
  [42, {}, 'restarts'],
  [42, { hasAnswered: false }, 'start'],
  [1, {}, 'crash'],
  [null, {}, 'crash'],
  [null, { hasClientLeft: true }, 'crash'],
  [0, { isAwaited: true }, 'restarts'],
  [0, { isAwaited: true, ranMs: 4999 }, 'exit'],
  [1, { isAwaited: true }, 'crash'],
  [1, { isProbed: true, hasAnswered: false }, 'restarts'],
  [1, { endsWithServer: true }, 'leaves'],
  [0, { endsWithServer: true, hasAnswered: false }, 'leaves'],
];

for (const [code, more, meaning] of cases) {
  test(`P7 P15 exit code ${code} with ${JSON.stringify(more)}: ${meaning}`, () => {
    assert.equal(meaningOf(code, { ...life, ...more }), meaning);
  });
}
