/**
 * P6 (settles): a server that writes into its own watched tree after it has started would be reloaded for ever. When
 * the same files have changed soon after each of several reloads, and no client has asked for anything in between, the
 * next reload waits for a request. So a loop goes only as far as there are requests, and no save is lost.
 *
 * | changes of the same files in a row                                       | the reload …        |
 * |--------------------------------------------------------------------------|---------------------|
 * | fewer than LOOP_LENGTH, each within SUSPECT_AFTER_RELOAD_MS, no requests | follows             |
 * | LOOP_LENGTH of them                                                      | waits for a request |
 * | one more, after a request that has ended the waiting                     | waits again         |
 * | SLOW_LOOP_LENGTH within SUSPECT_SLOWLY_AFTER_RELOAD_MS, no requests      | waits for a request |
 * | the same, with attempts among them that such a change has ended          | waits for a request |
 * | with a request in between, later, or of other files                      | follows             |
 *
 * One a lineage; the reloads and the requests are those of all lineages of the project. Pure.
 */

/** So soon after a reload a change is suspect. */
const SUSPECT_AFTER_RELOAD_MS = 3000;
/** So many suspect changes in a row are a loop. A person who edits in a hurry makes fewer. */
const LOOP_LENGTH = 8;
/** A server may also write now and then: twice as many changes that come within this time are a loop too. */
const SUSPECT_SLOWLY_AFTER_RELOAD_MS = 60_000;
const SLOW_LOOP_LENGTH = 16;

interface Streaks {
  readonly files: string;
  readonly quick: number;
  readonly slow: number;
}

export class ReloadLoopGuard {
  #streaks: Streaks = { files: '', quick: 0, slow: 0 };
  #reloadedAt = -Infinity;
  #requests = 0;

  /** A reload is over. `requests`: how many there have been in all. */
  recordReload(now: number, requests: number): void {
    this.#reloadedAt = now;
    this.#requests = requests;
  }

  /** Files have changed while nothing was under way: may their reload wait for a request? */
  shouldDefer(files: readonly string[], now: number, requests: number): boolean {
    const { quick, slow } = this.#streaksWith(files, now, requests);
    return quick >= LOOP_LENGTH || slow >= SLOW_LOOP_LENGTH;
  }

  recordChange(files: readonly string[], now: number, requests: number): void {
    this.#streaks = this.#streaksWith(files, now, requests);
  }

  /**
   * Files have changed in the course of an attempt, which begins anew because of that. On a busy machine few attempts
   * come to an end before the server writes again. A person may save often while one build runs: no quick loop.
   */
  recordOvertaken(files: readonly string[], now: number, requests: number): void {
    const { quick } = this.#streaks;
    this.#streaks = { ...this.#streaksWith(files, now, requests), quick };
  }

  #streaksWith(changed: readonly string[], now: number, requests: number): Streaks {
    const { files: before, quick, slow } = this.#streaks;
    const files = changed.join('\0');
    const sinceReload = now - this.#reloadedAt;
    const hasNoRequests = requests === this.#requests;
    const isCaught = quick >= LOOP_LENGTH && files === before;
    const isQuick = sinceReload < SUSPECT_AFTER_RELOAD_MS && (isCaught || hasNoRequests);
    const isSlow = sinceReload < SUSPECT_SLOWLY_AFTER_RELOAD_MS && hasNoRequests;
    const goOn = (is: boolean, streak: number): number => (is && (files === before || streak === 0) ? streak + 1 : 0);
    return { files, quick: goOn(isQuick, quick), slow: goOn(isSlow, slow) };
  }
}
