/**
 * Every state that the reload can come to, and every event that can meet it, found by trying: from the beginning, all
 * values of all fields that an event has, and so on from each state that is new. The types ask for the values of each
 * field. What should follow is for pairs.test.ts to say.
 */
import { initialState, servingOf, transition } from '#src/lineage/state.js';
import type { Event, ExitMeaning, Next, State } from '#src/lineage/states.js';

type Fields<E extends Event> = { readonly [F in Exclude<keyof E, 'on'>]: readonly E[F][] };
type AllFields = { readonly [K in Event['on']]: Fields<Extract<Event, { on: K }>> };

const both: readonly boolean[] = [false, true];
const meanings: Readonly<Record<ExitMeaning, true>> = {
  leaves: true,
  restarts: true,
  start: true,
  exit: true,
  crash: true,
};
const nexts: Readonly<Record<Next, true>> = { restart: true, refresh: true, nothing: true };
const exited = { kind: 'exit', code: 1 } as const;
const crash = { kind: 'crash', command: 'node', cause: { kind: 'ended', end: exited }, output: 'bang' } as const;
const failures = [crash, { ...crash, kind: 'build' as const, cause: exited }];
const delays = [0, 1000, 1001];
const nobody = 0;

function fieldsFor(state: State): AllFields {
  const generation = [nobody];
  const serving = servingOf(state);
  if (serving !== undefined) generation.push(serving);
  if (state.at === 'retiring' && state.retiring !== serving) generation.push(state.retiring);
  if ('candidate' in state) generation.push(state.candidate);
  const attempt = 'attempt' in state ? [nobody, state.attempt.number] : [nobody];
  return {
    change: {},
    restored: {},
    force: { rebuild: both },
    repeat: { forced: both, background: both },
    built: { attempt, next: Object.keys(nexts) as Next[] },
    refreshed: { attempt },
    'build-failed': { attempt, failure: failures.filter(({ kind }) => kind === 'build'), delay: delays },
    drains: { generation },
    retired: { generation },
    ready: { generation },
    'start-failed': {
      generation,
      failure: [crash],
      busy: both,
      skipped: both,
      delay: delays,
      beforeFirstAnswer: both,
      isFirst: both,
    },
    exit: {
      generation,
      meaning: Object.keys(meanings) as ExitMeaning[],
      delay: delays,
      skippedBuild: both,
      isExpected: [false],
      exit: [{ code: 1, signal: null }],
      failure: [crash],
    },
    overdue: { generation, failure: [undefined, crash] },
    configured: { strategy: [undefined], servesMeanwhile: [false] },
    timer: {},
    close: {},
  };
}

export function allEventsFor(state: State): Event[] {
  return Object.entries(fieldsFor(state)).flatMap(([on, fields]) =>
    Object.entries(fields as Record<string, readonly unknown[]>).reduce<object[]>(
      (events, [field, values]) => events.flatMap((event) => values.map((value) => ({ ...event, [field]: value }))),
      [{ on }],
    ),
  ) as Event[];
}

/** One of every sort: states that differ in no more than their numbers and the words of a failure are of one. */
export function allStates(): State[] {
  const found = new Map<string, State>();
  const settings = { servesMeanwhile: false };
  const next = [
    initialState({ ...settings, strategy: 'overlap' })[0],
    initialState({ ...settings, strategy: 'replace' })[0],
  ];
  for (let state = next.pop(); state !== undefined; state = next.pop()) {
    const sort = sortOf(state);
    if (found.has(sort)) continue;
    found.set(sort, state);
    for (const event of allEventsFor(state)) next.push(transition(state, event)[0]);
  }
  return [...found.values()];
}

/** All that a state says but numbers and words. */
export function sortOf(state: State): string {
  return JSON.stringify(state, (key, value: unknown) => {
    if (key === 'generations') return value === 0 ? 'none' : 'some';
    if (typeof value === 'number') return 'n';
    if (typeof value !== 'object' || value === null || !('cause' in value)) return value;
    return 'kind' in value && value.kind === 'build' ? 'failed build' : 'failure';
  });
}
