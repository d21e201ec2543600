/**
 * A file was saved while a server was loading, and its content is the same again. The server may have read another
 * version in between, so the file counts as changed (P4, fresh). Exception: some builds and servers write the same
 * bytes in every reload. A file that was saved like this in the previous attempt too is expected, and does not count
 * (P5, content only), until an attempt ends without it.
 *
 * | saved with the same content …            | counts as changed |
 * |------------------------------------------|-------------------|
 * | for the first time                       | yes               |
 * | again, in the same attempt               | yes               |
 * | in the attempt before too                | no                |
 * | in an attempt before one that ended without it | yes         |
 *
 * Pure. Which files were saved is asked of the disk by `lineage/snapshots.ts`.
 */
export class SameContentSaves {
  #expected: ReadonlySet<string> = new Set();
  #inThisAttempt = new Set<string>();
  #hasEnded = false;

  /** What an attempt saw that was given up is only a part of what it would have seen. */
  beginAttempt(): void {
    this.#expected = this.#hasEnded ? this.#inThisAttempt : new Set([...this.#expected, ...this.#inThisAttempt]);
    this.#inThisAttempt = new Set();
    this.#hasEnded = false;
  }

  /** The files that do not count in this attempt. Another set with each attempt. */
  get expected(): ReadonlySet<string> {
    return this.#expected;
  }

  /** Those of the files, all saved with the same content since the attempt began, that count as changed. */
  unexpected(files: readonly string[]): readonly string[] {
    return files.filter((file) => !this.#expected.has(file));
  }

  /** Returns the unexpected ones, if one of them was not recorded before in this attempt. */
  record(files: readonly string[]): readonly string[] {
    const unexpected = this.unexpected(files);
    const isKnown = unexpected.every((file) => this.#inThisAttempt.has(file));
    for (const file of files) this.#inThisAttempt.add(file);
    return isKnown ? [] : unexpected;
  }

  /** The attempt has come to its end, and stands. */
  endAttempt(): void {
    this.#hasEnded = true;
  }
}
