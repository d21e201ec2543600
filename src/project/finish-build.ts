/**
 * What becomes of a build whose proxy has gone, in the helper that waits for its end: the build counts as done if
 * nobody saved one of its files while it ran. The next proxy, which waits for the lock, finds the record or builds
 * itself. Running the build is left to the caller.
 */
import { printedText } from '../agent/excerpt.js';
import { buildCauseText } from '../agent/failure.js';
import { adoptBuildLock, type Lock } from '../build/lock.js';
import { outputsFingerprint } from '../build/outputs.js';
import { writeBuilt } from '../build/record.js';
import type { BuildResult } from '../build/run.js';
import { Audit } from '../state/audit-trail.js';
import { openWatch, type WatchOptions } from '../watch/watch.js';

/** All that a helper needs to know. Sent as JSON. */
export interface Finish {
  readonly stateDir: string;
  readonly projectDir: string;
  /** Of the lock in `projectDir`, which the helper owns. */
  readonly lockText: string;
  readonly rule: string;
  /** Of the record. */
  readonly ruleKey: string;
  /** Of the rule's files when the build began. */
  readonly fingerprint: string;
  /** What the build writes; absolute. */
  readonly outputs: readonly string[];
  /** When the build began, in milliseconds since 1970. */
  readonly began: number;
  readonly watch: WatchOptions;
}

/** The rule's files after a build. */
export interface FilesAfterBuild {
  readonly fingerprint: string;
  /** Files that were saved since the build began, be it with the bytes that they had. */
  readonly saved: readonly string[];
}

/**
 * A file that was saved while the build ran and has the same bytes may have had others in between, which the build may
 * have read (P4, fresh). It may also be the build that writes it. A second build tells: it saves the same files again.
 * `savedBefore`: those of the first build, if this is the second one.
 */
export function afterBuild(
  expected: string,
  { fingerprint, saved }: FilesAfterBuild,
  savedBefore: readonly string[] | undefined,
): 'record' | 'build again' | 'give up' {
  if (fingerprint !== expected) return 'give up';
  if (saved.every((path) => savedBefore?.includes(path))) return 'record';
  return savedBefore === undefined ? 'build again' : 'give up';
}

/** `first`: how the build has ended; `again` runs another one. Resolves when the lock is released. */
export async function finishBuild(
  finish: Finish,
  first: BuildResult,
  again: (lock: Lock) => Promise<BuildResult>,
): Promise<void> {
  const { stateDir, projectDir, ruleKey, fingerprint } = finish;
  const lock = adoptBuildLock(projectDir, finish.lockText);
  const audit = new Audit(stateDir, () => {});
  const cause = 'its client had gone';
  try {
    let result = first;
    let { began } = finish;
    for (let savedBefore: readonly string[] | undefined; ;) {
      if (result.kind === 'failed')
        return await audit.write('build failed', {
          cause: `the build ${buildCauseText(result.cause)}; ${cause}`,
          ms: result.ms,
          output: printedText(result.output.excerpt()),
        });
      if (result.kind === 'aborted') return;
      const files = await lookAtFiles(finish, began);
      const verdict = afterBuild(fingerprint, files, savedBefore);
      if (verdict === 'record') {
        const outputs = await outputsFingerprint(finish.outputs);
        await writeBuilt(projectDir, ruleKey, { sources: fingerprint, outputs });
      }
      await audit.write('built', { cause, ms: result.ms });
      if (verdict !== 'build again') return;
      savedBefore = files.saved;
      began = Date.now();
      result = await again(lock);
    }
  } finally {
    await lock.release();
  }
}

/**
 * What was saved since the build began is told by the files' inode times, as for a server that was started before the
 * first look.
 */
async function lookAtFiles({ watch: options, rule }: Finish, began: number): Promise<FilesAfterBuild> {
  const watch = openWatch({ ...options, since: began }, { onQuiet: () => {}, warn: () => {} });
  const mark = watch.mark();
  try {
    await watch.ready;
    await watch.prepare([rule]);
    const changes = watch.changedSince(mark).filter(({ rules }) => rules.includes(rule));
    return { fingerprint: watch.fingerprint(rule), saved: changes.map(({ path }) => path) };
  } finally {
    await watch.close();
  }
}
