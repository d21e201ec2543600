// Outputs told from edits over the attempts of one lineage and of several: the truth table of output-detector.ts row by
// row, what makes a file an output and what a source again, and that it all comes to an end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ATTEMPTS_UNTIL_OUTPUT,
  OutputDetector,
  consequenceOf,
  type AttemptHistory,
  type Consequence,
  type Occasion,
  type Standing,
} from '#src/project/edits/output-detector.js';

const standings: readonly Standing[] = ['output', 'unstable', 'suspect', 'source'];
const table: [Occasion, ...Consequence[]][] = [
  ['attempt', 'go on', 'go on', 'go on', 'start over'],
  ['end', 'go on', 'count later', 'start over', 'start over'],
  ['pause', 'start over', 'start over', 'start over', 'start over'],
  ['shared pause', 'go on', 'go on', 'go on', 'go on'],
  ['rest', 'reload', 'reload', 'reload', 'reload'],
  ['other attempt', 'accept', 'reload', 'reload', 'reload'],
];
for (const [occasion, ...expected] of table) {
  test(`P6 what a change leads to: ${occasion}`, () => {
    assert.deepEqual(
      standings.map((standing) => consequenceOf(occasion, standing)),
      expected,
    );
  });
}

/** Attempts of one lineage, one after the other, on a clock of their own. */
class Lineage {
  static now = 1_000_000;
  readonly history: AttemptHistory;

  constructor(detector: OutputDetector) {
    this.history = detector.attach();
  }

  /** Returns how it ended. */
  attempt(changed: readonly string[], { tookMs = 50, resaved = false } = {}) {
    this.history.begin(Lineage.now);
    Lineage.now += tookMs;
    return this.history.end(changed, resaved, Lineage.now);
  }

  attempts(count: number, ...changed: string[]) {
    let newOutputs: readonly string[] = [];
    for (let attempt = 0; attempt < count; attempt++) newOutputs = this.attempt(changed).newOutputs;
    return newOutputs;
  }

  standings(...files: string[]) {
    return files.map((file) => this.history.standingOf(file));
  }

  /** Seen at rest, long after the last attempt. */
  edit(...changed: string[]) {
    Lineage.now += 2000;
    this.history.recordAtRest(changed, Lineage.now);
  }
}

const alone = () => new Lineage(new OutputDetector());

test('P6 a file that changes in attempt after attempt is taken for an output once, and then is good', () => {
  const one = alone();
  assert.equal(one.history.isSuperseded(['a'], false), true);
  assert.deepEqual(one.attempts(ATTEMPTS_UNTIL_OUTPUT - 1, 'a'), []);
  assert.deepEqual([one.history.isSuperseded(['a'], false), ...one.standings('a')], [false, 'suspect']);
  assert.equal(one.history.isSuperseded(['a'], true), true);
  const last = one.attempt(['a', 'b']);
  assert.deepEqual([last.newOutputs, last.verdict], [['a'], 'undecided']);
  assert.deepEqual(one.standings('a', 'b'), ['output', 'suspect']);
  assert.deepEqual([one.attempt(['a']).verdict, one.attempt(['a']).newOutputs], ['stands', []]);
  assert.equal(one.attempt(['a'], { resaved: true }).verdict, 'undecided');
});

test('P6 an attempt that is superseded counts once for each file, however often it is looked at', () => {
  const one = alone();
  one.history.begin(Lineage.now);
  for (let look = 0; look < 9; look++) assert.deepEqual(one.history.recordSuperseded(['a', `${look}`]), []);
  assert.equal(one.attempts(ATTEMPTS_UNTIL_OUTPUT - 2, 'a').length, 0);
  assert.deepEqual(one.attempt(['a']).newOutputs, ['a']);
});

test('P6 two files that change in turns are both taken for outputs', () => {
  const one = alone();
  for (let turn = 1; turn < ATTEMPTS_UNTIL_OUTPUT; turn++) for (const file of ['a', 'b']) one.attempt([file]);
  assert.deepEqual([one.attempt(['a']).newOutputs, one.attempt(['b']).newOutputs], [['a'], ['b']]);
});

test('P6 an edit in a pause, or an attempt in which nothing changes, clears a file of all suspicion', () => {
  const one = alone();
  one.attempts(ATTEMPTS_UNTIL_OUTPUT - 1, 'a', 'b');
  one.history.beginPause();
  assert.deepEqual([one.history.isSuperseded([], true), one.history.isSuperseded(['a'], false)], [false, true]);
  assert.equal(one.history.endPause(['a']), true);
  assert.deepEqual(one.attempt(['a', 'b']).newOutputs, ['b']);
  one.attempt([]);
  assert.deepEqual([one.standings('a'), one.attempts(ATTEMPTS_UNTIL_OUTPUT - 1, 'a')], [['source'], []]);
});

