// One run of the soak: four clients with a proxy and a project each, two on pipes and two over HTTP, unrest for as
// long as was asked for, then rest, in which everything must be answered, up to date and gone. What is seen is
// returned; showing it is report.ts's.

import { setMaxListeners } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killAll, processesLeft, processesOf } from '../support/processes.js';
import { startClient } from './client.js';
import type { Client, ClientPlan } from './client.js';
import { inEra } from './calls.js';
import { createRandom } from '../support/random.js';
import { createOverdue, growth, sample } from './samples.js';
import type { Sample } from './samples.js';
import { createSources } from './sources.js';
import { concluded, fault } from './tally.js';
import type { Facts, Tally } from './tally.js';
import { makeUnrest } from './unrest.js';
import type { Intervals, Unrest } from './unrest.js';

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly intervals: Intervals;
  /** Calls at a time, a client. */
  readonly lanes: number;
  /** At most so many milliseconds between two calls of a lane. */
  readonly pause: number;
  /** The servers speak HTTP themselves: one of each kind. */
  readonly isUpstream?: boolean;
  /** More options for every proxy. */
  readonly options?: readonly string[];
  /** Told of the present state every so often. */
  readonly progress?: (state: Soak) => void;
}

export interface Soak {
  readonly clients: readonly {
    readonly plan: ClientPlan;
    readonly tally: Tally;
    readonly events: ReadonlyMap<string, number>;
    readonly warnings: ReadonlyMap<string, number>;
    readonly samples: readonly Sample[];
    /** The most servers that were alive at a time, as far as was seen. */
    readonly mostServers: number;
  }[];
  readonly unrest: Unrest;
  /** Since the beginning. */
  seconds: number;
}

/** Windows has no such program. */
const grandchild = process.platform !== 'win32';
const plain = { agentTools: false, grandchild: false, isHttp: false };
const replace = ['--strategy', 'replace'];
const plans: readonly ClientPlan[] = [
  { name: 'legacy, overlap', era: 'legacy', options: [], ...plain, grandchild },
  { name: 'legacy, replace, HTTP', era: 'legacy', options: replace, ...plain, isHttp: true },
  {
    name: 'modern, overlap, HTTP',
    era: 'modern',
    options: ['--agent-tools'],
    ...plain,
    agentTools: true,
    isHttp: true,
  },
  { name: 'modern, replace', era: 'modern', options: replace, ...plain },
];

/** Before servers that speak HTTP themselves. */
const upstreamPlans: readonly ClientPlan[] = [
  { name: 'legacy, server with sessions', era: 'legacy', options: [], ...plain, grandchild, upstream: 'stateful' },
  { name: 'legacy, HTTP, no sessions', era: 'legacy', options: [], ...plain, isHttp: true, upstream: 'stateless' },
  { name: 'legacy, HTTP+SSE server', era: 'legacy', options: replace, ...plain, upstream: 'sse' },
  { name: 'modern, HTTP', era: 'modern', options: [], ...plain, isHttp: true, upstream: 'stateful' },
];

/** Longer than a call may be held, with time to spare. */
const PATIENCE = 120_000;
const EVERY = { sample: 2_000, processes: 5, progress: 5 };

export async function soak(options: SoakOptions): Promise<Soak> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-hotline-soak-')));
  const clients = (options.isUpstream === true ? upstreamPlans : plans).map((plan, at) => {
    const place = join(directory, String(at));
    mkdirSync(place);
    return startClient({ ...plan, options: [...plan.options, ...(options.options ?? [])] }, createSources(place));
  });
  try {
    return await under(options, clients);
  } finally {
    for (const { marker } of clients) killAll(processesOf(marker));
    rmSync(directory, { recursive: true, force: true });
  }
}

