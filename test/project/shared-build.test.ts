// One run of a build for all lineages that need it: who joins, who does not, and when it is ended.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SharedBuild, type BuildStep, type SharedOutcome } from '#src/project/shared-build.js';
import { deferred } from '../support/waits.js';

const subject = { fingerprint: 'f1', build: 'make', version: 7 };
const built: BuildStep = { kind: 'built', skipped: false };
const last = { rule: 'server', at: '', ms: 1, files: [], ok: true };

/** A build that ends when it is told to, by a clock that stands still unless it is set. */
function started(t: TestContext, { rebuild = false } = {}) {
  const clock = { now: 1000 };
  t.mock.method(performance, 'now', () => clock.now);
  const outcome = deferred<SharedOutcome>('the end of the build', () => '');
  const told: string[] = [];
  let signal: AbortSignal | undefined;
  const shared = new SharedBuild(subject, rebuild, async (over, onBuilt) => {
    signal = over;
    const end = await outcome.promise;
    onBuilt(last);
    return end;
  });
  const end = (step: BuildStep, isDisturbed = false): void => outcome.resolve({ step, isDisturbed });
  const onBuilt = (name: string) => () => void told.push(name);
  return { shared, clock, told, end, onBuilt, isAborted: () => signal?.aborted === true };
}

const never = new AbortController().signal;

test('P6 who needs the same build joins it, and hears of it once', async (t) => {
  const { shared, end, told, onBuilt } = started(t);
  const lead = shared.lead(never, onBuilt('one'));
  const joined = shared.join(never, onBuilt('other'));
  assert.deepEqual([shared.isJoined, shared.isOver], [true, false]);
  end(built);
  assert.deepEqual(await Promise.all([lead, joined]), [built, built]);
  assert.deepEqual([told, shared.isOver], [['one', 'other'], true]);
  assert.deepEqual(await shared.join(never, onBuilt('late')), built);
  assert.deepEqual(told, ['one', 'other', 'late']);
});

test('P6 an attempt that began while the build ran is served by it also after its end; a later one is not', async (t) => {
  const { shared, end, clock, onBuilt } = started(t);
  const lead = shared.lead(never, onBuilt('one'));
  const asks = (began: number, more: object = {}) =>
    shared.serves({ ...subject, ...more }, { rebuild: false, began, isForChange: false });
  assert.deepEqual(
    [asks(900), asks(1500), asks(900, { fingerprint: 'f2' }), asks(900, { build: 'other' })],
    [true, true, false, false],
  );
  clock.now = 2000;
  end({ kind: 'failed', failure: { kind: 'build', command: 'make', cause: { kind: 'not-runnable' }, output: '' } });
  await lead;
  assert.deepEqual([asks(900), asks(1999), asks(2000), asks(2500)], [true, true, false, false]);
});

test('P6 a save that the build has failed with is not tried again by those who notice it later; a retry is tried', async (t) => {
  const { shared, end, clock, onBuilt } = started(t);
  const lead = shared.lead(never, onBuilt('one'));
  clock.now = 2000;
  end({ kind: 'failed', failure: { kind: 'build', command: 'make', cause: { kind: 'not-runnable' }, output: '' } });
  await lead;
  const asks = (version: number, more: object = {}) =>
    shared.serves({ ...subject, version }, { rebuild: false, began: 2500, isForChange: true, ...more });
  assert.deepEqual(
    [asks(7), asks(8), asks(7, { isForChange: false }), asks(7, { rebuild: true })],
    [true, false, false, false],
  );
});

test('a rebuild is served by a rebuild only that was begun after it was asked for', (t) => {
  const plain = started(t).shared;
  const again = started(t, { rebuild: true }).shared;
  const asks = (shared: SharedBuild, began: number) =>
    shared.serves(subject, { rebuild: true, began, isForChange: true });
  assert.deepEqual([asks(plain, 900), asks(again, 900), asks(again, 1001)], [false, true, false]);
});

test('P4 what was built of files that were saved meanwhile serves the one that began it alone', async (t) => {
  const { shared, end, onBuilt } = started(t);
  const lead = shared.lead(never, onBuilt('one'));
  const joined = shared.join(never, onBuilt('other'));
  end(built, true);
  assert.deepEqual(await Promise.all([lead, joined]), [built, 'unusable']);
  assert.equal(shared.serves(subject, { rebuild: false, began: 0, isForChange: true }), false);
});

test('a build goes on as long as somebody needs it, and is ended by the last who leaves', async (t) => {
  const { shared, end, isAborted, onBuilt } = started(t);
  const [one, other] = [new AbortController(), new AbortController()];
  const lead = shared.lead(one.signal, onBuilt('one'));
  const joined = shared.join(other.signal, onBuilt('other'));
  one.abort();
  assert.deepEqual([await lead, isAborted()], [{ kind: 'aborted' }, false]);
  other.abort();
  assert.equal(isAborted(), true);
  assert.equal(shared.serves(subject, { rebuild: false, began: 0, isForChange: true }), false);
  end({ kind: 'aborted' });
  assert.deepEqual(await joined, { kind: 'aborted' });
});
