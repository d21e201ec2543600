/**
 * The named snapshots of one lineage: what it compares the disk with. Watching and hashing are left to the project's
 * disk, what tells outputs from edits to project/edits/, and what a difference leads to to `event-for-changes.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptWindow, WrittenOutputs } from '../project/attempt-window.js';
import { pathsOf, type Change, type Disk, type Snapshot } from '../project/disk.js';
import { ATTEMPTS_UNTIL_OUTPUT, type EndOfAttempt } from '../project/edits/output-detector.js';
import { SameContentSaves } from '../project/edits/same-content-saves.js';
import type { Project } from '../project/project.js';
import type { EventEmitter } from '../events/bus.js';

/**
 * `serving`: what the serving generation was started from. `attempt`: what the attempt under way began with. `failed`:
 * what the last failed one began with. `configured`: what was there when another configuration came into force, until a
 * server serves with it.
 */
export type SnapshotName = 'serving' | 'attempt' | 'failed' | 'configured';

/** `superseded`: something was saved meanwhile, so it is made again. `given up`: its successor is under way. */
export type AttemptEnd = 'stands' | 'superseded' | 'given up';

/** So long a lineage that pauses waits at most for the attempts of others, whose writes are no edits. */
const LONGEST_WAIT_FOR_OTHERS_MS = 20_000;

export class Snapshots {
  readonly #project: Project;
  readonly #disk: Disk;
  readonly #window: AttemptWindow;
  readonly #events: EventEmitter;
  readonly #snapshots = new Map<SnapshotName, Snapshot>();
  /** When a snapshot was taken, by `performance.now()`. */
  readonly #takenAt = new WeakMap<Snapshot, number>();
  readonly #sameContentSaves = new SameContentSaves();
  readonly #listening: Disposable;
  /** The disk when the present pause between two attempts began. */
  #pause: Snapshot | undefined;
  /** The serving generation, as long as it may still be reading its code. */
  #unopened: number | undefined;
  #comparedVersion: number;
  /** The version of the configuration that attempts go by. */
  #appliedConfiguration: number;

  /** For a disk that is open. `onQuiet`: it is time for a check. */
  constructor(project: Project, window: AttemptWindow, events: EventEmitter, onQuiet: () => void) {
    this.#project = project;
    this.#disk = project.disk;
    this.#window = window;
    this.#events = events;
    this.#appliedConfiguration = project.config.version;
    this.#comparedVersion = project.disk.version;
    const comparedVersion = (): number => this.#comparedVersion;
    this.#listening = project.disk.listen({
      get comparedVersion() {
        return comparedVersion();
      },
      onQuiet,
      onReopened: () => this.#onReopened(),
    });
    window.onOutputs((outputs) => this.#acceptOutputs(outputs));
  }

  /** The first look at the disk is over. */
  get isReady(): boolean {
    return this.#disk.isReady;
  }

  /** Something may have changed that has not been looked at, or that only another lineage has looked at. */
  get isDirty(): boolean {
    return this.#disk.isDirty || this.#comparedVersion !== this.#disk.version;
  }

  /** What the last check of the disk has found has been compared with the snapshots. */
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

  /** Remembers the disk as it is, or as another snapshot does. */
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

  /** What one compared with, the other does from now on. */
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
   * What an attempt is about. With a configuration that no server serves with yet, there is nothing else to compare
   * with; if none has ever served, it is what failed.
   */
  changesToApply(): readonly Change[] {
    if (this.has('configured')) return this.changesSince('configured');
    return this.changesSince(this.has('serving') ? 'serving' : 'failed');
  }

  /** A generation that may still be reading its code may have read what was saved with the same content meanwhile. */
  changesSince(name: SnapshotName): readonly Change[] {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return [];
    const changes = this.#disk.changesSince(snapshot);
    return name === 'serving' && this.#unopened !== undefined ? [...changes, ...this.#resavedSince(snapshot)] : changes;
  }

  /** Looks at the disk, and returns whether a file of the rule was saved since, be it with the content that it had. */
  async findChanges(since: Snapshot, rule: string): Promise<boolean> {
    await this.#disk.fresh();
    this.#recordResaved(since);
    return this.#changedDuring(since, rule);
  }

  /** Another lineage has read a configuration that this one does not go by yet. */
  get isConfigurationOutdated(): boolean {
    return this.#project.config.version !== this.#appliedConfiguration;
  }

  get appliedConfiguration(): number {
    return this.#appliedConfiguration;
  }

  recordConfiguration(version: number): void {
    this.#appliedConfiguration = version;
  }

  /** This generation serves from now on; undefined: one that has read its code. */
  expectFirstMessage(generation: number | undefined): void {
    this.#unopened = generation;
  }

  /**
   * The server has sent its first message, so it has loaded its code, and the disk has been looked at. If a file was
   * saved meanwhile, the server may run either version: then it keeps counting as loading.
   */
  onFirstMessage(generation: number): void {
    if (this.#unopened === generation && this.changesSince('serving').length === 0) this.#unopened = undefined;
  }

  /** Whether the attempt under way, or the pause after it, has to give way to an edit. */
  isSuperseded(): boolean {
    if (this.isConfigurationOutdated && this.#pause === undefined) return true;
    return this.#window.isSuperseded(this.#changedInAttempt(), this.#isResavedInAttempt());
  }

  /** What `isSuperseded` goes by has been seen, while an attempt is under way. */
  recordInAttempt(): void {
    if (this.#pause === undefined) this.#recordResaved(this.#snapshots.get('attempt'));
    this.#warnOfOutputs(this.#window.recordSuperseded(this.#changedInAttempt()));
  }

  /** These have changed while no attempt is under way. */
  recordAtRest(changed: readonly string[]): void {
    if (this.#unopened !== undefined) this.#recordResaved(this.#snapshots.get('serving'));
    this.#window.recordAtRest(changed);
  }

  /** What was saved since with the same content is expected in the next attempt. */
  #recordResaved(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) return;
    const files = this.#sameContentSaves.record(pathsOf(this.#disk.resavedSince(snapshot)));
    if (files.length === 0) return;
    this.#events.emit({ kind: 'saved-meanwhile', files });
  }

  /**
   * How the attempt comes to its end, well or not: by a last look at the disk. Nothing that was saved while it ran may
   * be missed. `aborted`: the attempt is given up.
   */
  async finishAttempt(aborted: AbortSignal): Promise<AttemptEnd> {
    await this.#disk.freshForReaders();
    // One that was given up meanwhile is no witness of what changed during it: its successor is.
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
    this.#listening[Symbol.dispose]();
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
    // What is unstable may have been edited: then the attempt stands, and another one follows.
    if (changed.length > 0 && end.verdict === 'stands') {
      this.take('attempt');
      this.#window.giveUp();
    }
    return end;
  }

  /** Lets time pass between two attempts, in which somebody who edits would do so, and no other lineage attempts. */
  async #pauseForEdits(ms: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + LONGEST_WAIT_FOR_OTHERS_MS;
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

  /** What another lineage's build or server writes as it starts is no edit. What was saved before still is. */
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

  #changedDuring(snapshot: Snapshot, rule: string): boolean {
    const changes = [...this.#disk.changesSince(snapshot), ...this.#resavedSince(snapshot)];
    return changes.some(({ rules }) => rules.includes(rule));
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
