// Probes a server in one way, through the proxy as a plain pipe or bridge, which hides nothing that the server does:
// handshake, lists, names, schemas, calls, end.

import type { ListName } from '../lists/lists.js';
import { callTool } from './calls.js';
import { openSession, type Opened } from './eras.js';
import { declared, fetchOne, listResult, namesResult } from './listing.js';
import { isStart, readLog } from './proxy-log.js';
import { failed, ok, skipped, type CheckResult } from './report.js';
import {
  check,
  closeProbe,
  closeAndCheck,
  record,
  stdoutProblems,
  openProbe,
  type SmokeRun,
  type Probe,
} from './smoke-run.js';
import { schemasResult } from './schemas.js';
import type { Way } from './ways.js';

/** The outcome of the probe. */
export type EraResult =
  | { readonly kind: 'spoken'; readonly isValid: boolean; readonly ms: number }
  /** `gone`: the process ended without an answer. `cannotStart`: no process could be started. */
  | {
      readonly kind: 'refused';
      readonly why: string;
      readonly gone: boolean;
      readonly cannotStart: boolean;
      /** Other observations, which may be the reason. */
      readonly hints: readonly string[];
      readonly ms: number;
    };

export async function probeEra(run: SmokeRun, way: Way, limit: number): Promise<EraResult> {
  const begin = performance.now();
  const probe = await openProbe(run, way.name, way, ['--no-reload']);
  const opened = await openSession(probe.connection, way.era, limit, run.signal);
  const ms = performance.now() - begin;
  if (opened.kind === 'refused') {
    await closeProbe(run, probe);
    const impossible = opened.gone ? await whyNoProcess(probe) : undefined;
    const cannotStart = impossible !== undefined;
    const hints = [...(await stdoutProblems(probe)), ...probe.connection.unexpectedAnswers];
    return { kind: 'refused', why: impossible ?? opened.why, gone: opened.gone, cannotStart, hints, ms };
  }
  record(run, way.name, 'handshake', openedResult(opened), ms);
  if (opened.kind === 'opened') await examine(run, probe, opened.capabilities);
  await closeAndCheck(run, probe);
  return { kind: 'spoken', isValid: opened.kind === 'opened', ms };
}

/** Why no server was started, as the proxy reports it; undefined if one was started. */
async function whyNoProcess({ connection }: Probe): Promise<string | undefined> {
  const events = await readLog(connection.log);
  const failure = events.find(({ event }) => event === 'failed');
  if (failure !== undefined) return failure.text;
  if (events.some(isStart)) return undefined;
  return `mcp-hotline itself ended with code ${connection.exit?.code}, before it had started the server`;
}

/** The check result of a handshake that was not refused. */
export function openedResult(opened: Exclude<Opened, { kind: 'refused' }>): CheckResult {
  return opened.kind === 'opened' ? ok(`${opened.server}, ${opened.version}`) : failed(...opened.problems);
}

async function examine(run: SmokeRun, probe: Probe, capabilities: Readonly<Record<string, unknown>>): Promise<void> {
  const { connection, group, era } = probe;
  const { calls, timeout } = run.setup;
  const listings = new Map<ListName, readonly unknown[]>();
  for (const list of declared(capabilities)) {
    await check(run, group, list.method, async () => {
      if (connection.exit !== undefined) return skipped('the server is gone');
      const { fetched, pages } = await fetchOne(connection, era, list, timeout, run.signal);
      if (fetched.known) listings.set(list.name, fetched.items);
      return listResult(list, fetched, pages);
    });
  }
  const tools = listings.get('tools');
  if (listings.size > 0) await check(run, group, 'names', () => namesResult(listings));
  if (tools !== undefined) await check(run, group, 'schemas', () => schemasResult(tools, era));
  for (const call of calls) {
    await check(run, group, `call ${call.tool}`, async () => {
      if (connection.exit !== undefined) return skipped('the server is gone');
      return (await callTool(connection, era, call, tools ?? [], timeout, run.signal)).checkResult;
    });
  }
}
