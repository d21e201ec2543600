/**
 * The disk as all lineages of a project see it: one watch, one check that all who ask for it join, and the snapshots
 * that they compare it with. Watching and hashing are left to watch/; which changes are no edits to `project.ts`; whose
 * snapshot is for what to `lineage/snapshots.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { EventEmitter } from '../events/bus.js';
import type { WatchRule } from '../watch/types.js';
import type { openWatch, Change, Mark, Watch, WatchOptions } from '../watch/watch.js';
import { fence } from './fence.js';

export type { Change };

/** A remembered state of all watched files. */
export type Snapshot = Mark;

/**
 * Tells files that the build or the server has written from edits, after each check of the disk. It accepts those: they
 * are no change for any snapshot from then on.
 */
export interface AfterCheck {
  onOpened(watch: Watch): void;
  /** `requestWaits`: a request waits for this check. */
  onChecked(watch: Watch, requestWaits: boolean): void;
  /** A check would find something, though no file has been touched. */
  readonly isCheckDue: boolean;
}

export interface DiskOptions {
  readonly events: EventEmitter;
  readonly openWatch: typeof openWatch;
  readonly afterCheck: AfterCheck;
}

/** A lineage. */
export interface DiskListener {
  /** The version of the disk that it has compared with its snapshots. */
  readonly comparedVersion: number;
  /** The debounce is over, or the first look at the disk: it is time for a check. */
  onQuiet(): void;
  /** Other files are watched from now on, and all snapshots are void. */
  onReopened(): void;
}

export class Disk {
  readonly #options: DiskOptions;
  readonly #listeners = new Set<DiskListener>();
  #opened: { readonly watch: Watch; readonly watchOptions: WatchOptions; isReady: boolean } | undefined;
  #isClosed = false;
  #fence: Promise<void> | undefined;
  /** Of the watches before the present one. */
  #versionBefore = 0;
  #wakingLaggards = new AbortController();

  constructor(options: DiskOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined && !this.#isClosed;
  }

  /** The first look at the disk is over. */
  get isReady(): boolean {
    return this.#opened?.isReady === true;
  }

  /** Grows with every check that has found something new. */
  get version(): number {
    return this.#versionBefore + (this.#opened?.watch.saves ?? 0);
  }

