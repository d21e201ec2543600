/**
 * The state machine of a lineage, a pure function: `transition(state, event)` returns the next state and the effects.
 * Only the state knows who serves, who is the candidate, which failure stands and whether messages are held. An event
 * of a past generation or attempt is dropped here and nowhere else. `lineage.ts` carries out the effects.
 * docs/reload-states.md has the same function as a table, and a test compares the two.
 */
import type { Failure } from '../agent/words.js';
import type { At, Attempt, Common, Effect, Event, State, Transition, Strategy } from './states.js';

/** Requests are held for a restart within this time. For a later one they are answered with the failure. */
const WORTH_WAITING_MS = 1000;

export interface Settings {
  readonly strategy: Strategy;
  readonly servesMeanwhile: boolean;
}

export function initialState(settings: Settings): Transition {
  const attempt: Attempt = { number: 1, forced: true, rebuild: false, respawn: false, repeat: false };
  return [
    {
      ...settings,
      generations: 0,
      attempts: 1,
      held: true,
      standing: undefined,
      at: 'building',
      serving: undefined,
      attempt,
    },
    [{ do: 'build', attempt }],
  ];
}

/** The generation that new requests go to. */
export function servingOf(state: State): number | undefined {
  return 'serving' in state ? state.serving : undefined;
}

/** The generation that has been started and does not serve yet. */
export function candidateOf(state: State): number | undefined {
  return state.at === 'starting' ? state.candidate : undefined;
}

/** Why no server runs, or why the sources on the disk do not serve. Undefined while an attempt is under way. */
export function failureOf(state: State): Failure | undefined {
  if (state.at === 'serving') return state.standing;
  return 'failure' in state ? state.failure : undefined;
}

/** No attempt is under way. */
export function isAtRest({ at }: State): boolean {
  return at === 'serving' || at === 'broken' || at === 'waiting' || at === 'leaving' || at === 'closing';
}

export function transition(state: State, event: Event): Transition {
  if (event.on === 'close') return close(state);
  if (event.on === 'configured') return configure(state, event);
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
      if (event.on === 'timer') return respawn(state, state.failure);
      return withoutServer(state, event, [{ do: 'stop-waiting' }]);
    case 'broken':
      return withoutServer(state, event, []);
    case 'leaving':
    case 'closing':
      return stay(state);
  }
}

type Effects = readonly Effect[];
type In<A extends At> = Extract<State, { at: A }>;
type UnderWay = In<'building' | 'refreshing' | 'retiring' | 'starting'>;
type ExitEvent = Extract<Event, { on: 'exit' }>;

function close(state: State): Transition {
  if (state.at === 'closing') return stay(state);
  const serving = servingOf(state);
  const messages = serving === undefined ? { held: false, standing: undefined } : {};
  return [{ ...common(state), ...messages, at: 'closing', serving }, [{ do: 'end' }]];
}

/** Applies to the next decision. `replace` that was learnt in this session stays if `strategy` has not changed. */
function configure(state: State, event: Extract<Event, { on: 'configured' }>): Transition {
  const { strategy = state.strategy, servesMeanwhile } = event;
  if (strategy === state.strategy && servesMeanwhile === state.servesMeanwhile) return stay(state);
  return [{ ...state, strategy, servesMeanwhile }, []];
}

function whileServing(state: In<'serving'>, event: Event): Transition {
  const { serving, standing } = state;
  switch (event.on) {
    case 'change':
      return build(state, serving, false, false, []);
    case 'restored':
      return standing === undefined ? stay(state) : build(state, serving, false, false, []);
    case 'force':
      return build(state, serving, true, event.rebuild, []);
    case 'repeat':
      return standing === undefined ? stay(state) : repeat(state, serving, event, []);
    case 'exit':
      return event.generation === serving ? afterExit(state, event) : stay(state);
    case 'overdue':
      return event.generation === serving ? adopt(state, event.generation, event.failure) : stay(state);
    default:
      return stay(state);
  }
}

/** The serving generation has exited while no attempt was under way. */
function afterExit(state: In<'serving'>, event: ExitEvent): Transition {
  const { meaning, delay, failure, skippedBuild } = event;
  const drop = dropOf(event);
  if (meaning === 'leaves') {
    const left: State = { ...common(state), held: false, standing: undefined, at: 'leaving' };
    return [left, [{ ...drop, failure: undefined, isLast: true }, { do: 'let-finish' }]];
  }
  // The server may have failed because the build that was skipped would have made a file.
  if (meaning === 'start' && skippedBuild) return build(state, undefined, true, true, [drop]);
  if (delay > 0) return wait(state, state.standing ?? failure, delay, meaning === 'start', [drop]);
  return respawn(state, state.standing, [drop]);
}

/** A restart that the server asked for is no failure, so answers do not name one. */
function dropOf({ generation, meaning, failure }: ExitEvent): Extract<Effect, { do: 'drop' }> {
  return { do: 'drop', generation, failure: meaning === 'restarts' ? undefined : failure, isLast: false };
}

