/**
 * The named snapshots of the sources that one lineage compares the disk with. `project/disk.ts` watches and hashes,
 * `project/edits/` tells outputs from edits, and `change-detector.ts` makes events of differences.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptWindow, WrittenOutputs } from '../project/attempt-window.js';
import { pathsOf, type Change, type Disk, type Snapshot } from '../project/disk.js';
import { ATTEMPTS_UNTIL_OUTPUT, type EndOfAttempt } from '../project/edits/output-detector.js';
import { SameContentSaves } from '../project/edits/same-content-saves.js';
import type { Project } from '../project/project.js';
import type { EventEmitter } from '../events/bus.js';

/**
 * `serving`: the sources that the serving generation was started from. `attempt`: the sources when the attempt under
 * way began. `failed`: the sources when the last failed attempt began. `configured`: the sources when another
 * configuration came into force; kept until a server serves with it.
 */
export type SnapshotName = 'serving' | 'attempt' | 'failed' | 'configured';

/** `superseded`: a file was saved meanwhile, so another attempt follows. `given up`: another attempt has begun. */
export type AttemptEnd = 'stands' | 'superseded' | 'given up';

/** How long a pause may wait for attempts of other lineages, because their writes are no edits. */
const MAX_WAIT_FOR_OTHERS_MS = 20_000;

export class Snapshots {
  readonly #project: Project;
  readonly #disk: Disk;
  readonly #window: AttemptWindow;
  readonly #events: EventEmitter;
  readonly #snapshots = new Map<SnapshotName, Snapshot>();
  /** When a snapshot was taken, on the monotonic clock (`performance.now()`). */
  readonly #takenAt = new WeakMap<Snapshot, number>();
  readonly #sameContentSaves = new SameContentSaves();
  readonly #diskSubscription: Disposable;
  /** The sources when the present pause between two attempts began. */
  #pause: Snapshot | undefined;
  /** The number of the serving generation while it may still be loading its code. */
  #loadingGeneration: number | undefined;
  #comparedVersion: number;
  /** The version of the configuration that attempts use. */
  #appliedConfiguration: number;

