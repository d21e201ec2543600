// Keeps the fingerprints of the last good build of each rule between runs, so that a start need not build again. A
// record that can't be read counts as none; one that can't be written is a result that says why. Whether the outputs
// still work shows at the start of the server.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readStateFile, writeAtomically, type Written } from '../state/state-file.js';

/** Fingerprints. */
export interface Built {
  readonly sources: string;
  /** Undefined if it is unknown what the build writes. */
  readonly outputs: string | undefined;
}

export async function readBuilt(dir: string, ruleKey: string): Promise<Built | undefined> {
  try {
    const record: unknown = JSON.parse(await readStateFile(fileFor(dir, ruleKey)));
    if (typeof record !== 'object' || record === null || !('rule' in record) || !('sources' in record))
      return undefined;
    const { rule, sources } = record;
    const outputs = 'outputs' in record ? record.outputs : undefined;
    if (rule !== ruleKey || typeof sources !== 'string') return undefined;
    return outputs === undefined || typeof outputs === 'string' ? { sources, outputs } : undefined;
  } catch {
    return undefined;
  }
}

export function writeBuilt(dir: string, ruleKey: string, { sources, outputs }: Built): Promise<Written> {
  return writeAtomically(fileFor(dir, ruleKey), `${JSON.stringify({ rule: ruleKey, sources, outputs })}\n`);
}

/** From now on nothing counts as built. An error is ignored, because the build runs anyway. */
export async function forgetBuilt(dir: string, ruleKey: string): Promise<void> {
  await rm(fileFor(dir, ruleKey), { force: true }).catch(() => {});
}

/** A rule's key is free text, with paths and commands in it. */
function fileFor(dir: string, ruleKey: string): string {
  return join(dir, `built-${createHash('sha256').update(ruleKey).digest('hex').slice(0, 16)}.json`);
}
