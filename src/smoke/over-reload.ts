// One connection in one era through the proxy as it is used, with a reload forced in the middle: the lists and the
// results of the calls must be the same before and after it, and nothing but the one reload must happen.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compareLists, describe } from '../lists/compare.js';
import type { ListName } from '../lists/lists.js';
import { callTool, type Called } from './calls.js';
import { open, type Era } from './eras.js';
import { declared, fetchOne, type Listings } from './listing.js';
import { readLog, type LogEvent } from './proxy-log.js';
import { counted, failed, judged, ok, skipped, type Verdict } from './report.js';
import { awaitLog, check, failureOf, leave, record, visit, type Run, type Visit } from './smoke-run.js';
import { openedVerdict } from './probe-era.js';

/** What the client knows of the server at one time. */
interface Sight {
  readonly listings: Listings;
  readonly calls: readonly Called[];
}

export async function overReload(run: Run, era: Era): Promise<void> {
  const group = `${era}, over a reload`;
  const force = await forcing(run);
  const begin = performance.now();
  const guest = await visit(run, group, era, ['--reload', ...force.options]);
  const opened = await open(guest.connection, era, run.setup.timeout, run.signal);
  const verdict = opened.kind === 'refused' ? failed(opened.why) : openedVerdict(opened);
  record(run, group, 'handshake', verdict, performance.now() - begin);
  if (opened.kind === 'opened') {
    const before = await look(run, guest, opened.capabilities);
    const reloaded = await check(run, group, 'reload', () => reload(run, guest, force.now));
    if (reloaded.status === 'ok') await compare(run, guest, before, opened.capabilities);
  }
  await leave(run, guest);
}

/**
 * A signal does it, build included, where there are signals and the proxy has something to watch. Otherwise it is given
 * a file of ours to watch, and the file changes.
 */
async function forcing(run: Run): Promise<{ options: string[]; now: (guest: Visit) => Promise<void> }> {
  if (run.setup.watches && process.platform !== 'win32') {
    return { options: [], now: async ({ connection }) => connection.signal('SIGUSR2') };
  }
  const trigger = join(run.scratch, 'trigger');
  await writeFile(trigger, 'before');
  return { options: ['--watch', trigger], now: () => writeFile(trigger, 'after') };
}

async function reload(run: Run, guest: Visit, now: (guest: Visit) => Promise<void>): Promise<Verdict> {
  const { connection } = guest;
  const { timeout, builds } = run.setup;
  const limit = timeout + (builds ?? 0);
  await now(guest);
  const end = await awaitLog(run, guest, (event) => isReload(event) || event.event === 'failed', limit);
  connection.forgetQuestions();
  if (end === undefined) return failed(`no new server served within ${limit} ms`);
  if (end.event === 'failed') return failureOf(end);
  return ok(`generation ${String(end['generation'])} in ${String(end['ms'])} ms`);
}

/** The first generation is ready too, but no reload. */
function isReload({ event, generation }: LogEvent): boolean {
  return (event === 'reloaded' || event === 'ready') && Number(generation) > 1;
}

async function compare(
  run: Run,
  guest: Visit,
  before: Sight,
  capabilities: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { group, connection } = guest;
  const begin = performance.now();
  const after = await look(run, guest, capabilities);
  const ms = performance.now() - begin;
  const lists = declared(capabilities);
  const changes = lists.flatMap((list) => {
    const [old, now] = [before.listings.get(list.name), after.listings.get(list.name)];
    if (old === undefined || now === undefined) return [`${list.method} gave no list`];
    return compareLists(list, old, now).map((change) => `the reload changed a list: ${describe(change)}`);
  });
  record(run, group, 'lists', judged(changes, `${counted(lists.length, 'list')} as before`), ms);
  for (const [at, { tool, expect }] of run.setup.calls.entries()) {
    const [old, now] = [before.calls[at], after.calls[at]];
    if (old === undefined || now === undefined) continue;
    record(run, group, `call ${tool}`, callVerdict(old, now, expect.length > 0), 0);
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

/** A result that is said to contain something need not be the same otherwise. */
function callVerdict(before: Called, after: Called, expected: boolean): Verdict {
  const broken = [before, after].find(({ verdict }) => verdict.status !== 'ok');
  if (broken !== undefined) return broken.verdict;
  if (expected) return ok('as expected, before and after');
  if (isDeepStrictEqual(before.result, after.result)) return ok('the same result');
  return failed(
    `the result differs after the reload: ${JSON.stringify(before.result)} before, ${JSON.stringify(after.result)} after. If it may differ, say with --expect what it must contain`,
  );
}

async function look(run: Run, guest: Visit, capabilities: Readonly<Record<string, unknown>>): Promise<Sight> {
  const { connection, era } = guest;
  const { calls, timeout } = run.setup;
  const listings = new Map<ListName, readonly unknown[]>();
  for (const list of declared(capabilities)) {
    const { fetched } = await fetchOne(connection, era, list, timeout, run.signal);
    if (fetched.known) listings.set(list.name, fetched.items);
  }
  const called: Called[] = [];
  for (const call of calls) {
    if (connection.exit !== undefined) called.push({ verdict: skipped('the server is gone'), result: undefined });
    else called.push(await callTool(connection, era, call, listings.get('tools') ?? [], timeout, run.signal));
  }
  return { listings, calls: called };
}
