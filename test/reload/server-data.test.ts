// The server's own data told from edits: when a change belongs to a call, what makes a file the server's, and what makes it a
// source again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerData, whenOf, type Sighting, type When } from '#src/reload/server-data.js';
import { Ledger } from '#src/session/ledger.js';

const idle = { open: false, busySince: 1000, idleSince: 1100, activeSince: 1000 };
const busy = { open: true, busySince: 2000, idleSince: 1950, activeSince: 1000 };
const never = { open: false, busySince: -Infinity, idleSince: -Infinity, activeSince: -Infinity };

const times: [title: string, changed: number, calls: typeof idle, when: When][] = [
  ['nobody has ever called', 50, never, 'apart'],
  ['long before the call', 900, idle, 'apart'],
  ['by a clock that is a little late', 990, idle, 'during'],
  ['in the middle', 1050, idle, 'during'],
  ['soon after the answer', 1250, idle, 'after'],
  ['long after the answer', 1350, idle, 'apart'],
  ['while a call is open', 9000, busy, 'during'],
  ['during another call not long before', 1500, busy, 'during'],
  ['before all of these calls', 900, busy, 'apart'],
];
for (const [title, changed, calls, when] of times) {
  test(`when a file changed: ${title}`, () => assert.equal(whenOf(changed, calls), when));
}

test('the ledger knows when the client waited for answers', () => {
  let now = 0;
  const ledger = new Ledger(() => now);
  const at = (time: number, work: () => unknown) => {
    now = time;
    work();
    return ledger.times;
  };
  const enter = (id: string) => () => ledger.enter(id, 'tools/call', Buffer.from('{}'), 1);
  assert.equal(ledger.times.open, false);
  assert.deepEqual(at(1000, enter('1')), { open: true, busySince: 1000, idleSince: -Infinity, activeSince: 1000 });
  at(1010, enter('2'));
  assert.equal(at(1020, () => ledger.settle('1', 1)).open, true);
  const settled = at(1030, () => ledger.settle('2', 1));
  assert.deepEqual(settled, { open: false, busySince: 1000, idleSince: 1030, activeSince: 1000 });
  assert.deepEqual(at(1100, enter('3')), { open: true, busySince: 1100, idleSince: 1030, activeSince: 1000 });
  const taken = at(1200, () => ledger.take(1));
  assert.deepEqual(taken, { open: false, busySince: 1100, idleSince: 1200, activeSince: 1000 });
  assert.equal(at(1500, enter('4')).activeSince, 1500);
  assert.equal(at(1510, () => ledger.cancel(ledger.find('4')!)).open, false);
  assert.equal(at(1520, () => ledger.settle('4', 1)).idleSince, 1510);
});

type Seen = Partial<Sighting> & Pick<Sighting, 'path' | 'when'> & { requests?: number };

/** Which of the sightings, one after the other, are put down to the server. */
function own(...seen: Seen[]): boolean[] {
  const data = new ServerData();
  return seen.map(({ requests, ...one }, index) => {
    const sighting: Sighting = { kind: 'changed', data: true, ...one };
    return data.see([sighting], requests ?? index + 1).own.includes(one.path);
  });
}

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
    [during('a.json'), during('a.json'), apart('a.json'), during('a.json')],
    [false, true, false, false],
  ],
  [
    'changes during the same call',
    [during('a.json', { requests: 1 }), during('a.json', { requests: 1 })],
    [false, true],
  ],
  ['two files, each once', [during('a.json'), during('b.json')], [false, false]],
  [
    'new files of an ending in one directory',
    [during('x/a.json', added), during('x/b.json', added), during('x/c.json', added)],
    [false, true, true],
  ],
  [
    'new files of another ending or directory',
    [during('x/a.json', added), during('x/b.md', added), during('y/c.json', added)],
    [false, false, false],
  ],
  [
    "new files beside what is the server's",
    [during('x/a.json'), during('x/a.json'), during('x/b.json', added), during('x/b.json')],
    [false, true, true, true],
  ],
  [
    "other files beside what is the server's",
    [during('a.json'), during('a.json'), during('b.json')],
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
    'during a call, and after the answers of two',
    [during('a.json'), after('a.json'), after('a.json')],
    [false, false, true],
  ],
  [
    'after answers, with calls in between that are followed by none',
    [after('a.json', { requests: 1 }), after('a.json', { requests: 4 }), after('a.json', { requests: 7 })],
    [false, false, false],
  ],
  [
    'a source, or a file that an option names',
    [during('a.js', { data: false }), during('a.js', { data: false }), during('a.js', { data: false })],
    [false, false, false],
  ],
];
for (const [title, seen, expected] of sequences) {
  test(`P6 settles: whether it is the server's own: ${title}`, () => assert.deepEqual(own(...seen), expected));
}

test('each directory and ending is told of once', () => {
  const data = new ServerData();
  const see = (path: string, when: When) => data.see([{ path, when, kind: 'changed', data: true }], 1).news;
  const seen = (['during', 'during', 'during', 'apart', 'during', 'during'] as const).map((when) =>
    see('a.json', when),
  );
  assert.deepEqual(seen, [[], ['a.json'], [], [], [], []]);
});

test('three reloads running at three calls are a loop; edits, and changes in one long call, are none', () => {
  const loops = (seen: [when: When, requests: number][]) => {
    const data = new ServerData();
    const findings = seen.map(([when, requests]) =>
      data.see([{ path: 'a', when, kind: 'changed', data: false }], requests),
    );
    return findings.map(({ looping }) => looping.length);
  };
  assert.deepEqual(
    loops([
      ['during', 1],
      ['after', 2],
      ['during', 3],
      ['during', 4],
    ]),
    [0, 0, 1, 0],
  );
  assert.deepEqual(
    loops([
      ['during', 1],
      ['during', 2],
      ['apart', 2],
      ['during', 3],
    ]),
    [0, 0, 0, 0],
  );
  assert.deepEqual(
    loops([
      ['during', 1],
      ['during', 1],
      ['during', 1],
    ]),
    [0, 0, 0],
  );
});
