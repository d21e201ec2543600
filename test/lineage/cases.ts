/**
 * One example of every state and every event that the reload's transition function tells apart, with names for the
 * table. The types ask for examples of every kind; pairs.test.ts finds out whether these are all that is told apart.
 */
import { servingOf } from '#src/lineage/state.js';
import type { At, Event, State } from '#src/lineage/states.js';

const common = {
  strategy: 'overlap',
  servesMeanwhile: false,
  generations: 3,
  attempts: 5,
  held: true,
  standing: undefined,
} as const;
const open = { ...common, held: false } as const;
const attempt = { number: 5, forced: false, rebuild: false, respawn: false, repeat: false } as const;
const failure = { kind: 'build', command: 'tsc', cause: { kind: 'exit', code: 2 }, output: 'boom' } as const;
const ended = { kind: 'ended', end: { kind: 'exit', code: 1 } } as const;
const start = { kind: 'start', command: 'node', cause: ended, output: 'bang' } as const;
const crash = { kind: 'crash', command: 'node', cause: ended, output: 'bang' } as const;

const examples: { readonly [A in At]: Readonly<Record<string, Extract<State, { at: A }>>> } = {
  serving: {
    serving: { ...open, at: 'serving', serving: 3 },
    'serving, start failed': { ...open, standing: start, at: 'serving', serving: 3 },
    'serving, build failed': { ...open, standing: failure, at: 'serving', serving: 3 },
  },
  building: {
    building: { ...common, at: 'building', serving: 3, attempt },
    'building, not held': { ...open, standing: failure, at: 'building', serving: 3, attempt },
    'building, replace': { ...common, strategy: 'replace', at: 'building', serving: 3, attempt },
    'building, replace, not held': {
      ...open,
      standing: failure,
      strategy: 'replace',
      at: 'building',
      serving: 3,
      attempt,
    },
    'building, no server': { ...common, at: 'building', serving: undefined, attempt },
    'building, first': { ...common, generations: 0, at: 'building', serving: undefined, attempt },
  },
  refreshing: {
    refreshing: { ...common, at: 'refreshing', serving: 3, attempt },
    'refreshing, not held': { ...open, standing: failure, at: 'refreshing', serving: 3, attempt },
  },
  retiring: {
    retiring: { ...common, strategy: 'replace', at: 'retiring', serving: 3, retiring: 3, attempt, again: false },
    'retiring, again': {
      ...common,
      strategy: 'replace',
      at: 'retiring',
      serving: 3,
      retiring: 3,
      attempt,
      again: true,
    },
    'retiring, not held': {
      ...open,
      standing: failure,
      strategy: 'replace',
      at: 'retiring',
      serving: 3,
      retiring: 3,
      attempt,
      again: false,
    },
    'retiring, again, not held': {
      ...open,
      standing: failure,
      strategy: 'replace',
      at: 'retiring',
      serving: 3,
      retiring: 3,
      attempt,
      again: true,
    },
    'retiring, draining': {
      ...common,
      strategy: 'replace',
      at: 'retiring',
      serving: undefined,
      retiring: 3,
      attempt,
      again: false,
    },
    'retiring, draining, again': {
      ...common,
      strategy: 'replace',
      at: 'retiring',
      serving: undefined,
      retiring: 3,
      attempt,
      again: true,
    },
  },
  starting: {
    starting: { ...common, at: 'starting', serving: 2, candidate: 3, attempt, outlasting: undefined },
    'starting, not held': {
      ...open,
      standing: failure,
      at: 'starting',
      serving: 2,
      candidate: 3,
      attempt,
      outlasting: undefined,
    },
    'starting, no server': {
      ...common,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt,
      outlasting: undefined,
    },
    'starting, after a crash': {
      ...common,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt: { ...attempt, respawn: true },
      outlasting: undefined,
    },
    'starting, after a crash, not held': {
      ...open,
      standing: start,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt: { ...attempt, respawn: true },
      outlasting: undefined,
    },
    'starting, build failed': {
      ...common,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt: { ...attempt, respawn: true },
      outlasting: failure,
    },
    'starting, build failed, not held': {
      ...open,
      standing: start,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt: { ...attempt, respawn: true },
      outlasting: failure,
    },
  },
  waiting: {
    waiting: { ...open, standing: crash, at: 'waiting', failure: crash },
    'waiting, held': { ...common, at: 'waiting', failure: crash },
    'waiting, build failed': { ...open, standing: failure, at: 'waiting', failure },
  },
  broken: { broken: { ...open, standing: failure, generations: 0, at: 'broken', failure } },
  leaving: { leaving: { ...open, at: 'leaving' } },
  closing: {
    closing: { ...open, at: 'closing', serving: 3 },
    'closing, held': { ...common, at: 'closing', serving: 3 },
    'closing, no server': { ...open, at: 'closing', serving: undefined },
  },
};

