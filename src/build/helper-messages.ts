/*
 * What the proxy and its build helper tell each other: which build to run, how it went, and that the helper goes on
 * alone. Types and their conversion only; both sides are processes of the same program, so that a message is known by
 * its first member.
 */
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

/** `finish`: what has to be done when the build has ended, in the words of those who do it. */
export type ToHelper<Finish> =
  BuildOrder | { readonly do: 'finish'; readonly finish: Finish } | { readonly do: 'abort' };

/** A result as it can be sent: with the excerpt instead of the output. */
export type SentResult =
  | { readonly kind: 'aborted' }
  | (SentOutput & { readonly kind: 'built' })
  | (SentOutput & Pick<Extract<BuildResult, { kind: 'failed' }>, 'kind' | 'cause'>);

interface SentOutput {
  readonly ms: number;
  readonly bytes: number;
  readonly excerpt: Printed;
}

export type FromHelper =
  { readonly on: 'started'; readonly pid: number } | { readonly on: 'ended'; readonly result: SentResult };

export function toSend(result: BuildResult): SentResult {
  if (result.kind === 'aborted') return result;
  const { output, ...rest } = result;
  return { ...rest, bytes: output.bytes, excerpt: output.excerpt() };
}

export function received(result: SentResult): BuildResult {
  if (result.kind === 'aborted') return result;
  const { bytes, excerpt, ...rest } = result;
  return { ...rest, output: { bytes, excerpt: () => excerpt } };
}
