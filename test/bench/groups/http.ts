// What the proxy costs those who come by HTTP: round trips, fifty clients at once, the start. By turns against the
// least that a Node process can do (http-least.ts), and, if one is named, against another gateway.
import { fileURLToPath } from 'node:url';
import { HttpConnection, startListener, type Listener } from '../http-connection.js';
import { calls, ok, opening, openSession, type HttpEra } from '../http-requests.js';
import { median, percentile } from '../stats.js';
import { echo, type Ground, type Way } from '../ways.js';
import type { Group, Sample } from './group.js';
import { inTurns, summary } from './turns.js';

/** `plain` only forwards (--no-reload); `watching` has a thousand files to watch; `shared` does too, with --share. */
type HttpWayName = 'least' | 'plain' | 'watching' | 'shared' | 'gateway';
type WayTo = (port: number) => Way;

const least = fileURLToPath(new URL('../http-least.js', import.meta.url));

async function waysTo(ground: Ground): Promise<Partial<Record<HttpWayName, WayTo>>> {
  const watch = ['--watch', await ground.tree(1000)];
  const serve = (port: number, ...options: readonly string[]): Way =>
    ground.node([ground.bin, 'serve', '--port', String(port), ...options, '--', process.execPath, echo]);
  const { gateway } = ground;
  return {
    least: (port) => ground.node([least, String(port), process.execPath, echo]),
    plain: (port) => serve(port, '--no-reload'),
    watching: (port) => serve(port, ...watch),
    shared: (port) => serve(port, ...watch, '--share'),
    ...(gateway === undefined
      ? {}
      : {
          gateway: (port) => {
            const words = ['--stdio', `${process.execPath} ${echo}`, '--outputTransport', 'streamableHttp'];
            return ground.node([
              gateway,
              ...words,
              '--stateful',
              '--streamableHttpPath',
              '/mcp',
              '--port',
              String(port),
            ]);
          },
        }),
  };
}

export const httpRoundTrips: Group = (ground, full) =>
  withListeners(ground, ['least', 'plain', 'watching', 'gateway'], async (listeners) => {
    const sample: Record<string, number> = {};
    for (const era of ['legacy', 'modern'] as const) {
      const those = era === 'legacy' ? listeners : without(listeners, 'gateway');
      const clients = new Map<HttpWayName, HttpClient>();
      for (const [name, { port }] of those) clients.set(name, await openHttpClient(port, era));
      const work = (name: HttpWayName): Promise<number[]> => roundTrips(clients.get(name)!, full ? 200 : 60);
      await inTurns(full ? 8 : 2, [...those.keys()], work);
      const trips = await inTurns(full ? 15 : 4, [...those.keys()], work);
      Object.assign(
        sample,
        summary(`http ${era}`, trips, (blocks) => percentile(blocks.flat(), 50)),
      );
      for (const { connection } of clients.values()) connection.close();
    }
    return sample;
  });

const CLIENTS = 50;

/** All requests of the modern era go to one server, as they do with the yardstick; legacy ones do with --share. */
export const httpThroughputs: Group = (ground, full) =>
  withListeners(ground, ['least', 'plain', 'watching', 'shared'], async (listeners) => {
    const sample: Record<string, number> = {};
    for (const [era, names] of [
      ['modern', ['least', 'plain', 'watching']],
      ['legacy', ['least', 'shared']],
    ] as const) {
      const clients = new Map<HttpWayName, HttpClient[]>();
      for (const name of names) {
        const { port } = listeners.get(name)!;
        clients.set(name, await Promise.all(Array.from({ length: CLIENTS }, () => openHttpClient(port, era))));
      }
      const work = (name: HttpWayName): Promise<number> => throughput(clients.get(name)!, full ? 4000 : 600);
      await inTurns(full ? 3 : 1, names, work);
      const times = await inTurns(full ? 5 : 3, names, work);
      Object.assign(sample, summary(`http ${era} ${CLIENTS}`, times, median));
      for (const { connection } of [...clients.values()].flat()) connection.close();
    }
    return sample;
  });

/** From the spawn to the answer to the first request. */
export const httpStarts: Group = async (ground, full) => {
  const ways = await waysTo(ground);
  const names = (['least', 'plain', 'watching', 'gateway'] as const).filter((name) => ways[name] !== undefined);
  const times = await inTurns(full ? 7 : 3, names, async (name) => {
    const begin = performance.now();
    const listener = await startListener(ways[name]!);
    const connection = await HttpConnection.open(listener.port);
    ok(await connection.ask(opening()));
    const took = performance.now() - begin;
    connection.close();
    await listener.close();
    return took;
  });
  return summary('http start', times, median);
};

export interface HttpClient {
  readonly connection: HttpConnection;
  readonly next: () => Buffer[];
}

export async function openHttpClient(port: number, era: HttpEra): Promise<HttpClient> {
  const connection = await HttpConnection.open(port);
  const session = era === 'legacy' ? await openSession(connection) : {};
  const next = calls(era, session);
  ok(await connection.ask(next()));
  return { connection, next };
}

/** Milliseconds of each. */
export async function roundTrips({ connection, next }: HttpClient, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const request = next();
    const begin = performance.now();
    const answer = await connection.ask(request);
    times.push(performance.now() - begin);
    ok(answer);
  }
  return times;
}

/** Milliseconds a call, with one of each client under way. */
async function throughput(clients: readonly HttpClient[], count: number): Promise<number> {
  let left = count;
  const begin = performance.now();
  await Promise.all(
    clients.map(async ({ connection, next }) => {
      while (left-- > 0) ok(await connection.ask(next()));
    }),
  );
  return (performance.now() - begin) / count;
}

type Listeners = ReadonlyMap<HttpWayName, Listener>;

function without(listeners: Listeners, name: HttpWayName): Listeners {
  return new Map([...listeners].filter(([other]) => other !== name));
}

async function withListeners(
  ground: Ground,
  names: readonly HttpWayName[],
  work: (listeners: Listeners) => Promise<Sample>,
): Promise<Sample> {
  const ways = await waysTo(ground);
  const listeners = new Map<HttpWayName, Listener>();
  try {
    for (const name of names) {
      const wayTo = ways[name];
      if (wayTo !== undefined) listeners.set(name, await startListener(wayTo));
    }
    return await work(listeners);
  } finally {
    await Promise.all([...listeners.values()].map((listener) => listener.close()));
  }
}