  /** Something may have changed that has not been looked at. */
  get isDirty(): boolean {
    if (this.#opened === undefined) return false;
    const { watch, isReady } = this.#opened;
    return watch.dirty || watch.needsSweep || !isReady || this.#options.afterCheck.isCheckDue;
  }

  /** How it is watched, for a process that has to look at the same files. */
  get watchOptions(): WatchOptions {
    return this.#open.watchOptions;
  }

  listen(listener: DiskListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Begins to watch. `since`: when the server was started that reads these files, in milliseconds since 1970. */
  open(config: Config, rules: readonly WatchRule[], since: number): void {
    if (!this.isOpen) this.#openWatch(watchOptionsOf(config, rules, since));
  }

  /** Watches other files from now on. What the serving generation was started from is what was there at `since`. */
  async reopen(config: Config, rules: readonly WatchRule[], since: number): Promise<void> {
    const before = this.#open.watch;
    const watch = this.#openWatch(watchOptionsOf(config, rules, since));
    for (const listener of this.#listeners) listener.onReopened();
    await watch.ready;
    await before.close();
  }

  /** Whatever was saved before this call has been looked at when it resolves. */
  async fresh(): Promise<void> {
    await this.#sharedFence();
    await this.check();
  }

  /** The same for what a server may have read before the kernel has reported it: files that a save has just emptied. */
  async freshForReaders(): Promise<void> {
    // In this order: what is emptied after the look nobody has read, and what was filled before it is reported by now.
    await this.#opened?.watch.findEmptied();
    await this.fresh();
  }

  async check(requestWaits = false): Promise<void> {
    await this.#look((watch) => watch.check(), requestWaits);
  }

  /** Looks at everything, dirty or not. */
  async sweep(): Promise<void> {
    await this.#look((watch) => watch.sweep(), false);
  }

  /** Remembers the disk as it was when it was looked at last, or as `like` remembers it. */
  snapshot(like?: Snapshot): Snapshot {
    return this.#open.watch.mark(like);
  }

  dispose(snapshot: Snapshot): void {
    this.#open.watch.release(snapshot);
  }

  changesSince(snapshot: Snapshot): readonly Change[] {
    return this.#open.watch.changedSince(snapshot);
  }

  /** Files that were saved since and have the same content again. */
  resavedSince(snapshot: Snapshot): readonly Change[] {
    const changed = new Set(pathsOf(this.changesSince(snapshot)));
    return this.#open.watch.touchedSince(snapshot).filter(({ path }) => !changed.has(path));
  }

  /** When the file's inode last changed, in milliseconds since 1970, if the file is there. */
  changedAt(path: string): number | undefined {
    return this.#open.watch.changedAt(path);
  }

  /**
   * The snapshot remembers these files as they are now. Unless `since` is undefined, only those that both remember
   * alike: of the others, what had changed before `since` still counts.
   */
  accept(snapshot: Snapshot, paths: readonly string[], since: Snapshot | undefined): void {
    this.#open.watch.acceptFor(snapshot, paths, since);
  }

  fingerprint(rule: string): string {
    return this.#open.watch.fingerprint(rule);
  }

  /** Computes the fingerprints of these rules, so that asking for them costs nothing. */
  async prepare(rules: readonly string[]): Promise<void> {
    await this.#open.watch.prepare(rules);
  }

  /** Nobody needs it any more. It can be opened again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakingLaggards.abort();
    await this.#opened?.watch.close();
  }

  get #open(): { readonly watch: Watch; readonly watchOptions: WatchOptions } {
    if (this.#opened === undefined) throw new Error('the disk is not watched yet');
    return this.#opened;
  }

  #openWatch(watchOptions: WatchOptions): Watch {
    const { events, afterCheck } = this.#options;
    const began = performance.now();
    const watch = this.#options.openWatch(watchOptions, {
      onQuiet: () => this.#onQuiet(),
      unchanged: (files) => events.emit({ kind: 'unchanged', files, why: 'same-content' }),
      warn: ({ code, text }) => events.emit({ kind: 'warning', text, code }),
      began: ({ files, directories, mode, ms }) =>
        events.emit({ kind: 'watching', files, directories, mode, ms: Math.round(ms) }),
    });
    const opened = { watch, watchOptions, isReady: false };
    this.#versionBefore = this.version + 1;
    this.#opened = opened;
    this.#isClosed = false;
    afterCheck.onOpened(watch);
    void watch.ready.then(() => {
      if (opened !== this.#opened) return;
      const ms = Math.round(performance.now() - began);
      events.emit({ kind: 'hashed', ms });
      opened.isReady = true;
      this.#onQuiet();
    });
    return watch;
  }

  async #look(check: (watch: Watch) => Promise<void>, requestWaits: boolean): Promise<void> {
    await this.#open.watch.ready;
    const { watch } = this.#open;
    const before = this.version;
    await check(watch);
    this.#options.afterCheck.onChecked(watch, requestWaits);
    if (this.version !== before && this.#listeners.size > 1) void this.#wakeLaggards();
  }

  /** Nothing is dirty any more, so the debounce does not end for those who have not asked for this check. */
  async #wakeLaggards(): Promise<void> {
    this.#wakingLaggards.abort();
    this.#wakingLaggards = new AbortController();
    const { signal } = this.#wakingLaggards;
    await delay(this.#open.watchOptions.debounce, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    for (const listener of this.#listeners) if (listener.comparedVersion < this.version) listener.onQuiet();
  }

  #onQuiet(): void {
    for (const listener of this.#listeners) listener.onQuiet();
  }

  /** Who asks in the same turn of the event loop waits for the same fence. */
  #sharedFence(): Promise<void> {
    this.#fence ??= fence(() => (this.#fence = undefined));
    return this.#fence;
  }
}

function watchOptionsOf(config: Config, rules: readonly WatchRule[], since: number): WatchOptions {
  const { cwd, ignore, ext, debounce, poll, stateDir, projectDir, logFile } = config;
  const never = [stateDir, projectDir, ...(logFile === undefined ? [] : [logFile])];
  return { cwd, rules, ignore, ext, debounce, poll, never, since };
}

export function pathsOf(changes: readonly Change[]): string[] {
  return changes.map((change) => change.path);
}
