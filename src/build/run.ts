// Runs one build to its end, or ends it. The outcome is a value, and when it is known no process of the build is left.
// plan.ts says what to run; the caller decides when to abort the build, and reports it.
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { BuildCause, SpawnProblem } from '../agent/failure.js';
import type { Child, Exit } from '../process/child.js';
import { launch } from '../process/child.js';
import { terminate } from '../process/terminate.js';
import type { Output, OutputSink } from './output.js';
import { createOutput } from './output.js';
import type { BuildPlan } from './plan.js';

export interface BuildOptions {
  /** Aborts the build. */
  signal: AbortSignal;
  /** In milliseconds; 0 is no limit. */
  timeout: number;
  env: NodeJS.ProcessEnv;
  /** Where the whole output goes, if it can. */
  outputFile: string | undefined;
  /** The build was started as this process. */
  started?: (pid: number) => Promise<void>;
}

export type BuildResult =
  | { kind: 'built'; ms: number; output: Output }
  | { kind: 'failed'; cause: BuildCause; ms: number; output: Output }
  | { kind: 'aborted' };

const LADDER = {
  steps: [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 500 },
  ],
} as const;

/** How long a pipe may stay open after the exit: a process that has left the group may hold it. */
const PIPE_GRACE_MS = 250;

/** A timer for longer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export async function runBuild(plan: BuildPlan, options: BuildOptions): Promise<BuildResult> {
  if (options.signal.aborted) return { kind: 'aborted' };
  const begun = performance.now();
  const output = createOutput(options.outputFile);
  const { command, args, cwd } = plan;
  const launched = await launch({ command, args, cwd, env: options.env, stdin: 'ignore' });
  if (!launched.ok) {
    await output.end();
    const problem = spawnProblem(plan, launched.error);
    return { kind: 'failed', cause: { kind: 'not-spawned', problem }, ms: elapsed(begun), output };
  }
  const pipes = [launched.child.stdout, launched.child.stderr];
  const collected = Promise.all(pipes.map((pipe) => collect(pipe, output)));
  const startRecorded = options.started?.(launched.child.pid);
  const { exit, timedOut } = await exitOf(launched.child, options.signal, options.timeout);
  await startRecorded;
  await closePipes(pipes);
  await collected;
  await output.end();
  if (options.signal.aborted) return { kind: 'aborted' };
  const outcome = { ms: elapsed(begun), output };
  if (timedOut) return { kind: 'failed', cause: { kind: 'time-out', limitMs: options.timeout }, ...outcome };
  if (exit.code === 0) return { kind: 'built', ...outcome };
  const { code, signal } = exit;
  return { kind: 'failed', cause: signal === null ? { kind: 'exit', code } : { kind: 'signal', signal }, ...outcome };
}

async function exitOf(child: Child, signal: AbortSignal, timeout: number): Promise<{ exit: Exit; timedOut: boolean }> {
  const hasExited = new AbortController();
  let timedOut = false;
  const stop = (): void => void terminate(child, LADDER);
  signal.addEventListener('abort', stop, { signal: hasExited.signal });
  if (signal.aborted) stop();
  if (timeout > 0) {
    const late = (): void => {
      timedOut = true;
      stop();
    };
    delay(Math.min(timeout, MAX_TIMER_MS), undefined, { signal: hasExited.signal }).then(late, () => {});
  }
  const exit = await child.exited;
  hasExited.abort();
  return { exit, timedOut };
}

async function collect(pipe: Readable, output: OutputSink): Promise<void> {
  try {
    for await (const chunk of pipe) await output.write(chunk as Buffer);
  } catch {
    // The pipe was destroyed before its end, because a process outside the group held it.
  }
}

async function closePipes(pipes: readonly Readable[]): Promise<void> {
  const waited = new AbortController();
  const ends = Promise.all(pipes.map((pipe) => finished(pipe, { writable: false, signal: waited.signal })));
  await Promise.race([ends, delay(PIPE_GRACE_MS, undefined, { signal: waited.signal })]).catch(() => {});
  waited.abort();
  for (const pipe of pipes) pipe.destroy();
}

function spawnProblem({ command, cwd }: BuildPlan, { code, message }: NodeJS.ErrnoException): SpawnProblem {
  if (code !== 'ENOENT') return { kind: 'system', message };
  return existsSync(cwd) ? { kind: 'not-found', program: command } : { kind: 'no-directory', directory: cwd };
}

function elapsed(since: number): number {
  return Math.round(performance.now() - since);
}