  /** The disk must be open. `onQuiet`: the debounce is over. */
  constructor(project: Project, window: AttemptWindow, events: EventEmitter, onQuiet: () => void) {
    this.#project = project;
    this.#disk = project.disk;
    this.#window = window;
    this.#events = events;
    this.#appliedConfiguration = project.config.version;
    this.#comparedVersion = project.disk.version;
    const comparedVersion = (): number => this.#comparedVersion;
    this.#diskSubscription = project.disk.listen({
      get comparedVersion() {
        return comparedVersion();
      },
      onQuiet,
      onReopened: () => this.#onReopened(),
    });
    window.onOutputs((outputs) => this.#acceptOutputs(outputs));
  }

  /** Every watched file has been hashed once. */
  get isReady(): boolean {
    return this.#disk.isReady;
  }

  /** A file was touched that has not been hashed, or whose hash this lineage has not compared yet. */
  get isDirty(): boolean {
    return this.#disk.isDirty || this.#comparedVersion !== this.#disk.version;
  }

  /** The snapshots have been compared with the present version of the disk. */
  recordComparison(): void {
    this.#comparedVersion = this.#disk.version;
  }

  get disk(): Disk {
    return this.#disk;
  }

  /** Files whose changes restarted nothing, because the server seems to write them itself. */
  get serverData(): readonly string[] {
    return this.#window.serverData;
  }

  /** Takes a snapshot of the disk as it is, or copies another one. */
  take(name: SnapshotName, like?: SnapshotName): void {
    const original = like === undefined ? undefined : this.#snapshots.get(like);
    const snapshot = this.#disk.snapshot(original);
    this.#takenAt.set(snapshot, (original && this.#takenAt.get(original)) ?? performance.now());
    this.forget(name);
    this.#snapshots.set(name, snapshot);
    if (name !== 'attempt') return;
    this.#window.begin(snapshot);
    this.#sameContentSaves.beginAttempt();
  }

  has(name: SnapshotName): boolean {
    return this.#snapshots.has(name);
  }

  forget(name: SnapshotName): void {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return;
    if (name === 'attempt') this.#window.giveUp();
    this.#disk.dispose(snapshot);
    this.#snapshots.delete(name);
  }

  /** Renames a snapshot. One that had the new name is disposed of. */
  move(from: SnapshotName, to: SnapshotName): void {
    const snapshot = this.#snapshots.get(from);
    if (snapshot === undefined) return;
    if (from === 'attempt') this.#window.giveUp();
    this.forget(to);
    this.#snapshots.set(to, snapshot);
    this.#snapshots.delete(from);
    if (to !== 'serving') return;
    this.forget('configured');
    this.#window.recordServing();
  }

  /**
   * The changes that an attempt is to bring to the server. Compares with `configured` if no server serves with the
   * present configuration yet, else with `serving`, and with `failed` if no server has ever served.
   */
  changesToApply(): readonly Change[] {
    if (this.has('configured')) return this.changesSince('configured');
    return this.changesSince(this.has('serving') ? 'serving' : 'failed');
  }

  /** Something was saved since the last attempt failed, or since the serving generation was started if none did. */
  get hasNews(): boolean {
    const last = this.has('failed') ? 'failed' : 'serving';
    // Where nothing has come to an end yet, it is a save that makes one attempt follow another.
    return this.has(last) ? this.changesSince(last).length > 0 : this.has('attempt');
  }

  /**
   * For a generation that may still be loading, saves with the same content count: it may have read a version between.
   */
  changesSince(name: SnapshotName): readonly Change[] {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return [];
    const changes = this.#disk.changesSince(snapshot);
    return name === 'serving' && this.#loadingGeneration !== undefined
      ? [...changes, ...this.#resavedSince(snapshot)]
      : changes;
  }

  /** What a build has to be judged by that runs in the present attempt: see `findChanges`. */
  get expectedSaves(): ReadonlySet<string> {
    return this.#sameContentSaves.expected;
  }

  /**
   * Checks the disk. Returns whether a file of the rule was saved since, with another content or the same. `expected`:
   * the expected saves when the build began. A newer attempt may have begun meanwhile because of the very saves that
   * are asked for here, and expects them.
   */
  async findChanges(since: Snapshot, rule: string, expected: ReadonlySet<string>): Promise<boolean> {
    await this.#disk.fresh();
    if (expected === this.expectedSaves) this.#recordResaved(since);
    const resaved = this.#disk.resavedSince(since).filter(({ path }) => !expected.has(path));
    return [...this.#disk.changesSince(since), ...resaved].some(({ rules }) => rules.includes(rule));
  }

  /** Another lineage has read a newer configuration than this one uses. */
  get isConfigurationOutdated(): boolean {
    return this.#project.config.version !== this.#appliedConfiguration;
  }

  get appliedConfiguration(): number {
    return this.#appliedConfiguration;
  }

  recordConfiguration(version: number): void {
    this.#appliedConfiguration = version;
  }

  /** The serving generation has yet to send its first message. Undefined: it has loaded its code already. */
  expectFirstMessage(generation: number | undefined): void {
    this.#loadingGeneration = generation;
  }

  /**
   * The server has sent its first message, so it has loaded its code, and the disk has been checked since. If a file
   * was saved meanwhile, the server may run either version: then it keeps counting as loading (P4, fresh).
   */
  onFirstMessage(generation: number): void {
    if (this.#loadingGeneration === generation && this.changesSince('serving').length === 0)
      this.#loadingGeneration = undefined;
  }

  /** Whether the attempt under way, or the pause after it, must be aborted because of an edit. */
  isSuperseded(): boolean {
    if (this.isConfigurationOutdated && this.#pause === undefined) return true;
    return this.#window.isSuperseded(this.#changedInAttempt(), this.#isResavedInAttempt());
  }

  /** Records changes that were seen during an attempt: evidence for telling outputs from edits. */
  recordInAttempt(): void {
    if (this.#pause === undefined) this.#recordResaved(this.#snapshots.get('attempt'));
    this.#warnOfOutputs(this.#window.recordSuperseded(this.#changedInAttempt()));
  }

  /** Records files that have changed while no attempt is under way. */
  recordAtRest(changed: readonly string[]): void {
    if (this.#loadingGeneration !== undefined) this.#recordResaved(this.#snapshots.get('serving'));
    this.#window.recordAtRest(changed);
  }

  /** Files that were saved with the same content since `snapshot` are expected to be in the next attempt too. */
  #recordResaved(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) return;
    const files = this.#sameContentSaves.record(pathsOf(this.#disk.resavedSince(snapshot)));
    if (files.length === 0) return;
    this.#events.emit({ kind: 'saved-meanwhile', files });
  }

  /**
   * Ends the attempt, failed or not, with a last check of the disk: no save during the attempt may be missed (P4). May
   * pause to tell an edit from an output. `aborted`: the attempt is given up.
   */
  async finishAttempt(aborted: AbortSignal): Promise<AttemptEnd> {
    await this.#disk.freshForReaders();
    // An attempt that was given up proves nothing about files that changed during it. The next one may.
    if (aborted.aborted) return 'given up';
    const { verdict, pauseMs } = this.#endAttempt();
    if (verdict === 'undecided' && pauseMs > 0) await this.#pauseForEdits(pauseMs, aborted);
    if (aborted.aborted) return 'given up';
    return verdict === 'undecided' || this.isConfigurationOutdated ? 'superseded' : 'stands';
  }

  /** The attempt is given up. */
  giveUpAttempt(): void {
    this.#window.giveUp();
  }

  close(): void {
    this.#diskSubscription[Symbol.dispose]();
  }

  #endAttempt(): EndOfAttempt {
    const changed = this.#changedInAttempt();
    this.#recordResaved(this.#snapshots.get('attempt'));
    this.recordComparison();
    const end = this.#window.end(changed, this.#isResavedInAttempt());
    this.#warnOfOutputs(end.newOutputs);
    this.#warnOfUnstable(end.newUnstable);
    if (end.verdict === 'undecided') return end;
    this.#sameContentSaves.endAttempt();
    // An unstable file may have been edited too: this attempt stands, and another one follows.
    if (changed.length > 0 && end.verdict === 'stands') {
      this.take('attempt');
      this.#window.giveUp();
    }
    return end;
  }

  /** Pauses while no lineage makes an attempt: a person edits during pauses too, a build does not (P6, settles). */
  async #pauseForEdits(ms: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + MAX_WAIT_FOR_OTHERS_MS;
    for (;;) {
      await this.#disk.check();
      const pause = this.#disk.snapshot();
      this.#pause = pause;
      this.#window.beginPause();
      await delay(ms, undefined, { signal }).catch(() => {});
      await this.#disk.check();
      const isProof = this.#window.endPause(pathsOf(this.#disk.changesSince(pause)));
      this.#pause = undefined;
      this.#disk.dispose(pause);
      const left = deadline - performance.now();
      if (isProof || signal.aborted || left <= 0) return;
      await this.#window.othersAtRest(AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))]));
    }
  }

  /** Files that another lineage's build or server has written are no edits. Saves before that attempt still are. */
  #acceptOutputs({ files, since, began }: WrittenOutputs): void {
    for (const snapshot of this.#snapshots.values()) {
      const isYounger = (this.#takenAt.get(snapshot) ?? 0) >= began;
      this.#disk.accept(snapshot, files, isYounger ? undefined : since);
    }
  }

  #onReopened(): void {
    const isInAttempt = this.has('attempt');
    this.#snapshots.clear();
    if (isInAttempt) this.take('attempt');
    this.take('configured');
  }

  #changedInAttempt(): string[] {
    const since = this.#pause ?? this.#snapshots.get('attempt');
    return since === undefined ? [] : pathsOf(this.#disk.changesSince(since));
  }

  #isResavedInAttempt(): boolean {
    const attempt = this.#snapshots.get('attempt');
    return attempt !== undefined && this.#resavedSince(attempt).length > 0;
  }

  #resavedSince(snapshot: Snapshot): Change[] {
    const resaved = this.#disk.resavedSince(snapshot);
    const unexpected = new Set(this.#sameContentSaves.unexpected(pathsOf(resaved)));
    return resaved.filter(({ path }) => unexpected.has(path));
  }

  #warnOfOutputs(files: readonly string[]): void {
    if (files.length === 0) return;
    const text = `${files.join(', ')}: written during ${ATTEMPTS_UNTIL_OUTPUT} reloads in a row and never in between, so it is taken for an output of the build or the server: a change during a reload no longer causes another one. Use --ignore for such files`;
    this.#events.emit({ kind: 'warning', text, files });
  }

  #warnOfUnstable(files: readonly string[]): void {
    if (files.length === 0) return;
    const text = `${files.join(', ')}: changes faster than the server can be reloaded, so calls no longer wait until the server has its latest content. Use --ignore for such files`;
    this.#events.emit({ kind: 'warning', text, files });
  }
}
