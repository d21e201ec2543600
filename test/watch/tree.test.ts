// The order in which the tree takes in a directory: what is written while it does so is either in the listing or stirs.
// The tree's own callbacks write, at the very moments that matter; files and events are real.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFilter } from '#src/watch/filter.js';
import { createTimeSlice } from '#src/watch/time-slice.js';
import { parseRoot } from '#src/watch/roots.js';
import { openEvents } from '#src/watch/source.js';
import { createTree, type FileToHash } from '#src/watch/tree.js';
import { cleanup } from '../support/cleanup.js';
import { arrive, put, temporary } from './fixture.js';

test('P6 a file made right after a new directory was listed is not lost', async (t) => {
  const dir = temporary(t);
  put(dir, 'new/deep/a.ts', '1');
  const stirred = new Set<string>();
  const events = openEvents(
    { onEntryChanged: (directory, name) => stirred.add(`${directory}/${name}`), onEventsLost: () => {} },
    true,
  );
  cleanup(t, () => events.close());
  const listed: string[] = [];
  const tree = createTree({
    cwd: dir,
    filter: createFilter({ ignore: [], ext: [] }),
    isNever: () => false,
    // The last moment before it is watched: only the listing can tell of this.
    observe(directory) {
      put(directory, 'early.ts', '1');
      events.add(directory);
    },
    unobserve: events.remove,
    forget: () => {},
    unreadable: () => {},
    onCrowded: () => {},
    // The first moment after its listing: only an event can tell of this.
    onListed({ path }) {
      listed.push(path);
      put(path, 'late.ts', '1');
    },
  });
  tree.rootsAt.set(dir, new Set([parseRoot('main', '.', dir)]));
  const found: FileToHash[] = [];
  await tree.walk(dir, true, found, createTimeSlice(new AbortController().signal));
  assert.deepEqual(listed, [dir, `${dir}/new`, `${dir}/new/deep`]);
  await arrive();
  const known = new Set([...stirred, ...found.map(({ directory, name }) => directory.prefix + name)]);
  for (const directory of listed) {
    assert.ok(known.has(`${directory}/early.ts`), `${directory} is listed before it is watched`);
    assert.ok(known.has(`${directory}/late.ts`), `${directory} is watched too late`);
  }
});
