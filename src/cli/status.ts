// `mcp-hotline status`: the proxies that run for a directory, what each of them serves, its last reload and its last failure,
// for people or as data. Reads what the proxies show of themselves, and asks none of them.

import type { Result } from '../config/check.js';
import type { Given } from '../config/config.js';
import { lastOf } from '../log/audit.js';
import { escapeControls } from '../log/log.js';
import { runningProxies, type RunningProxy } from '../log/shown.js';
import { localTime, phasesText } from './audit-text.js';
import { findStateDirs, nothingFound } from './state-dirs.js';

interface Server {
  readonly command: string;
  readonly stateDir: string;
  readonly running: readonly RunningProxy[];
  /** The end of the trail, where no proxy runs that could tell. */
  readonly last: { readonly time: string; readonly event: string } | undefined;
}

/** What to print, and the exit code: 0 if a proxy runs, else 1. */
export async function status(given: Given & { json?: boolean }): Promise<Result<{ text: string; code: number }>> {
  const found = await findStateDirs(given);
  if (!found.ok) return found;
  const { cwd, dirs } = found.value;
  const servers = await Promise.all(dirs.map(({ dir, about }) => serverOf(dir, about.command)));
  const running = servers.some((server) => server.running.length > 0);
  if (given.json !== true && servers.length === 0) return { ok: false, error: nothingFound(cwd) };
  const text =
    given.json === true ? JSON.stringify({ cwd, servers }, undefined, 2) : servers.map(serverText).join('\n\n');
  return { ok: true, value: { text, code: running ? 0 : 1 } };
}

async function serverOf(dir: string, command: string): Promise<Server> {
  const running = await runningProxies(dir);
  const last = running.length > 0 ? undefined : await lastOf(dir);
  return { command, stateDir: dir, running, last: last && { time: last.time, event: last.event } };
}

function serverText({ command, stateDir, running, last }: Server): string {
  const lines = running.flatMap(proxyLines);
  const nobody = `  no proxy is running${last === undefined ? '' : `; last: ${last.event} at ${localTime(last.time)}`}`;
  return [command, ...(lines.length > 0 ? lines : [nobody]), `  state in ${stateDir}`].map(escapeControls).join('\n');
}

function proxyLines({ proxy, since, generation, server, lastReload, lastFailure }: RunningProxy): string[] {
  const last = generation === undefined ? '' : `; generation ${generation} has ended`;
  const serving = server === undefined ? `no server is running${last}` : `generation ${generation} (pid ${server})`;
  const lines = [`  proxy ${proxy} since ${localTime(since)}: ${serving}`];
  if (lastReload !== undefined) {
    const { at, ms = 0, phases, cause, changes = [] } = lastReload;
    const why = cause === undefined ? '' : ` (${cause})`;
    lines.push(`    last reload   ${localTime(at)} in ${ms} ms${phasesText(phases)}${why}`);
    if (changes.length > 0) lines.push(`    changed       ${changes.join(', ')}`);
  }
  if (lastFailure !== undefined) {
    const { at, event, cause } = lastFailure;
    lines.push(`    last failure  ${localTime(at)} ${event}: ${cause}`);
  }
  return lines;
}
