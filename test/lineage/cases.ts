/**
 * One example of every state and every event that the reload's transition function tells apart, with names for the
 * table. The types ask for examples of every kind; pairs.test.ts finds out whether these are all that is told apart.
 */
import type { At, Event, State } from '#src/lineage/states.js';

const common = { strategy: 'overlap', generations: 3, attempts: 5 } as const;
const attempt = { number: 5, forced: false, rebuild: false, restart: false, retry: false } as const;
const failure = { kind: 'build', command: 'tsc', how: 'exited with code 2', output: 'boom' } as const;
const start = { kind: 'start', command: 'node', how: 'exited with code 1', output: 'bang' } as const;
const crash = { kind: 'crash', command: 'node', how: 'exited with code 1', output: 'bang' } as const;

const examples: { readonly [A in At]: Readonly<Record<string, Extract<State, { at: A }>>> } = {
  serving: {
    serving: { ...common, at: 'serving', serving: 3, failure: undefined },
    'serving, start failed': { ...common, at: 'serving', serving: 3, failure: start },
    'serving, build failed': { ...common, at: 'serving', serving: 3, failure },
  },
  building: {
    building: { ...common, at: 'building', serving: 3, attempt },
    'building, replace': { ...common, strategy: 'replace', at: 'building', serving: 3, attempt },
    'building, no server': { ...common, at: 'building', serving: undefined, attempt },
    'building, first': { ...common, generations: 0, at: 'building', serving: undefined, attempt },
  },
  refreshing: { refreshing: { ...common, at: 'refreshing', serving: 3, attempt } },
  retiring: {
    retiring: { ...common, strategy: 'replace', at: 'retiring', serving: 3, attempt, again: false },
    'retiring, again': { ...common, strategy: 'replace', at: 'retiring', serving: 3, attempt, again: true },
  },
  starting: {
    starting: { ...common, at: 'starting', serving: 2, candidate: 3, attempt, standing: undefined },
    'starting, no server': {
      ...common,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt,
      standing: undefined,
    },
    'starting, after a crash': {
      ...common,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt: { ...attempt, restart: true },
      standing: undefined,
    },
    'starting, build failed': {
      ...common,
      at: 'starting',
      serving: undefined,
      candidate: 3,
      attempt: { ...attempt, restart: true },
      standing: failure,
    },
  },
  waiting: {
    waiting: { ...common, at: 'waiting', failure: crash },
    'waiting, build failed': { ...common, at: 'waiting', failure },
  },
  broken: { broken: { ...common, generations: 0, at: 'broken', failure } },
  leaving: { leaving: { ...common, at: 'leaving' } },
  closing: { closing: { ...common, at: 'closing' } },
};

export const states: Readonly<Record<string, State>> = flat<State>(examples);

/** As the type has them. */
export const kindsOfState = Object.keys(examples);

/** Which of the examples a state is like, as the table calls it. */
export function nameOf(state: State): string {
  if (state.at === 'serving' && state.failure !== undefined)
    return state.failure.kind === 'build' ? 'serving, build failed' : 'serving, start failed';
  if (state.at === 'building' && state.serving !== undefined && state.strategy === 'replace')
    return 'building, replace';
  if (state.at === 'building' && state.generations === 0) return 'building, first';
  if (state.at === 'retiring') return state.again ? 'retiring, again' : 'retiring';
  if (state.at === 'starting' && state.standing !== undefined) return 'starting, build failed';
  if (state.at === 'starting' && state.attempt.restart) return 'starting, after a crash';
  if (state.at === 'waiting' && state.failure.kind === 'build') return 'waiting, build failed';
  const alone = 'serving' in state && state.serving === undefined;
  return alone ? `${state.at}, no server` : state.at;
}

const ends = {
  on: 'exit',
  clean: false,
  delay: 0,
  unborn: false,
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
  unborn: false,
  isFirst: false,
} as const;

/** The generation that serves in a state: events of it count, those of others don't. */
export function eventsFor(state: State): Readonly<Record<string, Event>> {
  const serving = 'serving' in state && state.serving !== undefined ? state.serving : 1;
  const asked = 'candidate' in state ? state.candidate : serving;
  const events: { readonly [K in Event['on']]: Readonly<Record<string, Extract<Event, { on: K }>>> } = {
    change: { change: { on: 'change' } },
    restored: { restored: { on: 'restored' } },
    force: { force: { on: 'force', rebuild: true } },
    retry: {
      retry: { on: 'retry', forced: false, background: false },
      'retry, in the background': { on: 'retry', forced: false, background: true },
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
    retired: {
      retired: { on: 'retired', generation: serving },
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
      'start-failed, no session yet': { ...fails, unborn: true },
      'start-failed, first of all': { ...fails, delay: 1000, unborn: true, isFirst: true },
      'start-failed, late': { ...fails, generation: 0 },
    },
    exit: {
      'exit, crash': { ...ends, generation: serving },
      'exit, again soon': { ...ends, generation: serving, delay: 1000 },
      'exit, again later': { ...ends, generation: serving, delay: 5000 },
      'exit, no session yet': { ...ends, generation: serving, delay: 1000, unborn: true },
      'exit, clean': { ...ends, generation: serving, clean: true },
      'exit, late': { ...ends, generation: 0 },
    },
    overdue: {
      overdue: { on: 'overdue', generation: asked, failure },
      'overdue, foreseen': { on: 'overdue', generation: asked, failure: undefined },
      'overdue, late': { on: 'overdue', generation: 0, failure },
    },
    timer: { timer: { on: 'timer' } },
    close: { close: { on: 'close' } },
  };
  return flat<Event>(events);
}

/** Which of the examples an event is like, for the state that it meets. */
export function nameOfEvent(event: Event, state: State): string {
  if (isLate(event, state)) return `${event.on}, late`;
  if (event.on === 'retry') return event.background && state.at === 'serving' ? 'retry, in the background' : 'retry';
  if (event.on === 'built') {
    // A forced attempt restarts, whatever the change itself asks for.
    if ('attempt' in state && state.attempt.forced) return 'built';
    return { restart: 'built', refresh: 'built, refresh', nothing: 'built, nothing to do' }[event.next];
  }
  if (event.on === 'start-failed') {
    if (event.skipped) return 'start-failed, build skipped';
    if (event.busy && 'serving' in state && state.serving !== undefined) return 'start-failed, busy';
    if (event.isFirst && event.delay <= 1000) return 'start-failed, first of all';
    if (event.unborn) return 'start-failed, no session yet';
    return event.delay > 1000 ? 'start-failed' : 'start-failed, again soon';
  }
  if (event.on === 'exit') {
    if (event.clean) return 'exit, clean';
    if (event.delay === 0) return 'exit, crash';
    if (event.unborn) return 'exit, no session yet';
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
  return !('serving' in state) || event.generation !== state.serving;
}

function flat<T>(groups: Readonly<Record<string, Readonly<Record<string, T>>>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.values(groups).flatMap((group) => Object.entries(group)));
}
