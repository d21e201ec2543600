// What watching a thousand files costs while nobody does anything: processor time, by events and by polling, side by side.
import { setTimeout as delay } from 'node:timers/promises';
import { open } from '../client.js';
import { processorTimeOf } from '../processes.js';
import { echo } from '../ways.js';
import type { Group } from './group.js';

/** Everything is hashed by then. V8 collects the garbage of the start 8 s after it, and once more 9 s later: in a full run
 * the first, and larger, of the two does not count, the second does. */
const SETTLED = { full: 12_000, quick: 4000 };

export const idle: Group = async (ground, full) => {
  const tree = await ground.tree(1000);
  const clients = {
    events: await open(ground.proxy(['--watch', tree], [echo])),
    poll: await open(ground.proxy(['--watch', tree, '--poll'], [echo])),
  };
  const sample: Record<string, number> = {};
  await delay(full ? SETTLED.full : SETTLED.quick);
  const begin = performance.now();
  const before = Object.entries(clients).map(([mode, { pid }]) => [mode, pid, processorTimeOf(pid)] as const);
  await delay(full ? 20_000 : 6000);
  for (const [mode, pid, used] of before) {
    const now = processorTimeOf(pid);
    if (used === undefined || now === undefined) continue;
    sample[`idle ${mode}`] = ((now - used) / (performance.now() - begin)) * 100;
  }
  await Promise.all(Object.values(clients).map((client) => client.close()));
  return sample;
};
