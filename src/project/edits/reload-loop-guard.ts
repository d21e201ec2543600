/**
 * P6, loops again: a server that writes into its own watched tree after it has started would be reloaded for ever. When
 * the same files have changed right after each of several reloads, and nobody has asked for anything in between, the
 * next reload waits for somebody who does. So a loop goes only as far as there are requests, and no save is lost. Pure.
 */

/** So soon after a reload a change is suspect. */
const SOON = 3000;
/** So many suspect changes in a row are a loop; a person who edits in a hurry makes fewer. */
const RUNNING = 8;
/**
 * A server may also write now and then. Twice as many changes in a row that come within this time, with nobody asking,
 * are a loop too.
 */
const NOW_AND_THEN = 60_000;
const RUNNING_SLOWLY = 16;

export class Loops {
  #files = '';
  #streak = 0;
  #slowStreak = 0;
  #reloaded = -Infinity;
  #requests = 0;

  /** A reload is over. `requests`: how many there have been in all. */
  reloaded(now: number, requests: number): void {
    this.#reloaded = now;
    this.#requests = requests;
  }

  /** Files have changed while nothing was under way: may their reload wait for a request? */
  mayWait(files: readonly string[], now: number, requests: number): boolean {
    const key = files.join('\0');
    const soon = now - this.#reloaded < SOON;
    const caught = this.#streak >= RUNNING && key === this.#files;
    const suspect = soon && (caught || requests === this.#requests);
    this.#streak = suspect && (key === this.#files || this.#streak === 0) ? this.#streak + 1 : 0;
    const isSlow = now - this.#reloaded < NOW_AND_THEN && requests === this.#requests;
    this.#slowStreak = isSlow && (key === this.#files || this.#slowStreak === 0) ? this.#slowStreak + 1 : 0;
    this.#files = key;
    return this.#streak >= RUNNING || this.#slowStreak >= RUNNING_SLOWLY;
  }
}