export const states: Readonly<Record<string, State>> = flat<State>(examples);

/** As the type has them. */
export const kindsOfState = Object.keys(examples);

/** Which of the examples a state is like, as the table calls it. */
export function nameOf(state: State): string {
  const isUsual = state.held === isUsuallyHeld(state);
  return `${phaseOf(state)}${isUsual ? '' : state.held ? ', held' : ', not held'}`;
}

/** The table says only where it is otherwise. */
function isUsuallyHeld({ at }: State): boolean {
  return at === 'building' || at === 'refreshing' || at === 'retiring' || at === 'starting';
}

function phaseOf(state: State): string {
  if (state.at === 'serving' && state.standing !== undefined)
    return state.standing.kind === 'build' ? 'serving, build failed' : 'serving, start failed';
  if (state.at === 'building' && state.serving !== undefined && state.strategy === 'replace')
    return 'building, replace';
  if (state.at === 'building' && state.generations === 0) return 'building, first';
  if (state.at === 'retiring') {
    const drains = state.serving === undefined ? ', draining' : '';
    return `retiring${drains}${state.again ? ', again' : ''}`;
  }
  if (state.at === 'starting' && state.outlasting !== undefined) return 'starting, build failed';
  if (state.at === 'starting' && state.attempt.respawn) return 'starting, after a crash';
  if (state.at === 'waiting' && state.failure.kind === 'build') return 'waiting, build failed';
  const alone = 'serving' in state && state.serving === undefined;
  return alone ? `${state.at}, no server` : state.at;
}

const ends = {
  on: 'exit',
  meaning: 'crash',
  delay: 0,
  skippedBuild: false,
  isExpected: false,
  exit: { code: 1, signal: null },
  failure: crash,
} as const;
const fails = {
  on: 'start-failed',
  generation: 3,
  failure: start,
  busy: false,
  skipped: false,
  delay: 5000,
  beforeFirstAnswer: false,
  isFirst: false,
} as const;

