// `mcp-hotline run`, which is also `mcp-hotline` alone: a proxy between this process's stdin and stdout and the server.
// This file contains what a start needs first; the proxy itself is loaded while the server comes up. Signals and bugs
// of this process are passed to the proxy; the proxy ends the servers.

import { resolveConfig, type CommandLineOptions, type Resolved } from '../config/config.js';
import type { Result } from '../config/check.js';
import { hasNoBuild } from '../config/discovery/no-build.js';
import { watchConfig, completeIfResolved, completeConfig, type CompletedConfig } from '../config/discovery/complete.js';
import { hasBuild } from '../config/rules.js';
import { exitCodeOf } from '../exit-code.js';
import { atMost, flush } from '../sinks/flush.js';
import { startEarly } from '../server/early-server.js';
import { reportBug } from './bug.js';
import { currentDirectory } from './current-directory.js';
import type { StartedProxy } from './start-proxy.js';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long to wait at the end, in milliseconds. */
const limits = { stdout: 2000, stdoutAfterSignal: 500, log: 500, proxyAfterBug: 4000 };

/** Resolves with the exit code, or with what is wrong with the options. */
export async function run(given: CommandLineOptions): Promise<Result<number>> {
  const cwd = currentDirectory(given);
  if (!cwd.ok) return cwd;
  const resolve = () => resolveConfig(given, { cwd: cwd.value, env: process.env });
  const resolved = resolve();
  if (!resolved.ok) return resolved;
  let signalled = false;
  for (const name of endingSignals) {
    process.on(name, () => {
      signalled = true;
      void serving.then(({ proxy }) => proxy.signal(name));
    });
  }
  if (process.platform !== 'win32') process.on('SIGUSR2', () => void serving.then(({ proxy }) => proxy.reload()));
  const bug = firstBug();
  const { stdout: output } = process;
  output.on('error', () => {}); // a client that is gone must not crash the process; the proxy notices it
  const serving = startServing(resolved.value, given, cwd.value, async () => completeIfResolved(resolve()));

  const { proxy, closeLog } = await serving;
  const value = await Promise.race([proxy.closed.then(exitCodeOf), bug]);
  proxy.close();
  await atMost(limits.proxyAfterBug, proxy.closed);
  await flush(output, signalled ? limits.stdoutAfterSignal : limits.stdout);
  await closeLog(limits.log);
  return { ok: true, value };
}

/** Starts the server as soon as it is certain that no build has to run first. */
async function startServing(
  resolved: Resolved,
  given: CommandLineOptions,
  cwd: string,
  resolve: () => Promise<Result<CompletedConfig>>,
): Promise<StartedProxy> {
  const early = hasNoBuild(resolved) ? startEarly(resolved.config) : undefined;
  const completed = await completeConfig(resolved);
  const { config } = completed;
  const builds = config.reload && hasBuild(config.rules);
  if (builds) await early?.end();
  const earlyServer = builds ? undefined : (early ?? startEarly(config));
  const configInForce = watchConfig(completed, resolve);
  const { startProxy } = await import('./start-proxy.js');
  return startProxy({ ...completed, given, cwd, configInForce, earlyServer });
}

/** Resolves with an exit code when there is a bug. Node reports an unhandled rejection here too. */
async function firstBug(): Promise<number> {
  return reportBug(await new Promise((resolve) => process.on('uncaughtException', resolve)));
}
