// A smoke run from its beginning to its end: runs the build if there is one, probes the server in each way, and again
// over a reload if that is asked for. It prints nothing, and ends no processes but those that it caused.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { overReload } from './over-reload.js';
import { isStart } from './proxy-log.js';
import { probeEra, type EraResult } from './probe-era.js';
import { failed, ok, skipped, type Check, type Report, type CheckResult } from './report.js';
import { awaitLog, check, closeProbe, failureOf, record, openProbe, type SmokeRun, type Setup } from './smoke-run.js';
import type { Way } from './ways.js';

/** A server that has opened a session in one way gets less time in the others. */
const SECOND_ERA_MS = 2000;

export async function smoke(setup: Setup, tell: (check: Check) => void, signal: AbortSignal): Promise<Report> {
  const begin = performance.now();
  const scratch = await mkdtemp(join(tmpdir(), 'mcp-hotline-smoke-'));
  const run: SmokeRun = { setup, scratch, signal, checks: [], tell, stderr: '' };
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
async function perform(run: SmokeRun): Promise<boolean> {
  const { setup } = run;
  if (setup.builds !== undefined) {
    const built = await check(run, 'build', 'build', () => build(run, setup.builds ?? 0));
    if (built.status === 'failed') return false;
  }
  const results = await probeAll(run);
  if (run.signal.aborted) return true;
  for (const [way, result] of results) {
    if (setup.reload && result.kind === 'spoken' && result.isValid) await overReload(run, way);
  }
  return [...results.values()].some((result) => result.kind === 'spoken' || !result.gone);
}

async function probeAll(run: SmokeRun): Promise<Map<Way, EraResult>> {
  const results = new Map<Way, EraResult>();
  for (const way of run.setup.ways) {
    const first = [...results.values()].find((result) => result.kind === 'spoken');
    const { timeout } = run.setup;
    const limit = first === undefined ? timeout : Math.min(timeout, SECOND_ERA_MS + 3 * first.ms);
    const result = await probeEra(run, way, limit);
    results.set(way, result);
    if ((result.kind === 'refused' && result.cannotStart) || run.signal.aborted) break;
  }
  const spoken = [...results.values()].some(({ kind }) => kind === 'spoken');
  for (const [way, result] of results) {
    if (result.kind === 'spoken') continue;
    record(
      run,
      way.name,
      'handshake',
      spoken ? skipped(`not supported by the server (${result.why})`) : failed(result.why, ...result.hints),
      result.ms,
    );
  }
  return results;
}

/** Starts the proxy, which runs the build before it starts a server. */
async function build(run: SmokeRun, buildLimit: number): Promise<CheckResult> {
  const limit = buildLimit + run.setup.timeout;
  const probe = await openProbe(run, 'build', run.setup.ways[0], ['--reload']);
  const end = await awaitLog(run, probe, (line) => isStart(line) || line.event === 'failed', limit);
  await closeProbe(run, probe);
  if (end?.event === 'starting') return ok('done, and the server starts');
  return end === undefined ? failed(`no server was started within ${limit} ms`) : failureOf(end);
}