/** The generation that serves in a state: events of it count, those of others don't. */
export function eventsFor(state: State): Readonly<Record<string, Event>> {
  const serving = servingOf(state) ?? 1;
  const retiring = state.at === 'retiring' ? state.retiring : serving;
  const asked = 'candidate' in state ? state.candidate : serving;
  const events: { readonly [K in Event['on']]: Readonly<Record<string, Extract<Event, { on: K }>>> } = {
    change: { change: { on: 'change' } },
    restored: { restored: { on: 'restored' } },
    force: { force: { on: 'force', rebuild: true } },
    repeat: {
      repeat: { on: 'repeat', forced: false, background: false },
      'repeat, in the background': { on: 'repeat', forced: false, background: true },
    },
    built: {
      built: { on: 'built', attempt: 5, next: 'restart' },
      'built, refresh': { on: 'built', attempt: 5, next: 'refresh' },
      'built, nothing to do': { on: 'built', attempt: 5, next: 'nothing' },
      'built, late': { on: 'built', attempt: 4, next: 'restart' },
    },
    refreshed: {
      refreshed: { on: 'refreshed', attempt: 5 },
      'refreshed, late': { on: 'refreshed', attempt: 4 },
    },
    'build-failed': {
      'build-failed': { on: 'build-failed', attempt: 5, failure, delay: 5000 },
      'build-failed, late': { on: 'build-failed', attempt: 4, failure, delay: 5000 },
    },
    drains: {
      drains: { on: 'drains', generation: serving },
      'drains, late': { on: 'drains', generation: 0 },
    },
    retired: {
      retired: { on: 'retired', generation: retiring },
      'retired, late': { on: 'retired', generation: 0 },
    },
    ready: {
      ready: { on: 'ready', generation: 3 },
      'ready, late': { on: 'ready', generation: 0 },
    },
    'start-failed': {
      'start-failed': fails,
      'start-failed, again soon': { ...fails, delay: 1000 },
      'start-failed, busy': { ...fails, busy: true },
      'start-failed, build skipped': { ...fails, skipped: true },
      'start-failed, no session yet': { ...fails, beforeFirstAnswer: true },
      'start-failed, first of all': { ...fails, delay: 1000, beforeFirstAnswer: true, isFirst: true },
      'start-failed, late': { ...fails, generation: 0 },
    },
    exit: {
      'exit, crash': { ...ends, generation: serving },
      'exit, again soon': { ...ends, generation: serving, delay: 1000 },
      'exit, again later': { ...ends, generation: serving, delay: 5000 },
      'exit, no session yet': { ...ends, generation: serving, delay: 1000, meaning: 'start' },
      'exit, build skipped': { ...ends, generation: serving, delay: 1000, meaning: 'start', skippedBuild: true },
      'exit, on purpose': { ...ends, generation: serving, meaning: 'leaves' },
      'exit, late': { ...ends, generation: 0 },
    },
    overdue: {
      overdue: { on: 'overdue', generation: asked, failure },
      'overdue, foreseen': { on: 'overdue', generation: asked, failure: undefined },
      'overdue, late': { on: 'overdue', generation: 0, failure },
    },
    configured: { configured: { on: 'configured', strategy: undefined, servesMeanwhile: false } },
    timer: { timer: { on: 'timer' } },
    close: { close: { on: 'close' } },
  };
  return flat<Event>(events);
}

/** Which of the examples an event is like, for the state that it meets. */
export function nameOfEvent(event: Event, state: State): string {
  if (isLate(event, state)) return `${event.on}, late`;
  if (event.on === 'repeat')
    return event.background && servingOf(state) !== undefined ? 'repeat, in the background' : 'repeat';
  if (event.on === 'built') {
    // A forced attempt restarts, whatever the change itself asks for.
    if ('attempt' in state && state.attempt.forced) return 'built';
    return { restart: 'built', refresh: 'built, refresh', nothing: 'built, nothing to do' }[event.next];
  }
  if (event.on === 'start-failed') {
    if (event.skipped) return 'start-failed, build skipped';
    if (event.busy && 'serving' in state && state.serving !== undefined) return 'start-failed, busy';
    if (event.isFirst && event.delay <= 1000) return 'start-failed, first of all';
    if (event.beforeFirstAnswer) return 'start-failed, no session yet';
    return event.delay > 1000 ? 'start-failed' : 'start-failed, again soon';
  }
  if (event.on === 'exit') {
    if (event.meaning === 'leaves') return 'exit, on purpose';
    if (event.meaning === 'start' && event.skippedBuild) return 'exit, build skipped';
    if (event.delay === 0) return 'exit, crash';
    if (event.meaning === 'start') return 'exit, no session yet';
    return event.delay > 1000 ? 'exit, again later' : 'exit, again soon';
  }
  if (event.on === 'overdue') return event.failure === undefined ? 'overdue, foreseen' : 'overdue';
  return event.on;
}

function isLate(event: Event, state: State): boolean {
  if ('attempt' in event) return !('attempt' in state) || event.attempt !== state.attempt.number;
  if (!('generation' in event)) return false;
  const candidate = event.on === 'ready' || event.on === 'start-failed';
  if (event.on === 'overdue' && state.at === 'starting') return event.generation !== state.candidate;
  if (candidate) return state.at !== 'starting' || event.generation !== state.candidate;
  if (event.on === 'retired') return state.at !== 'retiring' || event.generation !== state.retiring;
  return event.generation !== servingOf(state);
}

function flat<T>(groups: Readonly<Record<string, Readonly<Record<string, T>>>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.values(groups).flatMap((group) => Object.entries(group)));
}
