// Runs a build in a helper process, which can finish it when the proxy has to exit. Only the parent of a process learns
// its exit code, so the helper is the parent from the beginning. While the proxy is there, the outcome is the same as
// with run.ts: when the result is known, no process of the build is left. The caller decides when the helper goes on
// alone.
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

/** How long to wait for the helper's first message when it is to go on alone. */
const STARTED_WITHIN_MS = 500;

/** How long the helper may take to end the build. Its termination ladder takes less than a second. */
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
  const ended = new AbortController();
  const started = new AbortController();
  let build: number | undefined;
  let isNamed: Promise<void> | undefined;
  let isHandingOver = false;
  let hasEnded = false;
  let resolveResult: (result: BuildResult) => void = () => {};
  const result = new Promise<BuildResult>((resolve) => (resolveResult = resolve));

  function end(outcome: BuildResult): void {
    if (ended.signal.aborted) return;
    ended.abort();
    resolveResult(outcome);
  }

  async function abort(): Promise<void> {
    void send({ do: 'abort' });
    const late = delay(ABORTED_WITHIN_MS, undefined, { signal: ended.signal }).then(() => helper?.kill());
    await late.catch(() => {});
  }

  helper.onMessage((data) => {
    const message = data as FromHelper;
    if (message.on === 'started') {
      build = message.pid;
      isNamed = options.started?.(message.pid);
      started.abort();
      return;
    }
    build = undefined;
    const outcome = received(message.result);
    // The helper owns the lock, or is about to: it writes the record, so the result is not needed here.
    if (isHandingOver && outcome.kind !== 'aborted') return;
    hasEnded = true;
    // A caller that aborts a build goes on when no process of it is left, and the helper is one of them.
    void Promise.all([isNamed, outcome.kind === 'aborted' ? helper.exited : undefined]).then(() => end(outcome));
    helper.disconnect();
  });
  void helper.exited.then(async () => {
    if (hasEnded || ended.signal.aborted) return;
    // The helper was killed: nobody will learn how its build ends, so the build is killed too.
    if (build !== undefined) endGroup(build);
    await isNamed;
    const output = { excerpt: () => '' };
    if (signal.aborted) end({ kind: 'aborted' });
    else end({ kind: 'failed', cause: { kind: 'helper-gone' }, ms: 0, output });
  });
  signal.addEventListener('abort', () => void abort(), { signal: ended.signal });
  void send({ do: 'build', plan, env, timeout, outputFile });

  return {
    result,
    async handOver(lock, finish) {
      const waiting = AbortSignal.any([started.signal, ended.signal, signal]);
      if (!waiting.aborted) await delay(STARTED_WITHIN_MS, undefined, { signal: waiting }).catch(() => {});
      await isNamed;
      if (!started.signal.aborted || hasEnded || ended.signal.aborted || signal.aborted) return undefined;
      isHandingOver = true;
      const lockText = await lock.handTo(helper.pid);
      if (lockText === undefined || ended.signal.aborted || signal.aborted) return undefined;
      lock.forget();
      helper.unref();
      end({ kind: 'aborted' });
      await send({ do: 'finish', finish: finish(lockText) });
      return helper.pid;
    },
    takeBack: () => void send({ do: 'abort' }),
  };
}