/** The proxy has answered the handshake for this generation: its process goes on as a candidate. */
function adopt(state: State, generation: number, failure: Failure | undefined): Transition {
  const attempt = respawnOf(state);
  const next: State = {
    ...common(state),
    attempts: attempt.number,
    held: failure === undefined,
    standing: failure,
    at: 'starting',
    serving: undefined,
    candidate: generation,
    attempt,
    outlasting: undefined,
  };
  const answered: Effects = failure === undefined ? [] : [{ do: 'end-attempt', failure }];
  return [next, [...answered, { do: 'adopt', generation, attempt }]];
}

function whileBuilding(state: In<'building'>, event: Event): Transition {
  const { attempt, serving } = state;
  switch (event.on) {
    case 'change':
      return build(state, serving, attempt.forced, attempt.rebuild, [{ do: 'abort-build' }]);
    case 'force':
      return build(state, serving, true, event.rebuild || attempt.rebuild, [{ do: 'abort-build' }]);
    case 'repeat':
      return join(state, event);
    case 'built':
      if (event.attempt !== attempt.number) return stay(state);
      if (serving !== undefined && !attempt.forced && event.next === 'nothing') return rest(state, serving, undefined);
      if (serving !== undefined && !attempt.forced && event.next === 'refresh') {
        return [{ ...common(state), at: 'refreshing', serving, attempt }, [{ do: 'refresh', generation: serving }]];
      }
      if (state.strategy === 'overlap' || serving === undefined) return start(state, serving, attempt, []);
      return retire(state, serving, attempt, []);
    case 'build-failed':
      if (event.attempt !== attempt.number) return stay(state);
      if (serving !== undefined) return rest(state, serving, event.failure);
      // If a server has run before, an earlier build exists to start it from.
      return state.generations === 0 ? broken(state, event.failure) : wait(state, event.failure, event.delay, false);
    case 'exit':
      return event.generation === serving ? withoutServing(state, event) : stay(state);
    default:
      return stay(state);
  }
}

function whileRefreshing(state: In<'refreshing'>, event: Event): Transition {
  const { attempt, serving } = state;
  switch (event.on) {
    case 'change':
      return build(state, serving, false, false, [{ do: 'abort-build' }]);
    case 'force':
      return build(state, serving, true, event.rebuild, [{ do: 'abort-build' }]);
    case 'repeat':
      return join(state, event);
    case 'refreshed': {
      if (event.attempt !== attempt.number) return stay(state);
      const [next, effects] = rest(state, serving, undefined);
      return [next, [...effects, { do: 'announce', generation: serving }]];
    }
    case 'exit':
      if (event.generation !== serving) return stay(state);
      return build(state, undefined, true, false, [dropOf(event), { do: 'abort-build' }]);
    default:
      return stay(state);
  }
}

function whileRetiring(state: In<'retiring'>, event: Event): Transition {
  const { attempt, retiring } = state;
  switch (event.on) {
    case 'change':
      return [{ ...state, again: true }, []];
    case 'force':
      return [
        { ...state, again: true, attempt: { ...attempt, forced: true, rebuild: attempt.rebuild || event.rebuild } },
        [],
      ];
    case 'repeat':
      return join(state, event);
    case 'drains':
      if (event.generation !== state.serving) return stay(state);
      return [{ ...state, serving: undefined, held: true }, []];
    case 'exit':
      return event.generation === state.serving ? afterRetired(state, [dropOf(event)]) : stay(state);
    case 'retired':
      return event.generation === retiring ? afterRetired(state, []) : stay(state);
    default:
      return stay(state);
  }
}

function afterRetired(state: In<'retiring'>, before: Effects): Transition {
  const { attempt, again } = state;
  return again
    ? build(state, undefined, attempt.forced, attempt.rebuild, before)
    : start(state, undefined, attempt, before);
}

function whileStarting(state: In<'starting'>, event: Event): Transition {
  const { attempt, candidate, serving, outlasting } = state;
  const abandon: Effect = { do: 'abandon', generation: candidate };
  switch (event.on) {
    case 'change':
      return build(state, serving, attempt.forced, attempt.rebuild, [abandon]);
    case 'force':
      return build(state, serving, true, event.rebuild || attempt.rebuild, [abandon]);
    case 'repeat':
      return join(state, event);
    case 'ready': {
      if (event.generation !== candidate) return stay(state);
      const [next, effects] = rest(state, candidate, outlasting, [{ do: 'swap', from: serving, to: candidate }]);
      return [next, [...effects, { do: 'announce', generation: candidate }]];
    }
    case 'start-failed':
      if (event.generation !== candidate) return stay(state);
      if (event.skipped) return build(state, serving, attempt.forced, true, [abandon]);
      // The strategy may have become `replace` while it was starting: an edit of the configuration file.
      if (event.busy && serving !== undefined)
        return retire({ ...state, strategy: 'replace' }, serving, attempt, [abandon, { do: 'became-replace' }]);
      if (serving === undefined) {
        const isNews = !event.isFirst && (!attempt.respawn || event.beforeFirstAnswer);
        return wait(state, outlasting ?? event.failure, event.delay, isNews, [abandon]);
      }
      return rest(state, serving, event.failure, [abandon]);
    case 'overdue': {
      const { failure, generation } = event;
      if (generation !== candidate || serving !== undefined || failure === undefined) return stay(state);
      // Requests are no longer held for this start. It goes on like a respawn after a crash.
      const outlived: State = { ...state, held: false, standing: failure, attempt: { ...attempt, respawn: true } };
      return [outlived, [{ do: 'end-hold', failure }]];
    }
    case 'exit':
      return event.generation === serving ? withoutServing(state, event) : stay(state);
    default:
      return stay(state);
  }
}

