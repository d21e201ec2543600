// The server's own data told from edits: what makes a file the server's, what makes it a source again, and when it is
// read again to be sure.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { When } from '#src/project/edits/call-writes.js';
import { ServerData, type Findings, type ObservedChange } from '#src/project/edits/server-data.js';

/** `call`: its number, by default that of the change; `null`: only one that has run longer. */
type Seen = Partial<Omit<ObservedChange, 'time'>> & {
  path: string;
  when: When;
  call?: number | null;
  calls?: number;
  close?: true;
  orBefore?: true;
};

/** How long after the answer to the call before the next one begins. */
const PAUSE = 10;

/** Sees one after the other, each in a call of its own unless it says otherwise, and returns what each led to. */
function play(data: ServerData, seen: readonly Seen[], pause = PAUSE): Findings[] {
  return seen.map(({ when, call: given, calls = given ?? 0, close, orBefore, ...one }, index) => {
    const call = given === undefined ? index + 1 : (given ?? undefined);
    const count = Math.max(calls, call ?? 0);
    const began = count * (pause + 10);
    const at = when === 'during' ? began + 1 : began + 5;
    const alone = { at, when, ...(close && { close }), ...(orBefore && { orBefore }) };
    const time = when === 'apart' || call === undefined ? alone : { ...alone, call };
    const idle = { open: false, busySince: began, idleSince: began + 2, activeSince: began };
    const times = { ...idle, calls: count, newestBegan: began, newestEnded: began + 2 };
    return data.record([{ kind: 'changed', data: true, ...one, time }], { times, requestWaits: false });
  });
}

const own = (...seen: Seen[]) => play(new ServerData(), seen).map((findings) => findings.own.length > 0);
const during = (path: string, more: Partial<Seen> = {}): Seen => ({ path, when: 'during', ...more });
const after = (path: string, more: Partial<Seen> = {}): Seen => ({ path, when: 'after', ...more });
const apart = (path: string, more: Partial<Seen> = {}): Seen => ({ path, when: 'apart', ...more });
const added = { kind: 'added' } as const;
const removed = { kind: 'removed' } as const;

const sequences: [title: string, seen: Seen[], own: boolean[]][] = [
  ['the second change during a call', [during('a.json'), during('a.json'), during('a.json')], [false, true, true]],
  ['an edit in between', [during('a.json'), apart('a.json'), during('a.json')], [false, false, false]],
  [
    "an edit of what was the server's",
    [during('a.json'), during('a.json'), apart('a.json'), during('a.json', { call: 9 })],
    [false, true, false, false],
  ],
  [
    'three changes during the same call',
    [during('a.json', { call: 1 }), during('a.json', { call: 1 }), during('a.json', { call: 1 })],
    [false, false, true],
  ],
  [
    'edits while one long call runs, each followed by a call',
    [
      during('a.json', { call: 1 }),
      during('a.json', { call: null, calls: 2 }),
      during('a.json', { call: null, calls: 3 }),
      during('a.json', { call: null, calls: 4 }),
    ],
    [false, false, false, false],
  ],
  ['two files, each once', [during('a.json'), during('b.json')], [false, false]],
  [
    'other files in each of three calls running',
    [during('a.json'), during('b.md'), during('c.txt'), during('x/d.csv')],
    [false, false, true, true],
  ],
  [
    'the same, where it is not sure of some whether they were of the call before',
    [
      during('a.json', { call: 4, orBefore: true }),
      during('b.md', { call: 4 }),
      during('c.txt', { call: 6, orBefore: true }),
    ],
    [false, false, true],
  ],
  [
    'the same, and the first was indeed of the call that it was found in',
    [during('a.json', { call: 4, orBefore: true }), during('b.md', { call: 5 }), during('c.txt', { call: 6 })],
    [false, false, true],
  ],
  [
    'three files of one call, which may have been the one before',
    ['a.json', 'b.md', 'c.txt'].map((path) => during(path, { call: 4, orBefore: true })),
    [false, false, false],
  ],
  [
    'other files, with calls in between that write none',
    [during('a.json', { call: 1 }), during('b.md', { call: 3 }), during('c.txt', { call: 5 })],
    [false, false, false],
  ],
  [
    'new files of an ending in one directory',
    [during('x/a.json', added), during('x/b.json', added), during('x/c.json', added)],
    [false, true, true],
  ],
  [
    'new files in a new directory each',
    [1, 3, 5, 7].map((call) => during(`sessions/s${call}/notes.json`, { ...added, call })),
    [false, false, true, true],
  ],
  [
    'new files of another ending or place',
    [
      during('x/a.json', { ...added, call: 1 }),
      during('x/b.md', { ...added, call: 3 }),
      during('y/c/d.json', { ...added, call: 5 }),
    ],
    [false, false, false],
  ],
  [
    "new files beside what is the server's",
    [during('x/a.json'), during('x/a.json'), during('x/b.json', added), during('x/b.json')],
    [false, true, true, true],
  ],
  [
    "other files beside what is the server's",
    [during('a.json'), during('a.json'), during('b.json', { call: 9 })],
    [false, true, false],
  ],
  [
    'a file that it made and removes',
    [during('x/a.json', added), during('x/b.json', added), during('x/b.json', removed)],
    [false, true, true],
  ],
  [
    'a new file that somebody else puts there',
    [during('x/a.json', added), during('x/b.json', added), apart('x/c.json', added), during('x/d.json', added)],
    [false, true, false, false],
  ],
  ['after the answer of call after call', [after('a.json'), after('a.json'), after('a.json')], [false, false, true]],
  [
    'twice after the answer of one call',
    [after('a.json', { call: 1 }), after('a.json', { call: 1 }), after('a.json', { call: 1 })],
    [false, false, false],
  ],
  [
    'during a call, and after the answers of two',
    [during('a.json'), after('a.json'), after('a.json')],
    [false, false, true],
  ],
  [
    'after answers, with calls in between that are followed by none',
    [after('a.json', { call: 1 }), after('a.json', { call: 4 }), after('a.json', { call: 7 })],
    [false, false, false],
  ],
  [
    'a source, or a file that an option names',
    [during('a.js', { data: false }), during('a.js', { data: false }), during('a.js', { data: false })],
    [false, false, false],
  ],
];
for (const [title, seen, expected] of sequences) {
  test(`P6 whether it is the server's own: ${title}`, () => assert.deepEqual(own(...seen), expected));
}

