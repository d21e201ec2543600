/**
 * A smoke run from its beginning to its end: build if there is a build, meet the server in each era, and again over a
 * reload where that is asked for. It prints nothing and ends no process but those it caused.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERAS, type Era } from './eras.js';
import { overReload } from './over-reload.js';
import { isStart } from './proxy-log.js';
import { meet, type Met } from './probe-era.js';
import { failed, ok, skipped, type Check, type Report, type Verdict } from './report.js';
import { awaitLog, check, drop, failureOf, record, visit, type Run, type Setup } from './smoke-run.js';

/** A server that has opened a session in one era has come up: it need not be waited for as long in the other. */
const SECOND_ERA = 2000;

export async function smoke(setup: Setup, tell: (check: Check) => void, signal: AbortSignal): Promise<Report> {
  const begin = performance.now();
  const scratch = await mkdtemp(join(tmpdir(), 'mcp-hotline-smoke-'));
  const run: Run = { setup, scratch, signal, checks: [], tell, stderr: '' };
  try {
    const started = await perform(run);
    const wrong = run.checks.some(({ status }) => status === 'failed');
    const ms = Math.round(performance.now() - begin);
    return { command: setup.shown, checks: run.checks, started, ms, stderr: wrong ? run.stderr : '' };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Whether the server could be started. */
async function perform(run: Run): Promise<boolean> {
  const { setup } = run;
  if (setup.builds !== undefined) {
    const built = await check(run, 'build', 'build', () => build(run, setup.builds ?? 0));
    if (built.status === 'failed') return false;
  }
  const met = await meetAll(run);
  if (run.signal.aborted) return true;
  for (const [era, how] of met) {
    if (setup.reload && how.kind === 'spoken' && how.sound) await overReload(run, era);
  }
  return [...met.values()].some((how) => how.kind === 'spoken' || !how.gone);
}

async function meetAll(run: Run): Promise<Map<Era, Met>> {
  const met = new Map<Era, Met>();
  for (const era of ERAS) {
    const first = [...met.values()].find((how) => how.kind === 'spoken');
    const { timeout } = run.setup;
    const limit = first === undefined ? timeout : Math.min(timeout, SECOND_ERA + 3 * first.ms);
    const how = await meet(run, era, limit);
    met.set(era, how);
    if ((how.kind === 'refused' && how.hopeless) || run.signal.aborted) break;
  }
  const spoken = [...met.values()].some(({ kind }) => kind === 'spoken');
  for (const [era, how] of met) {
    if (how.kind === 'spoken') continue;
    record(
      run,
      era,
      'handshake',
      spoken ? skipped(`not supported by the server (${how.why})`) : failed(how.why, ...how.signs),
      how.ms,
    );
  }
  return met;
}

/** The proxy builds before it starts a server, if it is to build: so let it. */
async function build(run: Run, buildLimit: number): Promise<Verdict> {
  const limit = buildLimit + run.setup.timeout;
  const guest = await visit(run, 'build', 'legacy', ['--reload']);
  const end = await awaitLog(run, guest, (line) => isStart(line) || line.event === 'failed', limit);
  await drop(run, guest);
  if (end?.event === 'starting') return ok('done, and the server starts');
  return end === undefined ? failed(`no server was started within ${limit} ms`) : failureOf(end);
}
