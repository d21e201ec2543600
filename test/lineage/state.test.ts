/** The reload's states: what transition() does is what docs/reload-states.md says, for every state and every event. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { initialState, servingOf, transition } from '#src/lineage/state.js';
import type { Effect, Event, State } from '#src/lineage/states.js';
import { eventsFor, nameOf, states } from './cases.js';
import { root } from '../support/paths.js';

/** A row for each way to go on from a state; events that lead the same way share it. `close` ends every state. */
function rows(): string[] {
  const lines: string[] = [];
  for (const [name, state] of Object.entries(states)) {
    const ways = new Map<string, string[]>();
    for (const [what, event] of Object.entries(eventsFor(state))) {
      const [next, effects] = transition(state, event);
      if (what === 'close' || (next === state && effects.length === 0)) continue;
      const way = `${nameOf(next)} | ${effects.map((effect) => effect.do).join(', ') || '–'}`;
      ways.set(way, [...(ways.get(way) ?? []), what]);
    }
    for (const [way, whats] of ways) lines.push(`| ${name} | ${whats.join(' · ')} | ${way} |`);
  }
  return lines;
}

test('P13 every state ends when it is told to', () => {
  for (const state of Object.values(states)) {
    const [closing] = transition(state, { on: 'close' });
    assert.equal(closing.at, 'closing');
    assert.deepEqual(transition(closing, { on: 'close' })[1], []);
  }
});

test('docs/reload-states.md shows the transitions as they are', () => {
  const page = readFileSync(`${root}/docs/reload-states.md`, 'utf8');
  const table = page
    .split('\n')
    .filter((line) => /^\| (serving|building|refreshing|retiring|starting|waiting|broken|closing)/.test(line));
  assert.deepEqual(table, rows());
});

test('P10 an event of a generation or an attempt that is no longer concerned changes nothing', () => {
  for (const state of Object.values(states)) {
    for (const [what, event] of Object.entries(eventsFor(state))) {
      if (what.endsWith('late')) assert.deepEqual(transition(state, event), [state, []], `${state.at} ${what}`);
    }
  }
});

/** Plays random events, answering effects as a controller would, and checks what must hold after each. */
function play(
  seeds: readonly number[],
  check: (state: State, effects: readonly Effect[], event: Event) => void,
  servesMeanwhile = false,
): void {
  let [state] = initialState({ strategy: 'overlap', servesMeanwhile });
  for (const seed of seeds) {
    const events = Object.values(eventsFor(state));
    const event = realigned(events[seed % events.length] as Event, state);
    if (event.on === 'close') continue;
    const [next, effects] = transition(state, event);
    check(next, effects, event);
    state = next;
  }
}

/** The examples speak of generation 3 and attempt 5; the state at hand has other numbers. */
function realigned(event: Event, state: State): Event {
  if ('attempt' in event && 'attempt' in state) return { ...event, attempt: state.attempt.number };
  if ((event.on === 'ready' || event.on === 'start-failed') && state.at === 'starting')
    return { ...event, generation: state.candidate };
  return event;
}

test('P6 whatever happens, one attempt runs at a time, and a hold ends when it is over', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1000 }), { maxLength: 60 }), (seeds) => {
      let background = false;
      play(seeds, (state, effects, event) => {
        assert.ok(effects.filter((effect) => effect.do === 'build' || effect.do === 'start').length <= 1);
        if (event.on === 'repeat') background = event.background;
        if (event.on === 'change' || event.on === 'force') background = false;
        if (state.at === 'serving' || state.at === 'broken') assert.equal(state.held, false, state.at);
        const isAttempt = state.at === 'building' || state.at === 'retiring';
        if (isAttempt && !background) assert.equal(state.held, true, state.at);
        // Nobody can answer, so messages wait or are answered with the failure.
        if (isAttempt && servingOf(state) === undefined) assert.equal(state.held, true, state.at);
      });
    }),
  );
});

test('P4 --while-reloading serve: messages are held only while nobody serves, or while a call waits for an attempt to be repeated', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1000 }), { maxLength: 60 }), (seeds) => {
      let mayHold = true;
      const check = (state: State, _: readonly Effect[], event: Event): void => {
        const isServed = servingOf(state) !== undefined;
        if (!isServed || event.on === 'repeat') mayHold = true;
        if (isServed && (state.at === 'serving' || state.at === 'closing')) mayHold = false;
        if (state.held) assert.ok(mayHold, state.at);
      };
      play(seeds, check, true);
    }),
  );
});

test('a changed configuration: strategy and holding change at once, and nothing else', () => {
  for (const state of Object.values(states)) {
    const event = { on: 'configured', strategy: 'replace', servesMeanwhile: true } as const;
    assert.deepEqual(transition(state, event), [{ ...state, strategy: 'replace', servesMeanwhile: true }, []]);
    const [kept] = transition({ ...state, strategy: 'replace' }, { ...event, strategy: undefined });
    assert.equal(kept.strategy, 'replace');
  }
});

test('P6 a generation is numbered once, and only a started one can serve', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1000 }), { maxLength: 60 }), (seeds) => {
      const started = new Set<number>();
      play(seeds, (state, effects) => {
        for (const effect of effects) {
          if (effect.do === 'start') {
            assert.ok(!started.has(effect.generation));
            started.add(effect.generation);
          }
          if (effect.do === 'swap') assert.ok(started.has(effect.to));
        }
        if (state.at === 'serving') assert.ok(started.has(state.serving));
      });
    }),
  );
});
