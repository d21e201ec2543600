// What the proxy costs every message: round trips, throughput, start-up, memory. Every way is connected at the same
// time and they take turns in short blocks, so that a machine that slows down slows all of them down.
import { connect, type Connection } from '../connection.js';
import { roundTrips, startUp, throughput } from '../measure.js';
import { memoryOf } from '../processes.js';
import { median, percentile } from '../stats.js';
import type { Way, WayName } from '../ways.js';
import type { Group, Sample } from './group.js';
import { inTurns, summary } from './turns.js';

type Names = readonly WayName[];
type Ways = Readonly<Record<WayName, Way>>;

const all: Names = ['direct', 'pipe', 'apart', 'plain', 'watching', 'unchecked'];
const inUse: Names = ['direct', 'pipe', 'plain', 'watching'];
const loads = {
  small: { size: 200, window: 200, count: { full: 30_000, quick: 4000 } },
  medium: { size: 10_000, window: 50, count: { full: 5000, quick: 500 } },
  large: { size: 1_000_000, window: 4, count: { full: 30, quick: 10 } },
} as const;

export const roundTrip: Group = async (ground, full) => {
  const ways = await ground.ways();
  return withConnections(ways, all, async (onEach) => {
    const work = (connection: Connection): Promise<number[]> => roundTrips(connection, 200, full ? 300 : 100);
    await onEach(full ? 10 : 2, work);
    const trips = await onEach(full ? 20 : 4, work);
    return {
      ...summary('p50', trips, (blocks) => percentile(blocks.flat(), 50)),
      ...summary('p99', trips, (blocks) => percentile(blocks.flat(), 99)),
    };
  });
};

export const throughputs: Group = async (ground, full) => {
  const ways = await ground.ways();
  return withConnections(ways, inUse, async (onEach) => {
    const sample: Record<string, number> = {};
    for (const [name, { size, window, count }] of Object.entries(loads)) {
      const load = { size, window, count: full ? count.full : count.quick };
      await onEach(full ? 3 : 1, (connection) => throughput(connection, load));
      const times = await onEach(full ? 5 : 3, (connection) => throughput(connection, load));
      Object.assign(sample, summary(name, times, median));
    }
    return sample;
  });
};

export const startUps: Group = async (ground, full) => {
  const ways = await ground.ways();
  return summary('start', await inTurns(full ? 7 : 3, inUse, (name) => startUp(ways[name])), median);
};

/** After some traffic, when nothing is under way. */
export const memory: Group = async (ground) => {
  const ways = await ground.ways();
  return withConnections(ways, ['pipe', 'plain', 'watching'], async (onEach) => {
    await onEach(3, (connection) => roundTrips(connection, 200, 300));
    const resident = await onEach(1, async (connection) => memoryOf(connection.pid)?.now);
    return summary('rss', resident, ([now]) => now);
  });
};

type OnEach = <T>(blocks: number, work: (connection: Connection) => Promise<T>) => Promise<Map<WayName, T[]>>;

async function withConnections(ways: Ways, names: Names, work: (onEach: OnEach) => Promise<Sample>): Promise<Sample> {
  const connections = new Map<WayName, Connection>();
  try {
    for (const name of names) connections.set(name, await connect(ways[name]));
    return await work((blocks, each) => inTurns(blocks, names, (name) => each(connections.get(name)!)));
  } finally {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  }
}
