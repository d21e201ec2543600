// `mcp-hotline status`: the proxies that run for a directory, and for each the state of its server, its last reload and
// its last failure, for people or as data. It reads the status files of the proxies, and asks none of them.

import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../config/check.js';
import type { CommandLineOptions } from '../config/config.js';
import { lastOf } from '../state/audit-trail.js';
import { escapeControls } from '../sinks/escape-controls.js';
import { ALL_SESSIONS, runningProxies, type About, type ProxyHealth, type RunningProxy } from '../state/status-file.js';
import { indented, localTime, phasesText } from './audit-text.js';
import { commandText, findStateDirs, idOf, nothingFound } from './state-dirs.js';

interface Server extends About {
  /** Identifies the server among others of the same program; `log` uses the same name. */
  readonly id: string;
  readonly stateDir: string;
  readonly running: readonly RunningProxy[];
  /** The last events of the audit trail, if no proxy runs. */
  readonly last: { readonly time: string; readonly event: string } | undefined;
}

/** What to print, and the exit code: 0 if a proxy runs, else 1. */
export async function status(
  given: CommandLineOptions & { json?: boolean },
): Promise<Result<{ text: string; code: number }>> {
  const found = await findStateDirs(given);
  if (!found.ok) return found;
  const { cwd, dirs } = found.value;
  const servers = await Promise.all(dirs.map(({ dir, about }) => serverOf(dir, about)));
  const running = servers.some((server) => server.running.length > 0);
  if (given.json !== true && servers.length === 0) return { ok: false, error: nothingFound(cwd) };
  const text =
    given.json === true ? JSON.stringify({ cwd, servers }, undefined, 2) : servers.map(serverText).join('\n\n');
  return { ok: true, value: { text, code: running ? 0 : 1 } };
}

async function serverOf(dir: string, about: About): Promise<Server> {
  const running = await runningProxies(dir);
  const last = running.length > 0 ? undefined : await lastOf(dir);
  return { id: idOf(dir), ...about, stateDir: dir, running, last: last && { time: last.time, event: last.event } };
}

function serverText(server: Server): string {
  const { id, stateDir, running, last, cwd } = server;
  const lines = running.flatMap((proxy, at) => proxyLines(proxy, running[at - 1], running[at + 1]));
  const nobody = `  no proxy is running${last === undefined ? '' : `; last: ${last.event} at ${localTime(last.time)}`}`;
  const place = [`  in ${cwd}`, `  state in ${stateDir}`];
  return [`${commandText(server)}  [${id}]`, ...(lines.length > 0 ? lines : [nobody]), ...place]
    .map(escapeControls)
    .join('\n');
}

/** Sessions of one proxy stand side by side; those that share a server have its facts once, below the last of them. */
function proxyLines(proxy: RunningProxy, before: RunningProxy | undefined, next: RunningProxy | undefined): string[] {
  const { since, http, generation, server, health, lastReload, lastFailure, silentCalls = [] } = proxy;
  const isFirst = before?.proxy !== proxy.proxy;
  const lines = [
    `  proxy ${proxy.proxy}${forClient(proxy)}, since ${localTime(since)}`,
    ...(isFirst && http !== undefined ? [fact('http', http.url)] : []),
  ];
  if (next !== undefined && isDeepStrictEqual(serverFacts(proxy), serverFacts(next))) return lines;
  const [now, ...more] = healthLines(health);
  const last = generation === undefined ? '' : `; generation ${generation} has ended`;
  const serving = server === undefined ? `no server is running${last}` : `generation ${generation} (pid ${server})`;
  lines.push(fact('now', `${now}${serving}`), ...more);
  for (const call of silentCalls)
    lines.push(fact('silent', `${call.tool}: no answer and no progress since ${localTime(call.since)}`));
  if (lastReload !== undefined) {
    const { at, ms = 0, phases, cause, changes = [] } = lastReload;
    const why = cause === undefined ? '' : ` (${cause})`;
    lines.push(fact('last reload', `${localTime(at)} in ${ms} ms${phasesText(phases)}${why}`));
    if (changes.length > 0) lines.push(fact('changed', changes.join(', ')));
  }
  // A failure that stands is shown above.
  if (lastFailure !== undefined && more.length === 0) {
    const { at, event, cause, mended } = lastFailure;
    const end = mended === undefined ? '' : `; mended ${localTime(mended)}`;
    lines.push(fact('last failure', `${localTime(at)} ${event}: ${cause}${end}`));
  }
  return lines;
}

function forClient({ client, transport, session }: RunningProxy): string {
  const connected = transport === undefined ? '' : ` over ${TRANSPORTS[transport]}`;
  const named = session === undefined || session === ALL_SESSIONS ? '' : `, session ${session}`;
  return `${client === undefined ? '' : `, for ${client}`}${connected}${named}`;
}

const TRANSPORTS: Readonly<Record<NonNullable<RunningProxy['transport']>, string>> = {
  stdio: 'stdio',
  http: 'HTTP',
  sse: 'HTTP+SSE',
};

function serverFacts(proxy: RunningProxy): Partial<RunningProxy> {
  const { client: _client, transport: _transport, session: _session, ...facts } = proxy;
  return facts;
}

/** The health of the server, and the output of what failed. */
function healthLines(health: ProxyHealth | undefined): string[] {
  if (health === undefined) return [''];
  if (!('failure' in health)) return [`${health.state}, `];
  const { state, since, failure, output, nextTry } = health;
  const next = nextTry === undefined ? 'at the next save or call' : `at ${localTime(nextTry)}, or at the next save`;
  const then = state === 'failing' ? `; next try ${next}` : '; it is being tried again';
  return [
    state === 'failing' ? `failing since ${localTime(since)}, ` : `${state}, `,
    fact(state === 'failing' ? 'failing' : 'failed', `${failure}${then}`),
    ...indented(output, 18),
  ];
}

function fact(name: string, text: string): string {
  return `    ${name.padEnd(12)}  ${text}`;
}
