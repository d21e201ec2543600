// The benchmark's arithmetic: percentiles, ratios against the yardsticks, and what the guard lets pass. Nothing is
// measured.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample } from './groups/group.js';
import { grossRegressions, isBelieved, markdown, table, tell } from './report.js';
import { percentile, uncertainty } from './stats.js';

test('percentiles interpolate and do not depend on the order', () => {
  assert.equal(percentile([3, 1, 2], 50), 2);
  assert.equal(percentile([4, 1, 2, 3], 50), 2.5);
  assert.equal(percentile([5], 99), 5);
  assert.equal(percentile([2, 1], 0), 1);
});

test('the median is the more certain the more repeats agree', () => {
  assert.equal(uncertainty([2, 2, 2]), 0);
  assert.ok(uncertainty([1, 2, 3]) > uncertainty([1.9, 2, 2.1]));
  assert.ok(uncertainty([1, 2, 3]) > uncertainty([1, 1.5, 2, 2, 2, 2.5, 3]));
});

test('what is added is compared with what the pipe adds, throughput and memory with those of the pipe', () => {
  const [plain, watching] = tell({ 'round-trip': [trip(1, 3, 3.2, 4)] });
  assert.equal(plain?.value?.median.toFixed(3), '1.100');
  assert.equal(watching?.value?.median.toFixed(3), '1.500');
  assert.equal(plain?.figures['apart ms'], 3);
  const [rss] = tell({ memory: [{ 'rss pipe': 40, 'rss plain': 50 }] });
  assert.equal(rss?.value?.median, 1.25);
});

test('the growth is told by its worst step, and is linear at 1', () => {
  const files = { 'rss 10 files': 1, 'rss 100 files': 1, 'rss 1000 files': 20, 'rss 10000 files': 100 };
  const rss = tell({ growth: [files] }).find(({ text }) => text.includes('files: RSS'));
  assert.equal(rss?.value?.median, 2);
  assert.equal(rss?.mark, 'not met');
});

test('the guard passes what is fine and names what is far off, by the best figures of all repeats', () => {
  assert.deepEqual(grossRegressions({ 'round-trip': [trip(1, 3, 3.2, 3.2)] }), []);
  const found = grossRegressions({ 'round-trip': [trip(1, 2, 20, 20), trip(50, 40, 45, 45)] });
  assert.deepEqual(
    found.map(({ group }) => group),
    ['round-trip', 'round-trip'],
  );
  assert.match(found[0]!.text, /^round trip.*: 19 ×, and at most 3\.2 is let pass$/);
});

test('on a busy machine the guard believes only what is far beyond what it lets pass', () => {
  const twice = grossRegressions({ 'round-trip': [trip(1, 2, 7, 7)] });
  const tenfold = grossRegressions({ 'round-trip': [trip(1, 2, 40, 40)] });
  assert.deepEqual([isBelieved(twice, 0.1), isBelieved(twice, 0.9)], [true, false]);
  assert.deepEqual([isBelieved(tenfold, 0.1), isBelieved(tenfold, 0.9)], [true, true]);
  assert.equal(isBelieved([], 0), false);
});

test('the guard judges nothing that was not measured', () => {
  assert.deepEqual(grossRegressions({ memory: [{}] }), []);
});

test('a repeat in which the pipe seems to add nothing tells no ratio', () => {
  const odd = trip(3, 2, 4, 4);
  assert.equal(tell({ 'round-trip': [odd, trip(1, 3, 3.2, 4)] })[0]?.value?.count, 1);
  assert.equal(tell({ 'round-trip': [odd] })[0]?.value, undefined);
});

test('the tables mark what meets its target and what does not', () => {
  const lines = tell({ 'round-trip': [trip(1, 3, 3.2, 5)] });
  assert.match(table(lines).split('\n')[1]!, /^round trip.* 1\.1 × .* ≤ 1\.15 × .*met/);
  assert.match(markdown(lines).split('\n')[3]!, /^\| round trip.* \| 2 × \| .* \| not met \|/);
});

function trip(direct: number, pipe: number, plain: number, watching: number): Sample {
  return { 'p50 direct': direct, 'p50 apart': pipe, 'p50 plain': plain, 'p50 watching': watching };
}
