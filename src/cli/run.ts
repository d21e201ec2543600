// `mcp-hotline run`, which is also `mcp-hotline` alone: a proxy between this process's stdin and stdout and the server. What
// is known here is what a start needs; the proxy itself is loaded while the server comes up. Signals and bugs of this process are turned
// into calls of the proxy; how servers end is the proxy's.

import { resolveConfig, type Given } from '../config/config.js';
import type { Result } from '../config/check.js';
import { liveSupply, supplied } from '../config/discovery/supply.js';
import { hasBuild } from '../config/rules.js';
import { atMost, flush } from '../log/flush.js';
import { startFirst } from '../server/first.js';
import { reportBug } from './bug.js';
import { currentDirectory } from './current-directory.js';

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const patience = { stdout: 2000, afterSignal: 500, log: 500, afterBug: 4000 };

/** The exit code, or what was wrong with the options. */
export async function run(given: Given): Promise<Result<number>> {
  const cwd = currentDirectory(given);
  if (!cwd.ok) return cwd;
  const resolve = () => supplied(resolveConfig(given, { cwd: cwd.value, env: process.env }));
  const resolved = await resolve();
  if (!resolved.ok) return resolved;
  const { config } = resolved.value;
  let signalled = false;
  for (const name of ending) {
    process.on(name, () => {
      signalled = true;
      void serving.then(({ proxy }) => proxy.signal(name));
    });
  }
  if (process.platform !== 'win32') process.on('SIGUSR2', () => void serving.then(({ proxy }) => proxy.reload()));
  const bug = firstBug();
  const first = config.reload && hasBuild(config.rules) ? undefined : startFirst(config);
  const { stdout: output } = process;
  output.on('error', () => {}); // a client that is gone is the proxy's to notice, not a reason to crash
  const live = liveSupply(resolved.value, resolve);
  const serving = import('./serve.js').then(({ serve }) =>
    serve({ ...resolved.value, given, cwd: cwd.value, live, first }),
  );

  const { proxy, closeLog } = await serving;
  const value = await Promise.race([proxy.closed, bug]);
  proxy.close();
  await atMost(patience.afterBug, proxy.closed);
  await flush(output, signalled ? patience.afterSignal : patience.stdout);
  await closeLog(patience.log);
  return { ok: true, value };
}

/** Resolves, if ever, with the exit code for a bug. An unhandled rejection arrives here too. */
async function firstBug(): Promise<number> {
  return reportBug(await new Promise((resolve) => process.on('uncaughtException', resolve)));
}
