/**
 * P6, loops: a file that keeps changing while reloads are under way is not edited but written, by the build or by the
 * server. It must not keep the reload from ending; but an edit in the middle of a build must not be missed either. An
 * output changes in attempt after attempt and never in between, an edit comes at any time. So a file is only taken for
 * an output when it has changed in several attempts of one chain, with pauses between them in which it did not; and one
 * change outside of any attempt makes it a source again. A file that changes all the time, in attempts and pauses
 * alike, looks like an edit for ever: after many attempts it is restless, and they end without it; but it stays a
 * source. Pure.
 */

/** So many attempts of a chain must see a file change. */
export const ENOUGH = 4;

export class Outputs {
  /** In how many attempts of the chain each file has changed. Not every attempt runs every build. */
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<string>();
  readonly #restless = new Set<string>();

  /** How many attempts of the chain have ended in doubt about the same file. */
  get doubt(): number {
    return Math.max(0, ...[...this.#counts].map(([file, count]) => (this.#taken.has(file) ? 0 : count)));
  }

  /** Files changed during an attempt: may they all be outputs, so that it may go on? */
  mayBe(files: readonly string[]): boolean {
    return files.every((file) => this.#settled(file) || this.#counts.has(file));
  }

  /**
   * An attempt is over, and these files changed during it. Returns those that now count as outputs and didn't before.
   */
  ended(files: readonly string[]): readonly string[] {
    if (files.length === 0) this.#counts.clear();
    for (const file of this.#restless) if (!files.includes(file)) this.#restless.delete(file);
    for (const file of files) this.#counts.set(file, (this.#counts.get(file) ?? 0) + 1);
    const taken = files.filter((file) => (this.#counts.get(file) ?? 0) >= ENOUGH && !this.#taken.has(file));
    for (const file of taken) this.#taken.add(file);
    return taken;
  }

  /** These have changed though no attempt was under way. */
  edited(files: readonly string[]): void {
    for (const file of files) {
      this.#counts.delete(file);
      this.#taken.delete(file);
    }
  }

  /**
   * No attempt could keep up with these. They are restless until an attempt sees them at rest. Returns which they are.
   */
  giveUp(files: readonly string[]): readonly string[] {
    const restless = files.filter((file) => !this.#settled(file));
    for (const file of restless) this.#restless.add(file);
    return restless;
  }

  /** Whether one of these may be a source all the same, so that its change counts once the attempt is over. */
  anyRestless(files: readonly string[]): boolean {
    return files.some((file) => this.#restless.has(file));
  }

  /** Whether an attempt that saw these files change has seen nothing but outputs, and is good. */
  are(files: readonly string[]): boolean {
    return files.every((file) => this.#settled(file));
  }

  #settled(file: string): boolean {
    return this.#taken.has(file) || this.#restless.has(file);
  }
}
