/**
 * The life of a reload as a pure function: transition(state, event) → the next state and the effects that bring it
 * about. docs/reload-states.md shows it as a table, and a test compares the two. An event of a generation or an attempt
 * that is no longer concerned is dropped here, and only here. Nothing is done here: the controller does that.
 */
import type { Failure } from '../agent/words.js';
import type { At, Attempt, Common, Effect, Event, State, Step, Strategy } from './states.js';

/** Requests wait for a restart that comes within this time; for a later one they are answered. */
const WORTH_WAITING = 1000;

export function initialState(strategy: Strategy): Step {
  const attempt: Attempt = { number: 1, forced: true, rebuild: false, restart: false, retry: false };
  return [
    { strategy, generations: 0, attempts: 1, at: 'building', serving: undefined, attempt },
    [{ do: 'hold' }, { do: 'build', attempt }],
  ];
}

export function transition(state: State, event: Event): Step {
  if (event.on === 'close')
    return state.at === 'closing' ? stay(state) : [{ ...common(state), at: 'closing' }, [{ do: 'end' }]];
  switch (state.at) {
    case 'serving':
      return whileServing(state, event);
    case 'building':
      return whileBuilding(state, event);
    case 'refreshing':
      return whileRefreshing(state, event);
    case 'retiring':
      return whileRetiring(state, event);
    case 'starting':
      return whileStarting(state, event);
    case 'waiting':
      if (event.on === 'timer') return restart(state, state.failure);
      return withoutServer(state, event, [{ do: 'stop-waiting' }]);
    case 'broken':
      return withoutServer(state, event, []);
    case 'leaving':
    case 'closing':
      return stay(state);
  }
}

type In<A extends At> = Extract<State, { at: A }>;

function whileServing(state: In<'serving'>, event: Event): Step {
  switch (event.on) {
    case 'change':
      return build(state, state.serving, false, false, []);
    case 'restored':
      return state.failure === undefined ? stay(state) : build(state, state.serving, false, false, []);
    case 'force':
      return build(state, state.serving, true, event.rebuild, []);
    case 'retry':
      return state.failure === undefined ? stay(state) : tryAgain(state, state.serving, event, []);
    case 'exit':
      if (event.generation !== state.serving) return stay(state);
      if (event.clean) return [{ ...common(state), at: 'leaving' }, [{ do: 'let-finish' }]];
      if (event.delay > 0) return wait(state, state.failure ?? event.failure, event.delay, event.unborn);
      return restart(state, state.failure);
    case 'overdue':
      return event.generation === state.serving ? adopt(state, event.generation, event.failure) : stay(state);
    default:
      return stay(state);
  }
}

/** The process is the same, but it is a candidate now: the session was opened in its place. */
function adopt(state: State, generation: number, failure: Failure | undefined): Step {
  const attempt = restartOf(state);
  return [
    {
      ...common(state),
      attempts: attempt.number,
      at: 'starting',
      serving: undefined,
      candidate: generation,
      attempt,
      standing: undefined,
    },
    [failure === undefined ? { do: 'hold' } : { do: 'release', failure }, { do: 'adopt', generation, attempt }],
  ];
}

function whileBuilding(state: In<'building'>, event: Event): Step {
  const { attempt, serving } = state;
  switch (event.on) {
    case 'change':
      return build(state, serving, attempt.forced, attempt.rebuild, [{ do: 'abort-build' }]);
    case 'force':
      return build(state, serving, true, event.rebuild || attempt.rebuild, [{ do: 'abort-build' }]);
    case 'built':
      if (event.attempt !== attempt.number) return stay(state);
      if (serving !== undefined && !attempt.forced && event.next === 'nothing') return rest(state, serving, undefined);
      if (serving !== undefined && !attempt.forced && event.next === 'refresh') {
        return [{ ...common(state), at: 'refreshing', serving, attempt }, [{ do: 'refresh', generation: serving }]];
      }
      if (state.strategy === 'overlap' || serving === undefined) return start(state, serving, attempt, []);
      return [
        { ...common(state), at: 'retiring', serving, attempt, again: false },
        [{ do: 'retire', generation: serving }],
      ];
    case 'build-failed':
      if (event.attempt !== attempt.number) return stay(state);
      if (serving !== undefined) return rest(state, serving, event.failure);
      // Where a server has been, there is an earlier build to start it from.
      return state.generations === 0 ? broken(state, event.failure) : wait(state, event.failure, event.delay, false);
    case 'exit':
      return event.generation === serving ? [{ ...state, serving: undefined }, []] : stay(state);
    default:
      return stay(state);
  }
}

function whileRefreshing(state: In<'refreshing'>, event: Event): Step {
  const { attempt, serving } = state;
  switch (event.on) {
    case 'change':
      return build(state, serving, false, false, [{ do: 'abort-build' }]);
    case 'force':
      return build(state, serving, true, event.rebuild, [{ do: 'abort-build' }]);
    case 'refreshed': {
      if (event.attempt !== attempt.number) return stay(state);
      const [next, effects] = rest(state, serving, undefined);
      return [next, [...effects, { do: 'announce', generation: serving }]];
    }
    case 'exit':
      if (event.generation !== serving) return stay(state);
      return build(state, undefined, true, false, [{ do: 'abort-build' }]);
    default:
      return stay(state);
  }
}

function whileRetiring(state: In<'retiring'>, event: Event): Step {
  const { attempt } = state;
  switch (event.on) {
    case 'change':
      return [{ ...state, again: true }, []];
    case 'force':
      return [
        { ...state, again: true, attempt: { ...attempt, forced: true, rebuild: attempt.rebuild || event.rebuild } },
        [],
      ];
    case 'retired':
    case 'exit':
      if (event.generation !== state.serving) return stay(state);
      return state.again
        ? build(state, undefined, attempt.forced, attempt.rebuild, [])
        : start(state, undefined, attempt, []);
    default:
      return stay(state);
  }
}

