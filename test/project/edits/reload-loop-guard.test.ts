/** Telling a server that writes its own files from somebody who edits them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReloadLoopGuard } from '#src/project/edits/reload-loop-guard.js';

/** Each step is a change `after` ms after a reload, with so many requests in between; then the reload that follows. */
function play(steps: readonly { files?: string[]; after: number; requests?: number }[]): boolean[] {
  const guard = new ReloadLoopGuard();
  let [now, requests] = [0, 0];
  guard.recordReload(now, requests);
  return steps.map(({ files = ['state.json'], after, requests: asked = 0 }) => {
    now += after;
    requests += asked;
    const waits = guard.shouldDefer(files, now, requests);
    assert.equal(guard.shouldDefer(files, now, requests), waits, 'a question changes nothing');
    guard.recordChange(files, now, requests);
    if (!waits) guard.recordReload((now += 100), requests);
    return waits;
  });
}

const written = { after: 500 };
const seven = Array.from({ length: 7 }, () => written);
const free = seven.map(() => false);

test('P6 a file that changes right after every reload waits for a request from the eighth time on', () => {
  assert.deepEqual(play([...seven, written, written]), [...free, true, true]);
});

test('P6 once caught, a request brings one reload and no more', () => {
  assert.deepEqual(play([...seven, written, { after: 500, requests: 1 }, written]), [...free, true, true, true]);
});

test('P6 a file that changes now and then, with nobody asking, waits for a request from the sixteenth time on', () => {
  const slow = Array.from({ length: 18 }, () => ({ after: 5000 }));
  assert.deepEqual(play(slow), [...Array<boolean>(15).fill(false), true, true, true]);
  // A request in between, and it is somebody's work again.
  assert.deepEqual(play([...slow.slice(0, 15), { after: 5000, requests: 1 }, { after: 5000 }]), Array(17).fill(false));
});

test('P6 edits with calls in between, edits that take their time, and edits of other files never wait', () => {
  assert.deepEqual(play(Array.from({ length: 12 }, () => ({ after: 500, requests: 1 }))), Array(12).fill(false));
  assert.deepEqual(play(Array.from({ length: 12 }, () => ({ after: 5000 }))), Array(12).fill(false));
  const other = (name: string): { files: string[]; after: number } => ({ files: [name], after: 500 });
  assert.deepEqual(play([...'abcdefghijkl'].map(other)), Array(12).fill(false));
});

test('P6 attempts that a change of the same file has ended count as the changes at rest do', () => {
  const overtaken = (times: number, files: string[], requests = 0): boolean => {
    const guard = new ReloadLoopGuard();
    guard.recordReload(0, 0);
    for (let time = 1; time <= times; time++) guard.recordOvertaken(files, time * 200, requests);
    return guard.shouldDefer(['state.json'], (times + 1) * 200, requests);
  };
  assert.equal(overtaken(14, ['state.json']), false);
  assert.equal(overtaken(15, ['state.json']), true);
  assert.equal(overtaken(30, ['state.json'], 1), false, 'somebody asks for something');
  assert.equal(overtaken(30, ['other.json']), false, 'another file');
});
