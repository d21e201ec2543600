// What watching a thousand files costs while nobody does anything: processor time, by events and by polling, side by
// side.
import { setTimeout as delay } from 'node:timers/promises';
import { open } from '../client.js';
import { processorTimeOf } from '../processes.js';
import { echo } from '../ways.js';
import type { Group, Sample } from './group.js';

/** Everything is hashed by then. */
const SETTLED = { full: 12_000, quick: 4000 };
/** In each of these slices --poll looks once. */
const SLICE = 2000;
const SLICES = { full: 10, quick: 5 };
/**
 * V8 collects the garbage of the start once or twice more, at a time of its own (seen 8 to 42 s after it): 25 ms in
 * all, a large part of a short time and nothing of a day. What is done again and again is in every slice.
 */
const LEFT_OUT = 2;

export const idle: Group = async (ground, full) => {
  const tree = await ground.tree(1000);
  const clients = {
    events: await open(ground.proxy(['--watch', tree], [echo])),
    poll: await open(ground.proxy(['--watch', tree, '--poll'], [echo])),
  };
  await delay(full ? SETTLED.full : SETTLED.quick);
  const used = { events: [] as number[], poll: [] as number[] };
  for (let slice = 0; slice <= (full ? SLICES.full : SLICES.quick); slice += 1) {
    if (slice > 0) await delay(SLICE);
    for (const mode of ['events', 'poll'] as const) used[mode].push(processorTimeOf(clients[mode].pid) ?? NaN);
  }
  await Promise.all(Object.values(clients).map((client) => client.close()));
  return { ...summary('events', used.events), ...summary('poll', used.poll) };
};

/** In per cent of one processor, less the busiest slices and with them. */
function summary(mode: string, used: readonly number[]): Sample {
  const slices = used.slice(1).map((time, i) => ((time - used[i]!) / SLICE) * 100);
  const most = slices.toSorted((a, b) => a - b);
  const mean = (some: readonly number[]): number => some.reduce((sum, each) => sum + each, 0) / some.length;
  return { [`idle ${mode}`]: mean(most.slice(0, -LEFT_OUT)), [`idle ${mode} all`]: mean(slices) };
}
