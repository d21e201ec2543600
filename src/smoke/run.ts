// What the parts of a smoke run share: what was asked for, where its files lie, how a check is taken and told, how a
// connection is made, and what is looked at whenever one ends. What is checked in between is left to those parts.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { printedText } from '../agent/excerpt.js';
import { CLIENT_ENDED } from '../flow/shutdown.js';
import { connect, type Connection, type Ending } from './connection.js';
import { whyNot, type Era } from './eras.js';
import { canFindLeftovers, endLeftovers, MARK } from './leftovers.js';
import { logged, readLog, type LogEvent } from './proxy-log.js';
import { counted, failed, judged, ok, skipped, type Check, type Verdict } from './report.js';
import type { Call } from './calls.js';

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
  /** Milliseconds for one answer. */
  readonly timeout: number;
  /** Whether the proxy has something to watch, and how long it builds at most, if it builds. */
  readonly watches: boolean;
  readonly builds: number | undefined;
}

export interface Run {
  readonly setup: Setup;
  readonly scratch: string;
  readonly signal: AbortSignal;
  readonly checks: Check[];
  tell(check: Check): void;
  /** The server's last words, where something failed. */
  stderr: string;
}

/** A connection, and what finds its processes. */
export interface Visit {
  readonly group: string;
  readonly era: Era;
  readonly connection: Connection;
  readonly mark: string;
}

/** When the proxy sends SIGTERM to a server whose client has left, and when it has to kill it. */
const TERMINATED = CLIENT_ENDED.steps[0]?.after ?? 0;
const KILLED = CLIENT_ENDED.steps.reduce((sum, { after }) => sum + after, 0);
const LAST_LINES = 15;

export async function check(
  run: Run,
  group: string,
  name: string,
  look: () => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const begin = performance.now();
  const verdict = await look();
  record(run, group, name, verdict, performance.now() - begin);
  return verdict;
}

export function record(run: Run, group: string, name: string, verdict: Verdict, ms: number): void {
  const taken: Check = { group, name, ...verdict, ms: Math.round(ms) };
  run.checks.push(taken);
  run.tell(taken);
}

export async function visit(run: Run, group: string, era: Era, options: readonly string[]): Promise<Visit> {
  const { setup, scratch } = run;
  const mark = randomUUID();
  const connection = await connect({
    options: [...setup.options, ...options],
    server: setup.server,
    cwd: setup.cwd,
    env: { ...setup.env, [MARK]: mark },
    log: join(scratch, `${mark}.log`),
  });
  return { group, era, connection, mark };
}

/** The first such event in the proxy's log, unless the proxy or the patience ends before. */
export function awaitLog(
  run: Run,
  { connection }: Visit,
  wanted: (event: LogEvent) => boolean,
  limit: number,
): Promise<LogEvent | undefined> {
  return logged(connection.log, wanted, AbortSignal.any([run.signal, connection.ended, AbortSignal.timeout(limit)]));
}

/** What the proxy says of a failure, with the words of the compiler or the server. */
export function failureOf({ text, kind, command, how, output }: LogEvent): Verdict {
  // The text says what follows for a session, which this one has no more of.
  const what =
    typeof how === 'string' ? `${kind === 'build' ? 'build' : 'start'} failed: ${String(command)} ${how}` : text;
  return failed(typeof output === 'string' && output !== '' ? `${what}\n${output.trimEnd()}` : what);
}

/** Ends a connection that nothing more is wanted of. */
export async function drop(run: Run, { connection, mark }: Visit): Promise<void> {
  await connection.close();
  await endLeftovers(mark);
  if (run.stderr === '') keepLastWords(run, connection);
}

/** Ends a connection, and judges it as a whole. */
export async function leave(run: Run, guest: Visit): Promise<void> {
  const { group, connection, mark } = guest;
  let ending: Ending | undefined;
  await check(run, group, 'exit', async () => exitVerdict((ending = await connection.close())));
  await check(run, group, 'processes', async () => {
    const left = await endLeftovers(mark);
    if (!canFindLeftovers) return skipped('this system does not tell which processes are left');
    return judged(
      left.map(({ pid, command }) => `a process was left behind: ${pid} ${command}`),
      'none is left',
    );
  });
  await check(run, group, 'stdout', async () => judged(await stdoutProblems(guest), 'nothing but messages'));
  await check(run, group, 'answers', () => judged(connection.strays, 'one to each request'));
  if (ending?.early || run.checks.some(({ group: of, status }) => of === group && status === 'failed')) {
    keepLastWords(run, connection);
  }
}

/** What was on stdout and does not belong there; what the proxy kept away from us, it has logged. */
export async function stdoutProblems({ era, connection }: Visit): Promise<string[]> {
  const noise = (await readLog(connection.log)).filter(({ event }) => event === 'noise').map(({ text }) => text);
  const questions = era === 'modern' ? [...new Set(connection.questions)] : [];
  const asked = questions.map((method) => `the server asked the client for ${method}, which this era does not have`);
  return [...noise, ...connection.faults, ...asked];
}

function exitVerdict({ code, signal, ms, early, killed }: Ending): Verdict {
  if (early) return failed(`${whyNot({ kind: 'ended', exit: { code, signal } }, 0)} before its stdin ended`);
  if (killed) return failed('the proxy did not end');
  if (code !== 0) return failed(signal === null ? `the exit code is ${code}` : `it was ended by ${signal}`);
  const seconds = (ms / 1000).toFixed(1);
  if (ms >= KILLED) return failed(`the server was still there ${seconds} s after its stdin had ended, SIGTERM or not`);
  return ok(ms >= TERMINATED ? 'it took a SIGTERM' : 'when its stdin ended');
}

function keepLastWords(run: Run, connection: Connection): void {
  const lines = printedText(connection.stderr.excerpt(undefined)).trimEnd().split('\n');
  const left = lines.length - LAST_LINES;
  const shown = left > 0 ? [`… ${counted(left, 'line')} …`, ...lines.slice(-LAST_LINES)] : lines;
  run.stderr = shown.join('\n');
}
