// The common part of a smoke run: its settings, its files, how a check is performed and reported, how a connection is
// made, and the checks at the end of each connection. probe-era.ts and over-reload.ts have the checks in between.

import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { join } from 'node:path';
import { printedText } from '../agent/excerpt.js';
import { CLIENT_ENDED } from '../flow/shutdown.js';
import { connect, type Connection, type Ending } from './connection.js';
import { whyNot } from './eras.js';
import { canFindLeftovers, endLeftovers, SMOKE_MARK } from './leftovers.js';
import { logged, readLog, type LogEvent } from './proxy-log.js';
import { counted, failed, resultOf, ok, skipped, type Check, type CheckResult } from './report.js';
import type { Call } from './calls.js';
import type { Way, Ways } from './ways.js';

export interface Setup {
  /** The server's command line, empty if the proxy knows it from elsewhere; and what to call it in the report. */
  readonly server: readonly string[];
  readonly shown: readonly string[];
  /** Options for the proxy, as words. */
  readonly options: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly calls: readonly Call[];
  /** Whether to reload. */
  readonly reload: boolean;
  /** In which ways the server is met, one after the other. */
  readonly ways: Ways;
  /** What clients have to send over HTTP, if the proxy was told so. */
  readonly token: string | undefined;
  /** Milliseconds for one answer. */
  readonly timeout: number;
  /** Whether the proxy has something to watch, and the limit of a build in milliseconds, if it builds. */
  readonly watches: boolean;
  readonly builds: number | undefined;
}

export interface SmokeRun {
  readonly setup: Setup;
  readonly scratch: string;
  readonly signal: AbortSignal;
  readonly checks: Check[];
  tell(check: Check): void;
  /** The last lines of stderr of a connection in which a check failed. */
  stderr: string;
}

/** A connection, and the mark by which its processes are found. */
export interface Probe extends Pick<Way, 'era'> {
  readonly group: string;
  readonly connection: Connection;
  readonly mark: string;
}

/** When the proxy sends SIGTERM to a server whose client has left, and when it kills it, in milliseconds. */
const SIGTERM_AFTER_MS = CLIENT_ENDED.steps[0]?.after ?? 0;
const SIGKILL_AFTER_MS = CLIENT_ENDED.steps.reduce((sum, { after }) => sum + after, 0);
const LAST_LINES = 15;

export async function check(
  run: SmokeRun,
  group: string,
  name: string,
  perform: () => CheckResult | Promise<CheckResult>,
): Promise<CheckResult> {
  const begin = performance.now();
  const checkResult = await perform();
  record(run, group, name, checkResult, performance.now() - begin);
  return checkResult;
}

export function record(run: SmokeRun, group: string, name: string, checkResult: CheckResult, ms: number): void {
  const taken: Check = { group, name, ...checkResult, ms: Math.round(ms) };
  run.checks.push(taken);
  run.tell(taken);
}

export async function openProbe(run: SmokeRun, group: string, way: Way, options: readonly string[]): Promise<Probe> {
  const { setup, scratch } = run;
  const mark = randomUUID();
  const connection = await connect({
    way,
    token: setup.token,
    options: [...setup.options, ...options],
    server: setup.server,
    cwd: setup.cwd,
    env: { ...setup.env, [SMOKE_MARK]: mark },
    log: join(scratch, `${mark}.log`),
  });
  return { group, era: way.era, connection, mark };
}

/** The first such event in the proxy's log, unless the proxy has ended or the limit is over before. */
export function awaitLog(
  run: SmokeRun,
  { connection }: Probe,
  wanted: (event: LogEvent) => boolean,
  limit: number,
): Promise<LogEvent | undefined> {
  return logged(connection.log, wanted, AbortSignal.any([run.signal, connection.ended, AbortSignal.timeout(limit)]));
}

/** The failure as the proxy reports it, with the output of the compiler or the server. */
export function failureOf({ text, kind, command, how, output }: LogEvent): CheckResult {
  // The event's text also says what follows for a session, which does not matter here.
  const what =
    typeof how === 'string' ? `${kind === 'build' ? 'build' : 'start'} failed: ${String(command)} ${how}` : text;
  return failed(typeof output === 'string' && output !== '' ? `${what}\n${output.trimEnd()}` : what);
}

/** Ends a connection without checks. */
export async function closeProbe(run: SmokeRun, { connection, mark }: Probe): Promise<void> {
  await connection.close();
  await endLeftovers(mark);
  if (run.stderr === '') keepLastWords(run, connection);
}

/** Ends a connection, and checks how it ended, which processes are left, stdout and the answers. */
export async function closeAndCheck(run: SmokeRun, probe: Probe): Promise<void> {
  const { group, connection, mark } = probe;
  let ending: Ending | undefined;
  await check(run, group, 'exit', async () => exitResult((ending = await connection.close())));
  await check(run, group, 'processes', async () => {
    const left = await endLeftovers(mark);
    if (!canFindLeftovers) return skipped('this system does not tell which processes are left');
    return resultOf(
      left.map(({ pid, command }) => `a process was left behind: ${pid} ${command}`),
      'none is left',
    );
  });
  await check(run, group, 'stdout', async () => resultOf(await stdoutProblems(probe), 'nothing but messages'));
  await check(run, group, 'answers', () => resultOf(connection.unexpectedAnswers, 'one to each request'));
  if (ending?.early || run.checks.some(({ group: of, status }) => of === group && status === 'failed')) {
    keepLastWords(run, connection);
  }
}

/** Lines on stdout that do not belong there. Those that the proxy did not pass on are in its log. */
export async function stdoutProblems({ era, connection }: Probe): Promise<string[]> {
  const noise = (await readLog(connection.log)).filter(({ event }) => event === 'noise').map(({ text }) => text);
  const serverRequests = era === 'modern' ? [...new Set(connection.serverRequests)] : [];
  const asked = serverRequests.map(
    (method) => `the server asked the client for ${method}, which this era does not have`,
  );
  return [...noise, ...connection.faults, ...asked];
}

function exitResult({ code, signal, ms, after, early, killed }: Ending): CheckResult {
  if (early) return failed(`${whyNot({ kind: 'ended', exit: { code, signal } }, 0)} before its stdin ended`);
  if (killed) return failed('the proxy did not end');
  // A proxy that serves HTTP lives until it is stopped.
  const expected = after === 'stdin' ? 0 : 128 + constants.signals.SIGTERM;
  if (code !== expected) return failed(signal === null ? `the exit code is ${code}` : `it was ended by ${signal}`);
  if (after === 'signal') return ok('when the proxy was stopped');
  const seconds = (ms / 1000).toFixed(1);
  if (ms >= SIGKILL_AFTER_MS)
    return failed(`the server was still there ${seconds} s after its stdin had ended, SIGTERM or not`);
  return ok(ms >= SIGTERM_AFTER_MS ? 'it took a SIGTERM' : 'when its stdin ended');
}

function keepLastWords(run: SmokeRun, connection: Connection): void {
  const lines = printedText(connection.stderr.excerpt(undefined)).trimEnd().split('\n');
  const left = lines.length - LAST_LINES;
  const shown = left > 0 ? [`… ${counted(left, 'line')} …`, ...lines.slice(-LAST_LINES)] : lines;
  run.stderr = shown.join('\n');
}
