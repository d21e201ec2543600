/**
 * P6 (settles): a server may write a data file though nobody calls it: some time after its start, at intervals, at its
 * end. Each reload then brings the next change. Such a file is told from an edit by its delay: after one reload after
 * the other it changes at the same time.
 *
 * | the file changed with no call running …                                | taken for the server's      |
 * |------------------------------------------------------------------------|-----------------------------|
 * | after fewer than RELOADS_WITHOUT_CALLS reloads at the same delay       | no: an edit                 |
 * | after RELOADS_WITHOUT_CALLS reloads, none with a call in between       | likely                      |
 * | after RELOADS reloads, with calls in between                           | likely                      |
 * | again, after the next reload                                           | certain                     |
 * | later than the server ever did (SLACK_PART, SLACK_MS)                  | no: an edit, count anew     |
 *
 * Pure. When a reload began or ended is told by `project/server-writes.ts`.
 */

/** Delays that differ by no more than this, or by this part of them, are the same delay. */
const SAME_DELAY_MS = 250;
const SAME_DELAY_PART = 0.05;
/** How many reloads running, with no call in between, must be followed by the change. */
const RELOADS_WITHOUT_CALLS = 5;
/** How many with calls in between: a script that edits, waits, calls and waits is as regular. */
const RELOADS = 8;
/** A change of a file that is the server's fits if it comes no later than its usual delay and this. */
const SLACK_MS = 3000;
const SLACK_PART = 1.25;

/** `likely`: an edit may look like this too; `certain`: after the next reload it came again. */
export type Certainty = 'likely' | 'certain';

interface Pattern {
  reload: number;
  /** Milliseconds from the reload to the change. */
  delay: number;
  at: number;
  calls: number;
  reloads: number;
  /** The last of them, with no call in between. */
  reloadsWithoutCalls: number;
  taken: Certainty | undefined;
}

export class BackgroundWrites {
  /** By path, and for new files by directory and ending. */
  readonly #patterns = new Map<string, Pattern>();
  #reload = 0;
  #reloadedAt = -Infinity;

  /**
   * A reload begins, or a new generation serves: from then on a server writes what it writes at its start or its end.
   */
  recordReload(now: number): void {
    this.#reload++;
    this.#reloadedAt = now;
  }

  /**
   * A change of a file that may have been taken for the server's. Returns whether it is the server's still; undefined:
   * it was never taken, or the change does not fit, so somebody has edited it.
   */
  recordFitting(key: string, at: number): Certainty | undefined {
    const pattern = this.#patterns.get(key);
    if (pattern?.taken === undefined) return undefined;
    const gap = at - Math.max(this.#reloadedAt, pattern.at);
    if (gap > pattern.delay * SLACK_PART + SLACK_MS) {
      this.#patterns.delete(key);
      return undefined;
    }
    if (pattern.reload !== this.#reload) pattern.taken = 'certain';
    pattern.reload = this.#reload;
    pattern.at = at;
    return pattern.taken;
  }

  /**
   * It has changed while no call ran, and no request has asked for it at once, as one does after an edit. `calls`: how
   * many calls there were so far. Returns whether it is taken for the server's now.
   */
  record(key: string, at: number, calls: number): Certainty | undefined {
    const last = this.#patterns.get(key);
    // The reload that this change brings about has not begun yet.
    if (last?.reload === this.#reload) return undefined;
    const delay = at - this.#reloadedAt;
    const same = last !== undefined && isSameDelay(delay, last.delay);
    const reloads = same ? last.reloads + 1 : 1;
    const reloadsWithoutCalls = same && last.calls === calls ? last.reloadsWithoutCalls + 1 : 1;
    const isEnough = reloads >= RELOADS || reloadsWithoutCalls >= RELOADS_WITHOUT_CALLS;
    const taken = isEnough ? 'likely' : undefined;
    this.#patterns.set(key, { reload: this.#reload, delay, at, calls, reloads, reloadsWithoutCalls, taken });
    return taken;
  }
}

function isSameDelay(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(SAME_DELAY_MS, SAME_DELAY_PART * Math.min(one, other));
}
