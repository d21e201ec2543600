/**
 * The table of transitions is the whole of it: every state that can be reached, met by every event there can be, does
 * what the named examples do, which state.test.ts compares with docs/reload-states.md. A pair that no example reaches
 * is named.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transition } from '#src/lineage/state.js';
import type { Event, State } from '#src/lineage/states.js';
import { allEventsFor, allStates, sortOf } from './all-pairs.js';
import { eventsFor, kindsOfState, nameOf, nameOfEvent, states } from './cases.js';

const reachable = allStates();

/** What happens, without numbers and words. The strategy stays as it is, or the effects say so. */
function outcome(state: State, event: Event): string {
  const [next, effects] = transition(state, event);
  if (next === state && effects.length === 0) return 'nothing';
  const became = effects.some((effect) => effect.do === 'became-replace');
  assert.equal(next.strategy, became ? 'replace' : state.strategy);
  return `${nameOf(next).replace(', replace', '')} | ${effects.map((effect) => effect.do).join(', ')}`;
}

/** By the names of state and event: what the examples do. Running them is what reaches a pair. */
function reached(): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const state of Object.values(states)) {
    for (const event of Object.values(eventsFor(state)))
      pairs.set(`${nameOf(state)} × ${nameOfEvent(event, state)}`, outcome(state, event));
  }
  return pairs;
}

test('P6 no state meets an event that no example shows', () => {
  const shown = reached();
  const missing = new Set<string>();
  for (const state of reachable) {
    for (const event of allEventsFor(state)) {
      const pair = `${nameOf(state)} × ${nameOfEvent(event, state)}`;
      if (!shown.has(pair)) missing.add(pair);
    }
  }
  assert.deepEqual([...missing], [], 'pairs of a state and an event that no example reaches');
});

test('P6 every example is what its name says', () => {
  const unlike = new Set<string>(Object.keys(eventsFor(states['serving']!)));
  for (const [name, state] of Object.entries(states)) {
    assert.equal(nameOf(state), name);
    // Where there is no attempt or generation, what speaks of one is late.
    for (const [what, event] of Object.entries(eventsFor(state)))
      if (nameOfEvent(event, state) === what) unlike.delete(what);
  }
  assert.deepEqual([...unlike], []);
});

test('P6 every kind of state, and every example of one, can come about', () => {
  assert.deepEqual(new Set(reachable.map((state) => state.at)), new Set<string>(kindsOfState));
  const names = new Set(reachable.map(nameOf));
  assert.deepEqual(
    Object.keys(states).filter((name) => !names.has(name)),
    [],
  );
});

test('P6 whatever else a state or an event says, what follows is what its example shows', () => {
  const shown = reached();
  const other: string[] = [];
  for (const state of reachable) {
    for (const event of allEventsFor(state)) {
      const pair = `${nameOf(state)} × ${nameOfEvent(event, state)}`;
      if (shown.has(pair) && outcome(state, event) !== shown.get(pair))
        other.push(
          `${pair}: ${outcome(state, event)}, not ${shown.get(pair)}, for ${sortOf(state)} ${JSON.stringify(event)}`,
        );
    }
  }
  assert.deepEqual(other, []);
});