test('P6 an output that somebody edits is a source again, but not by a change right after an attempt', () => {
  const one = alone();
  one.attempts(ATTEMPTS_UNTIL_OUTPUT, 'a');
  one.attempt([]);
  one.history.recordAtRest(['a'], Lineage.now + 900);
  assert.deepEqual(one.standings('a'), ['output']);
  one.edit('a');
  assert.deepEqual(one.standings('a'), ['source']);
});

for (const [what, tookMs] of Object.entries({ fast: 50, slow: 4000, 'very slow': 15_000 })) {
  test(`P6 a file that changes all the time does not keep calls waiting as long as --hold, with ${what} reloads`, () => {
    const one = alone();
    const began = Lineage.now;
    let attempts = 1;
    for (let end = one.attempt(['a'], { tookMs }); end.verdict === 'undecided'; end = one.attempt(['a'], { tookMs })) {
      assert.ok(attempts++ < 8, 'there is no end');
      // Changed at rest too, so that it is no output.
      one.edit('a');
    }
    assert.ok(attempts >= 2, `${attempts} attempts`);
    assert.ok(Lineage.now - began < 50_000 || attempts <= 4, `${Lineage.now - began} ms`);
    assert.deepEqual(one.standings('a', 'b'), ['unstable', 'source']);
    // It delays no attempt, counts afterwards, and is let off once it rests.
    assert.deepEqual([one.history.isSuperseded(['a'], false), one.attempt(['a']).verdict], [false, 'unstable']);
    assert.deepEqual([one.attempt([]).verdict, ...one.standings('a')], ['stands', 'source']);
  });
}

test('P6 what one lineage has found to be an output is one for all, and no change for those at rest', () => {
  const detector = new OutputDetector();
  const [one, other] = [new Lineage(detector), new Lineage(detector)];
  one.attempts(ATTEMPTS_UNTIL_OUTPUT, 'a');
  assert.deepEqual([other.standings('a'), detector.acceptable(['a', 'b'])], [['output'], ['a']]);
  assert.deepEqual([other.attempt(['a']).verdict, other.attempt(['b']).verdict], ['stands', 'undecided']);
});

test('P6 while another lineage attempts, a change at rest proves no edit; afterwards it does, for all', () => {
  const detector = new OutputDetector();
  const [one, other] = [new Lineage(detector), new Lineage(detector)];
  one.attempts(ATTEMPTS_UNTIL_OUTPUT, 'a');
  other.history.begin(Lineage.now);
  one.edit('a');
  assert.deepEqual(one.standings('a'), ['output']);
  other.history.end([], false, Lineage.now);
  one.history.recordAtRest(['a'], Lineage.now + 900);
  assert.deepEqual(one.standings('a'), ['output']);
  one.edit('a');
  assert.deepEqual([one.standings('a'), other.standings('a')], [['source'], ['source']]);
});

test('P4 a pause in which another lineage attempts proves nothing: no edit, and no output after it', () => {
  const detector = new OutputDetector();
  const [one, other] = [new Lineage(detector), new Lineage(detector)];
  one.attempts(ATTEMPTS_UNTIL_OUTPUT - 1, 'a');
  for (let pauses = 0; pauses < 9; pauses++) {
    one.history.beginPause();
    other.history.begin(Lineage.now);
    assert.equal(one.history.isSuperseded(['a'], false), false);
    assert.equal(one.history.endPause(['a']), false);
    assert.deepEqual(one.attempt(['a']).newOutputs, []);
    other.history.close();
  }
  one.history.beginPause();
  assert.equal(one.history.endPause([]), true);
  assert.deepEqual(one.attempt(['a']).newOutputs, ['a']);
});

test('P6 lineages pause as long as the one that needs the longest pause, so that they pause together', () => {
  const detector = new OutputDetector();
  const [one, other] = [new Lineage(detector), new Lineage(detector)];
  one.attempts(ATTEMPTS_UNTIL_OUTPUT - 1, 'a');
  assert.equal(other.attempt(['a']).pauseMs, 1000);
  detector.detach(one.history);
  assert.equal(other.attempt(['a'], { tookMs: 700 }).pauseMs, 700);
});
