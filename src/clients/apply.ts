// Writes a plan: first the records that `unwrap` will need, then each file, as a whole or not at all. If a file can't
// be written, the others still are; the result says what happened to each.

import { setTimeout as wait } from 'node:timers/promises';
import { readClientFile, writeClientFile } from './client-file.js';
import { readServers } from './documents.js';
import { changesOf, type Context, type Plan } from './plan.js';
import { dropUndo, keepUndo } from './undo-records.js';

export interface Applied {
  /** Real paths of the files that were written. */
  readonly written: readonly string[];
  readonly problems: readonly string[];
  /** Warnings about files that were written. */
  readonly warnings: readonly string[];
}

/** How long a client that keeps its file in memory is given to write its own version over ours. */
const LOOK_AGAIN = 1000;

export async function applyPlan(plan: Plan, { machine: { env } }: Context): Promise<Applied> {
  const written: string[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  const changes = changesOf(plan);
  for (const [realPath, text] of plan.texts) {
    const own = changes.filter(({ configuration }) => configuration.file.realPath === realPath);
    const file = own[0]?.configuration.file;
    if (file === undefined) continue;
    const keys = own.map(({ configuration: { shape }, step }) => ({
      step,
      key: { file: realPath, servers: shape.servers, name: step.name },
    }));
    for (const { key, step } of keys) {
      if (step.action !== 'wrap') continue;
      const kept = await keepUndo(key, step.undo, env);
      if (!kept.ok) warnings.push(`unwrap will restore ${step.name} in an equivalent form only: ${kept.problem}`);
    }
    const done = await writeClientFile(file, text);
    if (!done.ok) {
      problems.push(done.error);
      continue;
    }
    written.push(realPath);
    for (const { key, step } of keys) if (step.action === 'unwrap') await dropUndo(key, env);
  }
  return { written, problems, warnings };
}

/** Reads files again that their clients write themselves, and names those in which our change is gone. */
export async function overwritten(plan: Plan, written: readonly string[]): Promise<string[]> {
  const watched = changesOf(plan).filter(
    ({ configuration: { file, rewritten } }) => rewritten && written.includes(file.realPath),
  );
  if (watched.length === 0) return [];
  await wait(LOOK_AGAIN);
  const gone = new Set<string>();
  for (const { configuration, step } of watched) {
    const read = await readClientFile(configuration.path);
    const servers = read.ok ? readServers(read.value.text, configuration.shape) : undefined;
    const now = servers?.ok === true ? servers.value.find(({ name }) => name === step.name)?.words : undefined;
    if (JSON.stringify(now) !== JSON.stringify(step.after)) gone.add(configuration.file.realPath);
  }
  return [...gone];
}
