/**
 * That the simulation can be trusted: its checks notice what they are there for, and the same seed is the same run. The
 * runs of the suite are in the files called seeds-…
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './run.js';
import { scriptOf } from './script.js';

const EVENTS = 200;

/** The first seeds in which somebody tampers with what the client is sent. */
async function breachesWith(tamper: (line: string) => readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let seed = 1; seed <= 10; seed++) {
    const { breach } = await run(scriptOf(seed, EVENTS), false, tamper);
    if (breach !== undefined) found.add(breach.promise);
  }
  return found;
}

test('an answer that is lost, doubled or cut, a change told twice, and messages out of order are noticed', async () => {
  const answers = (line: string): boolean => line.includes('"id":') && line.includes('"result":');
  const news = (line: string): boolean => line.includes('/list_changed') && !line.includes('"sim"');
  let kept: string | undefined;
  const swapped = (line: string): readonly string[] => {
    if (kept === undefined && line.includes('"sim"')) {
      kept = line;
      return [];
    }
    const both = kept === undefined ? [line] : [line, kept];
    kept = undefined;
    return both;
  };
  const cases: readonly [promise: string, tamper: (line: string) => readonly string[]][] = [
    [
      'P1',
      (line) =>
        answers(line) && line.includes('tools/call')
          ? []
          : answers(line)
            ? [line, '{"jsonrpc":"2.0","id":1,"result":{}}']
            : [line],
    ],
    ['P10', (line) => (answers(line) ? [line, line] : [line])],
    ['P11', (line) => (answers(line) ? [line.slice(0, -1)] : [line])],
    ['P9', (line) => (news(line) ? [line, line] : [line])],
    ['P3', swapped],
    ['P2', (line) => [line.replace('"by ', '"bye ')]],
  ];
  for (const [promise, tamper] of cases) {
    const found = await breachesWith(tamper);
    assert.ok(found.has(promise), `${promise} is not among ${[...found].join(', ')}`);
  }
});

test('the same seed is the same run', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const [first, second] = [await run(scriptOf(seed, EVENTS), true), await run(scriptOf(seed, EVENTS), true)];
    assert.deepEqual(first.trace, second.trace);
  }
});