/** The serving generation has exited during an attempt, which goes on: its end decides what follows. */
function withoutServing(state: In<'building' | 'starting'>, event: ExitEvent): Transition {
  return [{ ...state, serving: undefined, held: true }, [dropOf(event)]];
}

/** A tool call waits for the attempt under way, except for a respawn after a crash: that may take for ever. */
function join(state: UnderWay, { background }: { readonly background: boolean }): Transition {
  if (state.held || background || state.attempt.respawn) return stay(state);
  return [{ ...state, held: true }, []];
}

function withoutServer(state: In<'waiting' | 'broken'>, event: Event, before: Effects): Transition {
  if (event.on === 'change') return build(state, undefined, true, false, before);
  if (event.on === 'force') return build(state, undefined, true, event.rebuild, before);
  if (event.on === 'repeat') return repeat(state, undefined, { forced: true, background: false }, before);
  return stay(state);
}

/** No file has changed: only the step that failed is done again. */
function repeat(
  state: State,
  serving: number | undefined,
  { forced, background }: { readonly forced: boolean; readonly background: boolean },
  before: Effects,
): Transition {
  const attempt: Attempt = { number: state.attempts + 1, forced, rebuild: false, respawn: false, repeat: true };
  return begin({ ...state, held: state.held || !background }, serving, attempt, before);
}

function common({ strategy, servesMeanwhile, generations, attempts, held, standing }: State): Common {
  return { strategy, servesMeanwhile, generations, attempts, held, standing };
}

function stay(state: State): Transition {
  return [state, []];
}

/** A file has changed, or a restart was requested: builds the sources on the disk, to serve them. */
function build(
  state: State,
  serving: number | undefined,
  forced: boolean,
  rebuild: boolean,
  before: Effects,
): Transition {
  const attempt: Attempt = { number: state.attempts + 1, forced, rebuild, respawn: false, repeat: false };
  const held = state.held || serving === undefined || !state.servesMeanwhile;
  return begin({ ...state, held }, serving, attempt, before);
}

function begin(state: State, serving: number | undefined, attempt: Attempt, before: Effects): Transition {
  return [
    { ...common(state), attempts: attempt.number, at: 'building', serving, attempt },
    [...before, { do: 'build', attempt }],
  ];
}

function retire(state: State, serving: number, attempt: Attempt, before: Effects): Transition {
  return [
    { ...common(state), at: 'retiring', serving, retiring: serving, attempt, again: false },
    [...before, { do: 'retire', generation: serving }],
  ];
}

function start(
  state: State,
  serving: number | undefined,
  attempt: Attempt,
  before: Effects,
  outlasting?: Failure,
): Transition {
  const generation = state.generations + 1;
  return [
    {
      ...common(state),
      generations: generation,
      held: state.held || serving === undefined,
      at: 'starting',
      serving,
      candidate: generation,
      attempt,
      outlasting,
    },
    [...before, { do: 'start', generation, attempt }],
  ];
}

/** Starts the same code again after a crash, without a build. The failure of a build still stands. */
function respawn(state: State, failure: Failure | undefined, before: Effects = []): Transition {
  const outlasting = outlivesStart(failure) ? failure : undefined;
  const next = { ...state, attempts: state.attempts + 1 };
  return start(next, undefined, respawnOf(state), before, outlasting);
}

function respawnOf(state: State): Attempt {
  return { number: state.attempts + 1, forced: true, rebuild: false, respawn: true, repeat: false };
}

/** A successful start refutes the failure of a start, but not that of a build or a configuration. */
function outlivesStart(failure: Failure | undefined): boolean {
  return failure?.kind === 'build' || failure?.kind === 'configuration';
}

function rest(state: State, serving: number, failure: Failure | undefined, before: Effects = []): Transition {
  return [
    { ...common(state), held: false, standing: failure, at: 'serving', serving },
    [...before, { do: 'end-attempt', failure }],
  ];
}

function broken(state: State, failure: Failure): Transition {
  const next: State = { ...common(state), held: false, standing: failure, at: 'broken', failure };
  return [next, [{ do: 'end-attempt', failure }]];
}

/** `isNews`: requests are answered with the failure even if the next start comes soon. */
function wait(state: State, failure: Failure, delay: number, isNews: boolean, before: Effects = []): Transition {
  const isAnswered = delay > WORTH_WAITING_MS || isNews || outlivesStart(failure);
  const messages = isAnswered ? { held: false, standing: failure } : { held: true };
  const answers: Effects = isAnswered ? [{ do: 'end-attempt', failure }] : [];
  return [{ ...common(state), ...messages, at: 'waiting', failure }, [...before, ...answers, { do: 'wait', delay }]];
}
