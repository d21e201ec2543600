/*
 * Runs one build to its end, or ends it: its outcome is a value, and by the time there is one no process of the build
 * is left. What to build is plan.ts's to say, when to abandon it and how to report it the caller's.
 */
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
  /** Abandons the build. */
  signal: AbortSignal;
  /** In milliseconds; 0 is no limit. */
  timeout: number;
  env: NodeJS.ProcessEnv;
  /** Where the whole output goes, if it can. */
  outputFile: string | undefined;
  /** It runs as this process. */
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

/** How long a pipe may stay open after the exit, held by a process that left the group. */
const PIPE_GRACE = 250;

/** A timer for longer would fire at once. */
const LONGEST = 2 ** 31 - 1;

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
  const told = options.started?.(launched.child.pid);
  const { exit, timedOut } = await exitOf(launched.child, options.signal, options.timeout);
  await told;
  await closed(pipes);
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
  const over = new AbortController();
  let timedOut = false;
  const stop = (): void => void terminate(child, LADDER);
  signal.addEventListener('abort', stop, { signal: over.signal });
  if (signal.aborted) stop();
  if (timeout > 0) {
    const late = (): void => {
      timedOut = true;
      stop();
    };
    delay(Math.min(timeout, LONGEST), undefined, { signal: over.signal }).then(late, () => {});
  }
  const exit = await child.exited;
  over.abort();
  return { exit, timedOut };
}

async function collect(pipe: Readable, output: OutputSink): Promise<void> {
  try {
    for await (const chunk of pipe) await output.write(chunk as Buffer);
  } catch {
    // Destroyed before its end: somebody outside the group held it.
  }
}

async function closed(pipes: readonly Readable[]): Promise<void> {
  const over = new AbortController();
  const ends = Promise.all(pipes.map((pipe) => finished(pipe, { writable: false, signal: over.signal })));
  await Promise.race([ends, delay(PIPE_GRACE, undefined, { signal: over.signal })]).catch(() => {});
  over.abort();
  for (const pipe of pipes) pipe.destroy();
}

function spawnProblem({ command, cwd }: BuildPlan, { code, message }: NodeJS.ErrnoException): SpawnProblem {
  if (code !== 'ENOENT') return { kind: 'system', message };
  return existsSync(cwd) ? { kind: 'not-found', program: command } : { kind: 'no-directory', directory: cwd };
}

function elapsed(since: number): number {
  return Math.round(performance.now() - since);
}
