// The messages between the proxy and its build helper: which build to run, how it ended, and that the helper finishes
// it alone. Types and their conversion only. Both sides are processes of the same program, so the first member is
// enough to tell a message's type.
import type { Printed } from '../agent/excerpt.js';
import type { BuildPlan } from './plan.js';
import type { BuildResult } from './run.js';

export interface BuildOrder {
  readonly do: 'build';
  readonly plan: BuildPlan;
  readonly env: NodeJS.ProcessEnv;
  readonly timeout: number;
  readonly outputFile: string | undefined;
}

/** `finish`: what the helper has to do when the build has ended; project/finish-build.ts defines it. */
export type ToHelper<Finish> =
  BuildOrder | { readonly do: 'finish'; readonly finish: Finish } | { readonly do: 'abort' };

/** A result that can be sent: it has the excerpt, not the output. */
export type SentResult =
  | { readonly kind: 'aborted' }
  | (SentOutput & { readonly kind: 'built' })
  | (SentOutput & Pick<Extract<BuildResult, { kind: 'failed' }>, 'kind' | 'cause'>);

interface SentOutput {
  readonly ms: number;
  readonly excerpt: Printed;
}

export type FromHelper =
  { readonly on: 'started'; readonly pid: number } | { readonly on: 'ended'; readonly result: SentResult };

export function toSend(result: BuildResult): SentResult {
  if (result.kind === 'aborted') return result;
  const { output, ...rest } = result;
  return { ...rest, excerpt: output.excerpt() };
}

export function received(result: SentResult): BuildResult {
  if (result.kind === 'aborted') return result;
  const { excerpt, ...rest } = result;
  return { ...rest, output: { excerpt: () => excerpt } };
}
