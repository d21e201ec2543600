/**
 * The disk, compared with the three things that matter: what the serving generation was started from, what the attempt
 * under way began with, and what the last failed one began with. Watching and hashing are watch/'s; which of the
 * differences are no edits is for doubts.ts and server-writes.ts, and what follows from one for the controller.
 */
import type { Config } from '../config/config.js';
import type { EventEmitter } from '../events/bus.js';
import type { CallTimes } from '../session/ledger.js';
import type { WatchRule } from '../watch/types.js';
import type { openWatch, Change, Mark, Watch, WatchOptions } from '../watch/watch.js';
import { Doubts } from './edits/output-detector.js';
import { fence } from './fence.js';
import { Rewrites } from './edits/same-content-saves.js';
import { ServerWrites } from './edits/server-writes.js';

/** `configured`: what was there when another configuration came into force, until a server serves with it. */
type Base = 'serving' | 'attempt' | 'failed' | 'configured';

export class Freshness {
  #watch: Watch;
  /** How the watch was opened, for a process that has to look at the same files. */
  watchOptions: WatchOptions;
  readonly #marks = new Map<Base, Mark>();
  readonly #rewrites = new Rewrites();
  readonly #doubts: Doubts;
  readonly #writes: ServerWrites;
  readonly #events: EventEmitter;
  readonly #settled: () => void;
  readonly #openWatch: typeof openWatch;
  #ready = false;
  /** The serving generation, as long as it may still be reading its code. */
  #loading: number | undefined;