test('each directory and ending is told of once', () => {
  const told = (seen: readonly Seen[]) =>
    play(new ServerData(), seen).map(({ worthTelling }) => worthTelling.map(({ path }) => path).join());
  const same = [during('a.json'), during('a.json'), during('a.json'), apart('a.json'), during('a.json')];
  assert.deepEqual(told([...same, during('a.json')]), ['', 'a.json', '', '', '', '']);
  const trees = [1, 2, 3, 4, 5].map((call) => during(`s/${call}/a.md`, added));
  assert.deepEqual(told(trees), ['', '', 's/3/a.md', '', '']);
});

const lineage = {};

/** The rest after which a request catches up, if it does. */
function catchesUpAfter(data: ServerData, since: number): number | undefined {
  const times = { busySince: since, idleSince: since, activeSince: since, calls: 9, newestBegan: since };
  const isDue = (rest: number) => data.isCatchUpDue(since + rest, { ...times, open: false, newestEnded: since });
  assert.ok(!data.isCatchUpDue(since + 1e6, { ...times, open: true, newestEnded: Infinity }));
  return [500, 1000, 4000, 16_000].find(isDue);
}

test('P4 what may have been an edit is read at the first request after a rest, each time after a longer one', () => {
  const data = new ServerData();
  const late = [after('a.json'), after('a.json'), after('a.json')];
  play(data, late);
  assert.equal(catchesUpAfter(data, 5000), 1000);
  assert.deepEqual(data.catchUp(), ['a.json']);
  assert.equal(catchesUpAfter(data, 5000), undefined);
  play(data, [after('a.json', { call: 4 })]);
  assert.equal(catchesUpAfter(data, 5000), 4000);
  // A reload that began later has read it.
  data.recordAttempt(lineage, 10_000);
  data.recordReload(lineage, 10_100);
  assert.equal(catchesUpAfter(data, 20_000), undefined);
});

test('P4 what may have been an edit has been read only when the servers of all lineages have read it', () => {
  const data = new ServerData();
  const other = {};
  for (const reader of [lineage, other]) {
    data.recordAttempt(reader, 0);
    data.recordReload(reader, 10);
  }
  play(data, [after('a.json'), after('a.json'), after('a.json')]);
  data.recordAttempt(lineage, 10_000);
  data.recordReload(lineage, 10_100);
  assert.equal(catchesUpAfter(data, 20_000), 1000);
  data.recordAttempt(other, 30_000);
  data.recordReload(other, 30_100);
  assert.equal(catchesUpAfter(data, 40_000), undefined);
});

test('P6 what changed during two calls, or after calls that each came after a rest, is the server’s without a doubt', () => {
  const twice = new ServerData();
  play(twice, [during('a.json'), during('a.json')]);
  assert.equal(catchesUpAfter(twice, 5000), undefined);
  for (const changed of [after('a.json'), during('a.json', { close: true })]) {
    const quick = new ServerData();
    play(quick, [changed, changed, changed]);
    assert.equal(catchesUpAfter(quick, 5000), 1000);
    const rested = new ServerData();
    play(rested, [changed, changed, changed], 2000);
    assert.equal(catchesUpAfter(rested, 50_000), undefined);
  }
});

test('three reloads at three calls are a loop; edits, and changes in one long call, are none', () => {
  const loops = (...seen: Seen[]) =>
    play(
      new ServerData(),
      seen.map((one) => ({ ...one, data: false })),
    ).map(({ looping }) => looping.map(({ pattern }) => pattern).join());
  assert.deepEqual(loops(during('a'), after('a'), during('a'), during('a')), ['', '', 'a', '']);
  assert.deepEqual(loops(during('a'), during('a'), apart('a'), during('a')), ['', '', '', '']);
  assert.deepEqual(loops(...[1, 1, 1].map((call) => during('a', { call }))), ['', '', '']);
  const notes = [1, 2, 3, 4].map((call) => during(`notes/${call}.json`, added));
  assert.deepEqual(loops(...notes), ['', '', 'notes/*.json', '']);
  const sessions = [1, 2, 3, 4].map((call) => during(`sessions/${call}/a.json`, added));
  assert.deepEqual(loops(...sessions), ['', '', 'sessions/**/*.json', '']);
  assert.deepEqual(loops(...[...'abcdef'].map((name) => during(name))), ['', '', '', '', 'e', '']);
});
