// What a difference between the disk and the snapshots means in each state of a reload.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventForChanges } from '#src/lineage/change-detector.js';
import type { SnapshotName } from '#src/lineage/snapshots.js';
import type { State } from '#src/lineage/states.js';

interface Differs {
  readonly names?: readonly SnapshotName[];
  readonly has?: readonly SnapshotName[];
  readonly superseded?: boolean;
  readonly configured?: boolean;
  readonly ready?: boolean;
}

/** The disk differs from these snapshots, each in a file of its own. */
function differing({ names = [], has = names, superseded = false, configured = false, ready = true }: Differs) {
  return {
    isReady: ready,
    isConfigurationOutdated: configured,
    has: (name: SnapshotName) => has.includes(name),
    changesSince: (name: SnapshotName) =>
      names.includes(name) ? [{ path: `${name}.js`, rules: ['server'], kind: 'changed' as const }] : [],
    isSuperseded: () => superseded,
  };
}

const state = (at: State['at'], standing?: 'build'): State =>
  ({ at, standing: standing && { kind: standing, command: 'make', how: 'failed', output: '' } }) as unknown as State;

type Expected = [changed: string, event: string] | undefined;
const cases: [title: string, state: State, differs: Differs, expected: Expected][] = [
  ['before the first look, nothing', state('serving'), { names: ['serving'], ready: false }, undefined],
  ['serving, no difference', state('serving'), {}, ['', 'none']],
  ['serving, a change', state('serving'), { names: ['serving'] }, ['serving.js', 'change']],
  ['serving, another configuration that is not applied', state('serving'), { configured: true }, ['', 'change']],
  ['a failure stands, and its content', state('serving', 'build'), { names: ['serving'] }, ['', 'none']],
  [
    'a failure stands, and what serves is back',
    state('serving', 'build'),
    { names: ['failed'] },
    ['failed.js', 'restored'],
  ],
  [
    'a failure stands, and there is something new',
    state('serving', 'build'),
    { names: ['failed', 'serving'] },
    ['failed.js,serving.js', 'change'],
  ],
  ['nothing serves, and what failed has changed', state('broken'), { names: ['failed'] }, ['failed.js', 'change']],
  ['nothing serves, and what failed is there', state('waiting'), { names: ['serving'], has: ['failed'] }, ['', 'none']],
  ['nothing serves, and nothing has failed', state('waiting'), { names: ['serving'] }, ['serving.js', 'change']],
  ['building, no edit', state('building'), { names: ['serving', 'attempt'] }, ['', 'none']],
  ...(['building', 'refreshing', 'starting', 'retiring'] as const).map((at): (typeof cases)[number] => [
    `${at}, an edit`,
    state(at),
    { superseded: true },
    ['', 'change'],
  ]),
  ['the server leaves', state('leaving'), { names: ['serving'] }, undefined],
  ['the session ends', state('closing'), { names: ['serving'], superseded: true }, undefined],
];
for (const [title, at, differs, expected] of cases) {
  test(`P4 what a look at the disk means: ${title}`, () => {
    const found = eventForChanges(at, differing(differs));
    assert.deepEqual(found && [found.changed.join(), found.event?.on ?? 'none'], expected);
  });
}
