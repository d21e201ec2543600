// `mcp-hotline run`, which is also `mcp-hotline` alone: a proxy between this process's stdin and stdout and the server. What
// is known here is what a start needs; the proxy itself is loaded while the server comes up. Signals and bugs of this
// process are turned into calls of the proxy; how servers end is the proxy's.

import { resolveConfig, type Given, type Resolved } from '../config/config.js';
import type { Result } from '../config/check.js';
import { hasNoBuild } from '../config/discovery/no-build.js';
import { watchConfig, completeIfResolved, completeConfig, type CompletedConfig } from '../config/discovery/complete.js';
import { hasBuild } from '../config/rules.js';
import { exitCodeOf } from '../exit-code.js';
import { atMost, flush } from '../sinks/flush.js';
import { startFirst } from '../server/early-server.js';
import { reportBug } from './bug.js';
import { currentDirectory } from './current-directory.js';
import type { Serving } from './serve.js';

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const patience = { stdout: 2000, afterSignal: 500, log: 500, afterBug: 4000 };

/** The exit code, or what was wrong with the options. */
export async function run(given: Given): Promise<Result<number>> {
  const cwd = currentDirectory(given);
  if (!cwd.ok) return cwd;
  const resolve = () => resolveConfig(given, { cwd: cwd.value, env: process.env });
  const resolved = resolve();
  if (!resolved.ok) return resolved;
  let signalled = false;
  for (const name of ending) {
    process.on(name, () => {
      signalled = true;
      void serving.then(({ proxy }) => proxy.signal(name));
    });
  }
  if (process.platform !== 'win32') process.on('SIGUSR2', () => void serving.then(({ proxy }) => proxy.reload()));
  const bug = firstBug();
  const { stdout: output } = process;
  output.on('error', () => {}); // a client that is gone is the proxy's to notice, not a reason to crash
  const serving = startServing(resolved.value, given, cwd.value, async () => completeIfResolved(resolve()));

  const { proxy, closeLog } = await serving;
  const value = await Promise.race([proxy.closed.then(exitCodeOf), bug]);
  proxy.close();
  await atMost(patience.afterBug, proxy.closed);
  await flush(output, signalled ? patience.afterSignal : patience.stdout);
  await closeLog(patience.log);
  return { ok: true, value };
}

/** The server is started as soon as it is certain that nothing is built before. */
async function startServing(
  resolved: Resolved,
  given: Given,
  cwd: string,
  resolve: () => Promise<Result<CompletedConfig>>,
): Promise<Serving> {
  const early = hasNoBuild(resolved) ? startFirst(resolved.config) : undefined;
  const completed = await completeConfig(resolved);
  const { config } = completed;
  const builds = config.reload && hasBuild(config.rules);
  if (builds) await early?.end();
  const first = builds ? undefined : (early ?? startFirst(config));
  const configInForce = watchConfig(completed, resolve);
  const { serve } = await import('./serve.js');
  return serve({ ...completed, given, cwd, configInForce, first });
}

/** Resolves, if ever, with the exit code for a bug. An unhandled rejection arrives here too. */
async function firstBug(): Promise<number> {
  return reportBug(await new Promise((resolve) => process.on('uncaughtException', resolve)));
}