  /** `since`: when the server was started, or is about to be. */
  constructor(
    config: Config,
    rules: readonly WatchRule[],
    events: EventEmitter,
    since: number,
    settled: () => void,
    open: typeof openWatch,
    calls: () => CallTimes,
  ) {
    this.#events = events;
    this.#writes = new ServerWrites(events, calls);
    this.#settled = settled;
    this.#openWatch = open;
    this.watchOptions = watchOptionsOf(config, rules, since);
    this.#watch = this.#open();
    this.#doubts = new Doubts(events, {
      check: () => this.check(),
      mark: () => this.watch.mark(),
      changedSince: (mark) => pathsOf(this.watch.changedSince(mark)),
      release: (mark) => this.watch.release(mark),
    });
  }

  get watch(): Watch {
    return this.#watch;
  }

  /** Watches other files from now on. What the serving generation was started from is what was there at `since`. */
  async reopen(config: Config, rules: readonly WatchRule[], since: number): Promise<void> {
    const old = this.#watch;
    this.#marks.clear();
    this.#ready = false;
    this.watchOptions = watchOptionsOf(config, rules, since);
    this.#watch = this.#open();
    this.mark('attempt');
    this.mark('configured');
    await this.#watch.ready;
    await old.close();
  }

  #open(): Watch {
    const events = this.#events;
    const opened = performance.now();
    const watch = this.#openWatch(this.watchOptions, {
      settled: this.#settled,
      unchanged: (files) => events.emit({ kind: 'unchanged', files, why: 'same-content' }),
      warn: ({ code, text }) => events.emit({ kind: 'warning', text, code }),
      began: ({ files, directories, mode, ms }) =>
        events.emit({ kind: 'watching', files, directories, mode, ms: Math.round(ms) }),
    });
    this.#writes.begin(watch);
    void watch.ready.then(() => {
      if (watch !== this.#watch) return;
      const ms = Math.round(performance.now() - opened);
      events.emit({ kind: 'hashed', ms });
      this.#ready = true;
      this.#settled();
    });
    return watch;
  }

  /** Files whose changes restarted nothing, because the server seems to write them itself. */
  get takenForData(): readonly string[] {
    return this.#writes.accepted;
  }

  /** The first look at the disk is over. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Something may have changed that has not been looked at. */
  get stirred(): boolean {
    return this.watch.dirty || this.watch.needsSweep || !this.#ready || this.#writes.isCatchUpDue;
  }

  /** `asked`: a request waits for it. */
  async check(asked = false): Promise<void> {
    await this.watch.ready;
    await this.watch.check();
    this.#writes.look(asked);
  }

  /** Looks at everything, stirred or not. */
  async sweep(): Promise<void> {
    await this.watch.ready;
    await this.watch.sweep();
    this.#writes.look(false);
  }

  /** Remembers the disk as it is, or as another remembers it. */
  mark(base: Base, like?: Base): void {
    const mark = this.watch.mark(like === undefined ? undefined : this.#marks.get(like));
    this.forget(base);
    this.#marks.set(base, mark);
    if (base !== 'attempt') return;
    this.#doubts.begin();
    this.#rewrites.begin();
    this.#writes.attemptBegan();
  }

  has(base: Base): boolean {
    return this.#marks.has(base);
  }

  forget(base: Base): void {
    const mark = this.#marks.get(base);
    if (mark !== undefined) this.watch.release(mark);
    this.#marks.delete(base);
  }

  /** What one compared with, another does from now on. */
  move(from: Base, to: Base): void {
    const mark = this.#marks.get(from);
    if (mark === undefined) return;
    this.forget(to);
    this.#marks.set(to, mark);
    this.#marks.delete(from);
    if (to !== 'serving') return;
    this.forget('configured');
    this.#writes.reloaded();
  }

  /**
   * What an attempt is about. With a configuration that no server serves with yet, there is nothing else to compare
   * with; if none has ever served, it is what failed.
   */
  news(): readonly Change[] {
    if (this.has('configured')) return this.changed('configured');
    return this.changed(this.has('serving') ? 'serving' : 'failed');
  }

  changed(base: Base): readonly Change[] {
    const mark = this.#marks.get(base);
    if (mark === undefined) return [];
    const changed = this.watch.changedSince(mark);
    return base === 'serving' && this.#loading !== undefined ? [...changed, ...this.#restored(mark)] : changed;
  }

  /** This generation serves from now on; undefined: one that has read its code. */
  loads(generation: number | undefined): void {
    this.#loading = generation;
  }

  /**
   * It has read its code, and what was saved before has been looked at. If that may be what it has read, it stays in
   * doubt.
   */
  loaded(generation: number): void {
    if (this.#loading === generation && this.changed('serving').length === 0) this.#loading = undefined;
  }

  /** What was saved since and is what it was: whoever has read it meanwhile may have read something else. */
  #restored(mark: Mark | undefined): readonly Change[] {
    if (mark === undefined) return [];
    const changed = new Set(pathsOf(this.watch.changedSince(mark)));
    const same = this.watch.stirredSince(mark).filter(({ path }) => !changed.has(path));
    const { files, told } = this.#rewrites.news(pathsOf(same));
    if (!told) this.#events.emit({ kind: 'saved-meanwhile', files });
    return same.filter(({ path }) => files.includes(path));
  }

  /**
   * Whether somebody saved a file of the rule since, be it with the bytes that it had: a build meanwhile may have read
   * any.
   */
  async disturbed(mark: Mark, rule: string): Promise<boolean> {
    await fence();
    await this.check();
    return [...this.watch.changedSince(mark), ...this.#restored(mark)].some(({ rules }) => rules.includes(rule));
  }

  /** At rest: whether there is a difference. */
  edited(base: 'serving' | 'failed'): boolean {
    const files = pathsOf(this.changed(base));
    this.#doubts.edited(files);
    return files.length > 0;
  }

  /** Whether the attempt under way has to give way to an edit. */
  outdated(): boolean {
    return this.#doubts.outdated(
      () => pathsOf(this.changed('attempt')),
      () => this.#restored(this.#marks.get('attempt')).length > 0,
    );
  }

  /** At the end of an attempt: may it stand? If not, a pause has passed, in which an editor may have shown itself. */
  async stands(signal: AbortSignal): Promise<boolean> {
    const files = pathsOf(this.changed('attempt'));
    const ended = this.#doubts.ended(files, this.#restored(this.#marks.get('attempt')).length > 0);
    if (ended === 'in doubt') {
      await this.#doubts.pause(signal);
      return false;
    }
    this.#rewrites.stood();
    // What is restless may have been edited: then the attempt stands, and another one follows.
    if (files.length > 0 && ended === 'well') this.mark('attempt');
    return true;
  }

  async close(): Promise<void> {
    await this.watch.close();
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