function whileStarting(state: In<'starting'>, event: Event): Step {
  const { attempt, candidate, serving } = state;
  const abandon: Effect = { do: 'abandon', generation: candidate };
  switch (event.on) {
    case 'change':
      return build(state, serving, attempt.forced, attempt.rebuild, [abandon]);
    case 'force':
      return build(state, serving, true, event.rebuild || attempt.rebuild, [abandon]);
    case 'ready':
      if (event.generation !== candidate) return stay(state);
      return [
        { ...common(state), at: 'serving', serving: candidate, failure: state.standing },
        [
          { do: 'swap', from: serving, to: candidate },
          { do: 'release', failure: state.standing },
          { do: 'announce', generation: candidate },
        ],
      ];
    case 'start-failed':
      if (event.generation !== candidate) return stay(state);
      if (event.skipped) return build(state, serving, attempt.forced, true, [abandon]);
      if (event.busy && serving !== undefined && state.strategy === 'overlap') {
        return [
          { ...common(state), strategy: 'replace', at: 'retiring', serving, attempt, again: false },
          [abandon, { do: 'became-replace' }, { do: 'retire', generation: serving }],
        ];
      }
      if (serving === undefined) {
        const isNews = !event.isFirst && (!attempt.restart || event.unborn);
        return wait(state, state.standing ?? event.failure, event.delay, isNews, [abandon]);
      }
      return rest(state, serving, event.failure, [abandon]);
    case 'overdue':
      if (event.generation !== candidate || serving !== undefined || event.failure === undefined) return stay(state);
      // From now on nobody waits for it: as after a crash, it comes when it comes.
      return [{ ...state, attempt: { ...attempt, restart: true } }, [{ do: 'tell', failure: event.failure }]];
    case 'exit':
      return event.generation === serving ? [{ ...state, serving: undefined }, []] : stay(state);
    default:
      return stay(state);
  }
}

function withoutServer(state: In<'waiting' | 'broken'>, event: Event, before: readonly Effect[]): Step {
  if (event.on === 'change') return build(state, undefined, true, false, before);
  if (event.on === 'force') return build(state, undefined, true, event.rebuild, before);
  if (event.on === 'retry') return tryAgain(state, undefined, { forced: true, background: false }, before);
  return stay(state);
}

/** Nothing has changed on the disk: what failed is done again, and nothing else. */
function tryAgain(
  state: State,
  serving: number | undefined,
  { forced, background }: { readonly forced: boolean; readonly background: boolean },
  before: readonly Effect[],
): Step {
  const attempt: Attempt = { number: state.attempts + 1, forced, rebuild: false, restart: false, retry: true };
  return begin(state, serving, attempt, [...before, ...(background ? [] : [{ do: 'hold' } as const])]);
}

function common({ strategy, generations, attempts }: State): Common {
  return { strategy, generations, attempts };
}

function stay(state: State): Step {
  return [state, []];
}

function build(
  state: State,
  serving: number | undefined,
  forced: boolean,
  rebuild: boolean,
  before: readonly Effect[],
): Step {
  const attempt: Attempt = { number: state.attempts + 1, forced, rebuild, restart: false, retry: false };
  return begin(state, serving, attempt, [...before, { do: 'hold' }]);
}

function begin(state: State, serving: number | undefined, attempt: Attempt, before: readonly Effect[]): Step {
  return [
    { ...common(state), attempts: attempt.number, at: 'building', serving, attempt },
    [...before, { do: 'build', attempt }],
  ];
}

function start(
  state: State,
  serving: number | undefined,
  attempt: Attempt,
  before: readonly Effect[],
  standing?: Failure,
): Step {
  const generation = state.generations + 1;
  return [
    { ...common(state), generations: generation, at: 'starting', serving, candidate: generation, attempt, standing },
    [...before, { do: 'start', generation, attempt }],
  ];
}

/** After a crash the same code is started again: nothing to build. A build that has failed stays so. */
function restart(state: State, failure: Failure | undefined): Step {
  const standing = outlivesStart(failure) ? failure : undefined;
  return start({ ...state, attempts: state.attempts + 1 }, undefined, restartOf(state), [{ do: 'hold' }], standing);
}

function restartOf(state: State): Attempt {
  return { number: state.attempts + 1, forced: true, rebuild: false, restart: true, retry: false };
}

/** A server that comes up disproves that none starts. It says nothing about a build or a configuration. */
function outlivesStart(failure: Failure | undefined): boolean {
  return failure?.kind === 'build' || failure?.kind === 'configuration';
}

function rest(state: State, serving: number, failure: Failure | undefined, before: readonly Effect[] = []): Step {
  return [{ ...common(state), at: 'serving', serving, failure }, [...before, { do: 'release', failure }]];
}

function broken(state: State, failure: Failure, before: readonly Effect[] = []): Step {
  return [{ ...common(state), at: 'broken', failure }, [...before, { do: 'release', failure }]];
}

/** `isNews`: requests are answered with the failure at once, however soon the next start comes. */
function wait(state: State, failure: Failure, delay: number, isNews: boolean, before: readonly Effect[] = []): Step {
  const answers = delay > WORTH_WAITING || isNews || outlivesStart(failure);
  const meanwhile: Effect = answers ? { do: 'release', failure } : { do: 'hold' };
  return [{ ...common(state), at: 'waiting', failure }, [...before, meanwhile, { do: 'wait', delay }]];
}

/** Nothing is under way. */
export function isAtRest({ at }: State): boolean {
  return at === 'serving' || at === 'broken' || at === 'waiting' || at === 'leaving' || at === 'closing';
}
