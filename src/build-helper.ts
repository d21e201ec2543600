/**
 * The build helper's process: runs one build for the proxy that started it, tells how it went, and finishes it alone if
 * the proxy says so before it goes. If the proxy is gone without a word, the build is ended. Takes its orders from the
 * channel to its parent; exiting is for the cli.
 */
import type { BuildOrder, FromHelper, ToHelper } from './build/helper-messages.js';
import { toSend } from './build/helper-messages.js';
import { runBuild, type BuildResult } from './build/run.js';
import { finishBuild, type Finish } from './project/finish-build.js';

interface Orders {
  /** Undefined if the proxy goes before it has given any. */
  readonly build: Promise<BuildOrder | undefined>;
  /** Undefined if the proxy goes and nothing is to be finished. */
  readonly finish: Promise<Finish | undefined>;
  /** Ends the build. */
  readonly signal: AbortSignal;
}

/** False: this process was not started by a proxy. Resolves when everything is done. */
export async function runBuildHelper(): Promise<boolean> {
  if (process.send === undefined) return false;
  const { build, finish, signal } = takeOrders();
  const order = await build;
  if (order === undefined) return true;
  const { plan, env, outputFile } = order;
  const began = performance.now();
  const run = (timeout: number, started: (pid: number) => Promise<void>): Promise<BuildResult> =>
    runBuild(plan, { signal, timeout, env, outputFile, started });
  const result = await run(order.timeout, (pid) => tell({ on: 'started', pid }));
  await tell({ on: 'ended', result: toSend(result) });
  const rest = await finish;
  if (rest === undefined) return true;
  await finishBuild(rest, result, (lock) => {
    const left = Math.max(1, Math.round(order.timeout - (performance.now() - began)));
    return run(order.timeout === 0 ? 0 : left, (pid) => lock.building(pid));
  });
  return true;
}

function takeOrders(): Orders {
  const aborted = new AbortController();
  let giveBuild: (order: BuildOrder | undefined) => void = () => {};
  let giveFinish: (finish: Finish | undefined) => void = () => {};
  const build = new Promise<BuildOrder | undefined>((resolve) => (giveBuild = resolve));
  const finish = new Promise<Finish | undefined>((resolve) => (giveFinish = resolve));
  let isAlone = false;
  const abort = (): void => {
    aborted.abort();
    giveBuild(undefined);
    giveFinish(undefined);
  };
  process.on('message', (message) => {
    const order = message as ToHelper<Finish>;
    if (order.do === 'build') giveBuild(order);
    else if (order.do === 'abort') abort();
    else if (order.do === 'finish') {
      isAlone = true;
      giveFinish(order.finish);
    }
  });
  process.on('disconnect', () => {
    if (!isAlone) abort();
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, abort);
  return { build, finish, signal: aborted.signal };
}

/** Resolves when it is sent, or can't be: whoever has gone need not know. */
async function tell(message: FromHelper): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}
