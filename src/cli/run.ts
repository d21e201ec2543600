// `mcp-hotline run`, which is also `mcp-hotline` alone: a proxy between this process's stdin and stdout and the server;
// and `mcp-hotline serve`: the same for clients over HTTP alone. This file contains what a start needs first; the proxy
// itself is loaded while the server comes up. Signals and bugs of this process are passed to the proxy; the proxy ends
// the servers.

import { constants } from 'node:os';
import { resolveConfig, type CommandLineOptions, type Resolved } from '../config/config.js';
import type { Result } from '../config/check.js';
import { hasNoBuild } from '../config/discovery/no-build.js';
import { watchConfig, completeIfResolved, completeConfig, type CompletedConfig } from '../config/discovery/complete.js';
import { hasBuild } from '../config/rules.js';
import { exitCodeOf } from '../exit-code.js';
import type { Proxy } from '../proxy.js';
import { atMost, flush } from '../sinks/flush.js';
import { startEarly } from '../server/early-server.js';
import { reportBug } from './bug.js';
import { currentDirectory } from './current-directory.js';
import type { ShownToken } from './serve-panel.js';
import type { StartedProxy } from './start-proxy.js';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long to wait at the end, in milliseconds. */
const limits = { stdout: 2000, stdoutAfterSignal: 500, log: 500, proxyAfterBug: 4000, proxyAfterKill: 1000 };

export interface RunOptions {
  /** Clients come over HTTP alone: stdin and stdout mean nothing. */
  readonly isHttpOnly: boolean;
}

/** Resolves with the exit code, or with what is wrong with the options. */
export async function run(
  given: CommandLineOptions,
  { isHttpOnly }: RunOptions = { isHttpOnly: false },
): Promise<Result<number>> {
  const cwd = currentDirectory(given);
  if (!cwd.ok) return cwd;
  const resolve = () => resolveConfig(given, { cwd: cwd.value, env: process.env, isHttpOnly });
  const resolved = resolve();
  if (!resolved.ok) return resolved;
  const token = isHttpOnly ? await tokenToShow(resolved.value) : undefined;
  if (token?.ok === false) return token;
  let signalled = false;
  let isKilled = false;
  let onKill: (code: number) => void = () => {};
  const killed = new Promise<number>((kill) => (onKill = kill));
  for (const name of endingSignals) {
    process.on(name, () => {
      // Somebody who presses Ctrl+C again does not want to wait. A client may send several signals, and does.
      isKilled = signalled && isHttpOnly;
      signalled = true;
      if (isKilled) onKill(128 + constants.signals[name]);
      void serving.then(({ proxy }) => proxy.signal(isKilled ? 'SIGKILL' : name));
    });
  }
  if (process.platform !== 'win32') process.on('SIGUSR2', () => void serving.then(({ proxy }) => proxy.reload()));
  const bug = firstBug();
  const { stdout: output } = process;
  output.on('error', () => {}); // a client that is gone must not crash the process; the proxy notices it
  const serving = startServing(
    { resolved: resolved.value, given, cwd: cwd.value, isHttpOnly, token: token?.value },
    async () => completeIfResolved(resolve()),
  );

  const { proxy, closeLog } = await serving;
  const end = await Promise.race([proxy.closed, bug, killed]);
  proxy.close();
  await atMost(isKilled ? limits.proxyAfterKill : limits.proxyAfterBug, proxy.closed);
  await flush(output, signalled ? limits.stdoutAfterSignal : limits.stdout);
  await closeLog(limits.log);
  if (typeof end === 'number') return { ok: true, value: end };
  return end.by === 'port-taken' ? { ok: false, error: portTaken(end) } : { ok: true, value: exitCodeOf(end) };
}

interface Serving extends RunOptions {
  readonly resolved: Resolved;
  readonly given: CommandLineOptions;
  readonly cwd: string;
  readonly token: ShownToken | undefined;
}

/**
 * Starts the server as soon as it is certain that no build has to run first. One that speaks HTTP is started by the
 * proxy: it may need a free port.
 */
async function startServing(
  { resolved, ...rest }: Serving,
  resolve: () => Promise<Result<CompletedConfig>>,
): Promise<StartedProxy> {
  const isOverPipes = resolved.config.upstream === undefined;
  const early = isOverPipes && hasNoBuild(resolved) ? startEarly(resolved.config) : undefined;
  const completed = await completeConfig(resolved);
  const { config } = completed;
  const builds = config.reload && hasBuild(config.rules);
  if (builds) await early?.end();
  const earlyServer = builds || !isOverPipes ? undefined : (early ?? startEarly(config));
  const configInForce = watchConfig(completed, resolve);
  const { startProxy } = await import('./start-proxy.js');
  return startProxy({ ...completed, ...rest, configInForce, earlyServer });
}

/** A token that can't be had is found before anything is started. */
async function tokenToShow({ config }: Resolved): Promise<Result<ShownToken | undefined>> {
  if (config.token === undefined) return { ok: true, value: undefined };
  if (config.token !== 'auto') return { ok: true, value: { kind: 'chosen' } };
  const { resolveToken } = await import('../state/http-token.js');
  const resolved = await resolveToken(config);
  if (!resolved.ok) return resolved;
  const { token = '', file = '', isNew } = resolved.value;
  return { ok: true, value: isNew ? { kind: 'new', token, file } : { kind: 'file', file } };
}

function portTaken({ port, host, why }: Extract<Awaited<Proxy['closed']>, { by: 'port-taken' }>): string {
  return `can't listen on port ${port} of ${host}: ${why}. Name another port with --port, or none: then a free one is found`;
}

/** Resolves with an exit code when there is a bug. Node reports an unhandled rejection here too. */
async function firstBug(): Promise<number> {
  return reportBug(await new Promise((resolve) => process.on('uncaughtException', resolve)));
}
