// How long attempts are made again because a file changed in each of them: P6 over time. Which files are outputs is
// outputs.test.ts's.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Doubts } from '#src/project/edits/output-detector.js';

/**
 * Attempts that each take so long, and in each of which an edit is seen in the pause and the file changes: how many
 * until one stands?
 */
function attemptsUntilOver(t: TestContext, tookMs: number): { attempts: number; ms: number; warnings: number } {
  let now = 1_000_000;
  t.mock.method(performance, 'now', () => now);
  let warnings = 0;
  const events = { emit: () => void warnings++ };
  const doubts = new Doubts(events, {
    check: () => Promise.resolve(),
    mark: () => ({}),
    changedSince: () => ['a'],
    release: () => {},
  });
  for (let attempts = 1; attempts < 1000; attempts++) {
    doubts.begin();
    now += tookMs;
    if (doubts.ended(['a'], false) !== 'in doubt') return { attempts, ms: now - 1_000_000, warnings };
    // Changed at rest too, so that it is no output.
    now += 2000;
    doubts.edited(['a']);
  }
  assert.fail('there is no end');
}

for (const [what, tookMs] of Object.entries({ fast: 50, slow: 4000, 'very slow': 15_000 })) {
  test(`P6 settles: a file that changes all the time does not keep calls waiting as long as --hold, with ${what} reloads`, (t) => {
    const { attempts, ms, warnings } = attemptsUntilOver(t, tookMs);
    assert.ok(attempts >= 2 && attempts <= 8, `${attempts} attempts`);
    assert.ok(ms < 50_000 || attempts <= 4, `${ms} ms`);
    assert.equal(warnings, 1);
  });
}
