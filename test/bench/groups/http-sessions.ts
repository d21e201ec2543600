// What many who come by HTTP cost the proxy: its memory for a further session, its processor time while hundreds of
// streams are open and nothing happens, and how long it stands still when one save reloads a server for each session.
import { appendFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { open, type Client } from '../client.js';
import { HttpConnection } from '../http-connection.js';
import { calls, getting, listening, ok, openSession } from '../http-requests.js';
import { memoryOf, processorTimeOf } from '../processes.js';
import { echo, type Ground } from '../ways.js';
import type { Group, Sample } from './group.js';

const stall = fileURLToPath(new URL('../stall.js', import.meta.url));
const SESSIONS = { full: 64, quick: 12 };
/** The first ones bring what all of them share. */
const FIRST = 4;
const STREAMS = 500;
/** In each of these slices every stream gets one comment that keeps it open. */
const SLICE = 15_000;
const SLICES = { full: 4, quick: 2 };
const SETTLED = 3000;

export const httpSessions: Group = async (ground, full) => ({
  ...(await sessions(ground, full ? SESSIONS.full : SESSIONS.quick)),
  ...(await streams(ground, full ? SLICES.full : SLICES.quick)),
});

/** A proxy with a client on stdio too, whose port for HTTP is told. */
async function openBoth(ground: Ground, options: readonly string[], cwd?: string): Promise<[Client, number]> {
  const words = ['--http=0', '--max-sessions=100', '--log-format=json', ...options];
  const way = ground.proxy(words, [echo], cwd);
  const client = await open({ ...way, args: ['--import', stall, ...way.args] });
  const { port } = await client.logged((entry) => entry.event === 'listening');
  return [client, Number(port)];
}

async function sessions(ground: Ground, count: number): Promise<Sample> {
  const directory = join(ground.scratch, 'http-sessions');
  await mkdir(directory, { recursive: true });
  const watched = join(directory, 'a.js');
  await writeFile(watched, '// 0\n');
  const still = await open(ground.node(['--import', stall, echo]));
  const [client, port] = await openBoth(ground, ['--watch', watched], directory);
  const connections: HttpConnection[] = [];
  const openOne = async (): Promise<void> => {
    const connection = await HttpConnection.open(port);
    const session = await openSession(connection);
    const next = calls('legacy', session);
    for (let call = 0; call < 3; call += 1) ok(await connection.ask(next()));
    const stream = await HttpConnection.open(port);
    await stream.stream(getting(session));
    connections.push(connection, stream);
  };
  for (let opened = 0; opened < FIRST; opened += 1) await openOne();
  const before = await residentOf(client);
  for (let opened = FIRST; opened < count; opened += 1) await openOne();
  const after = await residentOf(client);

  await Promise.all([client.longestStall(), still.longestStall()]);
  appendFileSync(watched, '// 1\n');
  const begin = performance.now();
  await client.logged(() => client.log.filter(({ event }) => event === 'reloaded').length > count);
  const reloaded = performance.now() - begin;
  const [longest, idle] = await Promise.all([client.longestStall(), still.longestStall()]);
  for (const connection of connections) connection.close();
  await Promise.all([client.close(), still.close()]);
  const more = count - FIRST;
  return {
    ...(before === undefined || after === undefined
      ? {}
      : {
          'http session rss': (after.collected - before.collected) / more,
          'http session rss with garbage': (after.now - before.now) / more,
        }),
    'http sessions': count,
    'http save stall': longest,
    'http save stall idle': idle,
    'http save reloaded': reloaded,
  };
}

async function residentOf(client: Client): Promise<{ now: number; collected: number } | undefined> {
  const now = memoryOf(client.pid)?.now;
  await client.collectGarbage();
  const collected = memoryOf(client.pid)?.now;
  return now === undefined || collected === undefined ? undefined : { now, collected };
}

/** In per cent of one processor, less the busiest slice and with it. */
async function streams(ground: Ground, slices: number): Promise<Sample> {
  const [client, port] = await openBoth(ground, ['--watch', await ground.tree(1000)]);
  const connections: HttpConnection[] = [];
  for (let opened = 0; opened < STREAMS; opened += 1) {
    const connection = await HttpConnection.open(port);
    const begun = await connection.stream(listening());
    if (!begun.startsWith('HTTP/1.1 200')) throw new Error(`no stream: ${begun}`);
    connections.push(connection);
  }
  await client.collectGarbage();
  await delay(SETTLED);
  const used: number[] = [];
  for (let slice = 0; slice <= slices; slice += 1) {
    if (slice > 0) await delay(SLICE);
    used.push(processorTimeOf(client.pid) ?? NaN);
  }
  for (const connection of connections) connection.close();
  await client.close();
  const shares = used.slice(1).map((time, at) => ((time - used[at]!) / SLICE) * 100);
  const mean = (some: readonly number[]): number => some.reduce((sum, each) => sum + each, 0) / some.length;
  return {
    'http streams': mean(shares.toSorted((a, b) => a - b).slice(0, -1)),
    'http streams all': mean(shares),
  };
}
