/**
 * P6 over time: files that change while attempts are under way may be edits, of which none is missed, or what the build
 * or the server writes, which must not make an endless loop. Attempts that end in doubt are made again, after pauses in
 * which an editor would show himself. What tells outputs from edits is outputs.ts's; which files have changed is asked
 * of freshness.ts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventEmitter } from '../../events/bus.js';
import type { Mark } from '../../watch/watch.js';
import { ENOUGH, Outputs } from './outputs.js';

/** Pauses between attempts by how many have ended in doubt; as long as the last attempt, if that took longer: somebody who
 * edits all the time is then as likely to do so in the pause. */
const PAUSES = [0, 0, 300, 1000];
const LONGEST_PAUSE = 5000;
/** So soon after an attempt, a change may still be its doing. */
const SOON = 1000;
/**
 * A chain of so many attempts in doubt that takes so long comes to no end by itself; where each takes long, fewer have
 * to do.
 */
const DOUBTS = 8;
const LONGEST_CHAIN = 10_000;
/** Calls wait for the chain's end, and are refused after --hold. */
const LONGEST_SLOW_CHAIN = 20_000;

/** The disk, as far as it matters here. */
export interface Disk {
  check(): Promise<void>;
  mark(): Mark;
  changedSince(mark: Mark): readonly string[];
  release(mark: Mark): void;
}

/** `restless`: it stands, though what changed meanwhile may be an edit. */
export type Ended = 'well' | 'restless' | 'in doubt';

export class Doubts {
  readonly #events: EventEmitter;
  readonly #disk: Disk;
  readonly #outputs = new Outputs();
  /** The files whose change in the present attempt is counted already. */
  readonly #counted = new Set<string>();
  #began = 0;
  #ended = 0;
  /** The disk when the present pause began. */
  #pause: Mark | undefined;
  #chain: { readonly began: number; doubts: number } | undefined;

  constructor(events: EventEmitter, disk: Disk) {
    this.#events = events;
    this.#disk = disk;
  }

  /** An attempt begins. */
  begin(): void {
    this.#began = performance.now();
    this.#counted.clear();
  }

  /** These have changed at rest: unless an attempt has just ended, it is the work of somebody who edits. */
  edited(files: readonly string[]): void {
    if (performance.now() - this.#ended > SOON) this.#outputs.edited(files);
  }

  /**
   * Whether the attempt under way has to give way to an edit. Outputs, and what may be outputs, are no reason yet.
   * `changed`: the files that differ from when it began; `restored`: whether there are others that were saved and are
   * what they were.
   */
  outdated(changed: () => readonly string[], restored: () => boolean): boolean {
    if (this.#pause !== undefined) return this.#editedIn(this.#pause);
    const files = changed();
    const again = restored();
    if (this.#outputs.mayBe(files)) return again;
    // While a server drains, one attempt is looked at again and again.
    this.#count(files.filter((file) => !this.#counted.has(file)));
    for (const file of files) this.#counted.add(file);
    return true;
  }

  /** An attempt has come to its end. The same as above is told of it. */
  ended(files: readonly string[], restored: boolean): Ended {
    this.#ended = performance.now();
    this.#count(files);
    if (restored || (!this.#outputs.are(files) && !this.#endless(files))) return 'in doubt';
    this.#chain = undefined;
    return this.#outputs.anyRestless(files) ? 'restless' : 'well';
  }

  /** After an attempt that has ended in doubt. */
  async pause(signal: AbortSignal): Promise<void> {
    const pause = PAUSES[Math.min(this.#outputs.doubt, PAUSES.length - 1)] ?? 0;
    if (pause === 0) return;
    await this.#disk.check();
    const mark = this.#disk.mark();
    this.#pause = mark;
    const length = Math.min(Math.max(pause, this.#ended - this.#began), LONGEST_PAUSE);
    await delay(length, undefined, { signal }).catch(() => {});
    await this.#disk.check();
    this.#editedIn(mark);
    this.#pause = undefined;
    this.#disk.release(mark);
  }

  #editedIn(pause: Mark): boolean {
    const files = this.#disk.changedSince(pause);
    this.#outputs.edited(files);
    return files.length > 0;
  }

  /** These have changed during an attempt that ends. */
  #count(files: readonly string[]): void {
    const taken = this.#outputs.ended(files);
    if (taken.length === 0) return;
    const text = `${taken.join(', ')}: written during ${ENOUGH} reloads in a row and never in between, so it is taken for an output of the build or the server: a change during a reload no longer causes another one. Use --ignore for such files`;
    this.#events.emit({ kind: 'warning', text, files: taken });
  }

  /** One more attempt has ended in doubt: is there no hope of one that does not? */
  #endless(files: readonly string[]): boolean {
    this.#chain ??= { began: this.#began, doubts: 0 };
    this.#chain.doubts++;
    const took = this.#ended - this.#chain.began;
    const isLong = this.#chain.doubts >= DOUBTS ? took >= LONGEST_CHAIN : took >= LONGEST_SLOW_CHAIN;
    if (this.#chain.doubts < ENOUGH || !isLong) return false;
    const restless = this.#outputs.giveUp(files);
    const text = `${restless.join(', ')}: changes faster than the server can be reloaded, so calls no longer wait until the server has its latest content. Use --ignore for such files`;
    this.#events.emit({ kind: 'warning', text, files: restless });
    return true;
  }
}