async function under(options: SoakOptions, clients: readonly Client[]): Promise<Soak> {
  const begin = performance.now();
  const now = () => (performance.now() - begin) / 1000;
  const seen = clients.map((client) => ({
    client,
    samples: [] as Sample[],
    mostServers: 0,
    late: createOverdue(client),
  }));
  const unrest: Unrest = { edits: 0, crashes: 0, breaks: 0 };
  const state: Soak = {
    clients: seen.map((one) => ({
      plan: one.client.plan,
      tally: one.client.tally,
      events: one.client.log.events,
      warnings: one.client.log.warnings,
      samples: one.samples,
      get mostServers() {
        return one.mostServers;
      },
    })),
    unrest,
    seconds: 0,
  };
  await Promise.all(clients.map((client) => client.open()));

  const random = createRandom(options.seed);
  const over = new AbortController();
  // Every pause of every lane listens.
  setMaxListeners(0, over.signal);
  const watching = (async () => {
    for (let round = 1; !over.signal.aborted; round += 1) {
      await delay(EVERY.sample, undefined, { signal: over.signal }).catch(() => {});
      state.seconds = now();
      for (const one of seen) {
        const taken = sample(one.client.pid, now());
        if (taken !== undefined) one.samples.push(taken);
        if (round % EVERY.processes !== 0) continue;
        for (const story of one.late(now())) fault(one.client.tally, 'leaks', story);
        one.mostServers = Math.max(one.mostServers, processesOf(one.client.marker).length - 1);
      }
      if (round % EVERY.progress === 0) options.progress?.(state);
    }
  })();
  const lanes = clients.flatMap((client) =>
    Array.from({ length: options.lanes }, (_, lane) =>
      client.lane(random.fork(`${client.plan.name} ${lane}`), options.pause, over.signal),
    ),
  );
  const disturbing = makeUnrest(clients, options.intervals, random.fork('unrest'), unrest, over.signal);
  await delay(options.seconds * 1000);
  over.abort();
  await Promise.all([disturbing, watching]);
  await within(Promise.all(lanes));
  await Promise.all(clients.map(rest));
  for (const { client, samples } of seen) {
    for (const story of growth(samples)) fault(client.tally, 'growth', story);
  }
  await Promise.all(clients.map(end));
  state.seconds = now();
  return state;
}

/** Nothing changes any more: everything is answered, by the last version, and the client knows the tools. */
async function rest(client: Client): Promise<void> {
  const { tally, sources, plan } = client;
  const deadline = performance.now() + PATIENCE;
  const version = await lastVersion(client, deadline);
  if (version !== sources.saved)
    fault(tally, 'unsettled', `${plan.name}: ${version} instead of ${sources.saved}\n${client.log.last(20)}`);
  const isKnown = () => {
    const extra = client.tools().filter((name) => name.startsWith('extra-'));
    return extra.sort().join() === [...sources.tools].sort().join();
  };
  const isOpen = () => [...tally.open.keys()].some((id) => !client.takenBack.has(id));
  while ((isOpen() || !isKnown()) && performance.now() < deadline) await delay(20);
  if (!isKnown()) fault(tally, 'lists', `${plan.name}: ${client.tools().join()} instead of ${sources.tools.join()}`);
}

/** A server that has just crashed may answer a little later; one that answers has to be the last. */
async function lastVersion({ ask, plan }: Client, deadline: number): Promise<number | undefined> {
  const params = inEra(plan.era, { uri: 'soak://facts' });
  while (performance.now() < deadline) {
    const answer = await within(ask({ method: 'resources/read', params }));
    if (answer?.result !== undefined) return (JSON.parse(answer.result.contents[0].text as string) as Facts).version;
    await delay(100);
  }
  return undefined;
}

async function end(client: Client): Promise<void> {
  const { tally, plan, marker, sources } = client;
  const code = await within(client.close());
  if (code !== 0) fault(tally, 'exits', `${plan.name}: ${code}\n${client.log.last(20)}`);
  const left = await processesLeft(marker, 10_000);
  for (const { pid, command } of left) fault(tally, 'leaks', `${plan.name}: ${pid} ${command}`);
  const effects = readFileSync(sources.effects, 'utf8').trimEnd().split('\n').filter(Boolean).map(Number);
  concluded(tally, client.takenBack, effects);
}

/** What takes longer is missed where it is counted. */
function within<T>(wanted: Promise<T>): Promise<T | undefined> {
  return Promise.race([wanted, delay(PATIENCE, undefined, { ref: false })]);
}
