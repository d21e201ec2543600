// Probes a server in one era over a reload, through the proxy as it is used: the lists and the results of the calls
// must be the same before and after, and nothing but the one reload must happen.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compareLists, describe } from '../lists/compare.js';
import type { ListName } from '../lists/lists.js';
import { callTool, type Called } from './calls.js';
import { openSession } from './eras.js';
import { declared, fetchOne, type Listings } from './listing.js';
import { readLog, type LogEvent } from './proxy-log.js';
import { counted, failed, resultOf, ok, skipped, type CheckResult } from './report.js';
import {
  awaitLog,
  check,
  failureOf,
  closeAndCheck,
  record,
  openProbe,
  type SmokeRun,
  type Probe,
} from './smoke-run.js';
import { openedResult } from './probe-era.js';
import type { Way } from './ways.js';

/** The lists and the results of the calls at one time. */
interface Snapshot {
  readonly listings: Listings;
  readonly calls: readonly Called[];
}

export async function overReload(run: SmokeRun, way: Way): Promise<void> {
  const group = `${way.name}, over a reload`;
  const force = await reloadTrigger(run);
  const begin = performance.now();
  const probe = await openProbe(run, group, way, ['--reload', ...force.options]);
  const opened = await openSession(probe.connection, way.era, run.setup.timeout, run.signal);
  const checkResult = opened.kind === 'refused' ? failed(opened.why) : openedResult(opened);
  record(run, group, 'handshake', checkResult, performance.now() - begin);
  if (opened.kind === 'opened') {
    const before = await takeSnapshot(run, probe, opened.capabilities);
    const reloaded = await check(run, group, 'reload', () => reload(run, probe, force.now));
    if (reloaded.status === 'ok') await compare(run, probe, before, opened.capabilities);
  }
  await closeAndCheck(run, probe);
}

/**
 * A signal forces a reload, build included, where there are signals and the proxy has something to watch. Otherwise the
 * proxy watches a file of our own, and we change it.
 */
async function reloadTrigger(run: SmokeRun): Promise<{ options: string[]; now: (probe: Probe) => Promise<void> }> {
  if (run.setup.watches && process.platform !== 'win32') {
    return { options: [], now: async ({ connection }) => connection.signal('SIGUSR2') };
  }
  const trigger = join(run.scratch, 'trigger');
  await writeFile(trigger, 'before');
  return { options: ['--watch', trigger], now: () => writeFile(trigger, 'after') };
}

async function reload(run: SmokeRun, probe: Probe, now: (probe: Probe) => Promise<void>): Promise<CheckResult> {
  const { connection } = probe;
  const { timeout, builds } = run.setup;
  const limit = timeout + (builds ?? 0);
  await now(probe);
  const end = await awaitLog(run, probe, (event) => isReload(event) || event.event === 'failed', limit);
  connection.forgetServerRequests();
  if (end === undefined) return failed(`no new server served within ${limit} ms`);
  if (end.event === 'failed') return failureOf(end);
  return ok(`generation ${String(end['generation'])} in ${String(end['ms'])} ms`);
}

/** A `ready` event of the first generation is no reload. */
function isReload({ event, generation }: LogEvent): boolean {
  return (event === 'reloaded' || event === 'ready') && Number(generation) > 1;
}

async function compare(
  run: SmokeRun,
  probe: Probe,
  before: Snapshot,
  capabilities: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { group, connection } = probe;
  const begin = performance.now();
  const after = await takeSnapshot(run, probe, capabilities);
  const ms = performance.now() - begin;
  const lists = declared(capabilities);
  const changes = lists.flatMap((list) => {
    const [old, now] = [before.listings.get(list.name), after.listings.get(list.name)];
    if (old === undefined || now === undefined) return [`${list.method} gave no list`];
    return compareLists(list, old, now).map((change) => `the reload changed a list: ${describe(change)}`);
  });
  record(run, group, 'lists', resultOf(changes, `${counted(lists.length, 'list')} as before`), ms);
  for (const [at, { tool, expect }] of run.setup.calls.entries()) {
    const [old, now] = [before.calls[at], after.calls[at]];
    if (old === undefined || now === undefined) continue;
    record(run, group, `call ${tool}`, callResult(old, now, expect.length > 0), 0);
  }
  await check(run, group, 'reloads', async () => {
    const reloads = (await readLog(connection.log)).filter(isReload);
    if (reloads.length === 1) return ok('one, as asked');
    return failed(
      `the server was reloaded ${reloads.length} times, and asked to once`,
      ...reloads.map(({ text }) => text),
    );
  });
}

/** With `--expect` the rest of a result may differ. */
function callResult(before: Called, after: Called, expected: boolean): CheckResult {
  const broken = [before, after].find(({ checkResult }) => checkResult.status !== 'ok');
  if (broken !== undefined) return broken.checkResult;
  if (expected) return ok('as expected, before and after');
  if (isDeepStrictEqual(before.result, after.result)) return ok('the same result');
  return failed(
    `the result differs after the reload: ${JSON.stringify(before.result)} before, ${JSON.stringify(after.result)} after. If it may differ, say with --expect what it must contain`,
  );
}

async function takeSnapshot(
  run: SmokeRun,
  probe: Probe,
  capabilities: Readonly<Record<string, unknown>>,
): Promise<Snapshot> {
  const { connection, era } = probe;
  const { calls, timeout } = run.setup;
  const listings = new Map<ListName, readonly unknown[]>();
  for (const list of declared(capabilities)) {
    const { fetched } = await fetchOne(connection, era, list, timeout, run.signal);
    if (fetched.known) listings.set(list.name, fetched.items);
  }
  const called: Called[] = [];
  for (const call of calls) {
    if (connection.exit !== undefined) called.push({ checkResult: skipped('the server is gone'), result: undefined });
    else called.push(await callTool(connection, era, call, listings.get('tools') ?? [], timeout, run.signal));
  }
  return { listings, calls: called };
}
