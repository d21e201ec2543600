/**
 * P4 against P5: a file that was saved while a server was loading its code, and is what it was when it is looked at. In
 * between it may have been something else, and the server may have read that; so it counts as changed. But some builds
 * and servers write the same bytes each time: what has only stirred in the last attempt too is no news, until one ends
 * without it. Pure.
 */
export class Rewrites {
  #usual: ReadonlySet<string> = new Set();
  #now = new Set<string>();
  #stood = false;

  /** An attempt begins. What the last one saw, it saw only in part if it was given up. */
  begin(): void {
    this.#usual = this.#stood ? this.#now : new Set([...this.#usual, ...this.#now]);
    this.#now = new Set();
    this.#stood = false;
  }

  /**
   * These have stirred in this attempt and are what they were. Returns those of which that is news, and whether it was
   * told.
   */
  news(files: readonly string[]): { readonly files: readonly string[]; readonly told: boolean } {
    const news = files.filter((file) => !this.#usual.has(file));
    const told = news.every((file) => this.#now.has(file));
    for (const file of files) this.#now.add(file);
    return { files: news, told };
  }

  /** The attempt has come to its end. */
  stood(): void {
    this.#stood = true;
  }
}
