/*
 * Runs a build in a helper process, which can finish it when the proxy has to go. Only the parent of a process learns
 * its exit code, so the helper is the parent from the beginning. As long as the proxy is there, the outcome is the same
 * as with run.ts: no process of the build is left by then. When to let the helper go on alone is for the caller to say.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { endGroup } from '../process/child.js';
import { startHelper } from '../process/helper.js';
import { received, type FromHelper, type ToHelper } from './helper-messages.js';
import type { Lock } from './lock.js';
import type { BuildPlan } from './plan.js';
import type { BuildOptions, BuildResult } from './run.js';

export interface HelpedBuild {
  /** `aborted` also when the helper goes on alone. */
  readonly result: Promise<BuildResult>;
  /**
   * Lets the helper finish the build alone, as the owner of the lock. `finish`: what it has to do then, given the text
   * of the lock. Resolves with the helper's process, or with undefined if the build has ended or is being ended.
   */
  handOver(lock: Lock, finish: (lockText: string) => object): Promise<number | undefined>;
  /** Ends a build that was handed over, for a proxy that is signalled before it is gone. */
  takeBack(): void;
}

/** How long the helper has for its first word when it is to go on alone. */
const STARTED_WITHIN_MS = 500;

/** How long the helper has to end the build. Its own ladder takes less than a second. */
const ABORTED_WITHIN_MS = 2000;

/** `command`: what Node is given to be a build helper. Undefined if none can be started. */
export function runInHelper(
  command: readonly string[],
  plan: BuildPlan,
  options: BuildOptions,
): HelpedBuild | undefined {
  const helper = startHelper(command);
  if (helper === undefined) return undefined;
  const { signal, timeout, env, outputFile } = options;
  const send = (message: ToHelper<object>): Promise<boolean> => helper.send(message);
  const isOver = new AbortController();
  const started = new AbortController();
  let build: number | undefined;
  let isNamed: Promise<void> | undefined;
  let isHandingOver = false;
  let hasEnded = false;
  let resolveResult: (result: BuildResult) => void = () => {};
  const result = new Promise<BuildResult>((resolve) => (resolveResult = resolve));

  function end(outcome: BuildResult): void {
    if (isOver.signal.aborted) return;
    isOver.abort();
    resolveResult(outcome);
  }

  async function abort(): Promise<void> {
    void send({ do: 'abort' });
    const late = delay(ABORTED_WITHIN_MS, undefined, { signal: isOver.signal }).then(() => helper?.kill());
    await late.catch(() => {});
  }

  helper.onMessage((message) => {
    const told = message as FromHelper;
    if (told.on === 'started') {
      build = told.pid;
      isNamed = options.started?.(told.pid);
      started.abort();
      return;
    }
    build = undefined;
    const outcome = received(told.result);
    // The helper owns the lock already, or is about to: it keeps the result, and the record is its to write.
    if (isHandingOver && outcome.kind !== 'aborted') return;
    hasEnded = true;
    // Whoever abandons a build goes on when no process of it is left, and the helper is one.
    void Promise.all([isNamed, outcome.kind === 'aborted' ? helper.exited : undefined]).then(() => end(outcome));
    helper.disconnect();
  });
  void helper.exited.then(async () => {
    if (hasEnded || isOver.signal.aborted) return;
    // Killed: its build is left alone, and nobody will learn how that ends.
    if (build !== undefined) endGroup(build);
    await isNamed;
    const output = { bytes: 0, excerpt: () => '' };
    if (signal.aborted) end({ kind: 'aborted' });
    else end({ kind: 'failed', cause: { kind: 'helper-gone' }, ms: 0, output });
  });
  signal.addEventListener('abort', () => void abort(), { signal: isOver.signal });
  void send({ do: 'build', plan, env, timeout, outputFile });

  return {
    result,
    async handOver(lock, finish) {
      const waiting = AbortSignal.any([started.signal, isOver.signal, signal]);
      if (!waiting.aborted) await delay(STARTED_WITHIN_MS, undefined, { signal: waiting }).catch(() => {});
      await isNamed;
      if (!started.signal.aborted || hasEnded || isOver.signal.aborted || signal.aborted) return undefined;
      isHandingOver = true;
      const lockText = await lock.handTo(helper.pid);
      if (lockText === undefined || isOver.signal.aborted || signal.aborted) return undefined;
      lock.forget();
      helper.unref();
      end({ kind: 'aborted' });
      await send({ do: 'finish', finish: finish(lockText) });
      return helper.pid;
    },
    takeBack: () => void send({ do: 'abort' }),
  };
}
