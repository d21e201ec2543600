/**
 * What a project knows of the attempts of one lineage, beside those of all others: what their servers write at their
 * starts is no edit for anybody. Gives the pure parts in edits/ the time and the disk; what follows is decided by
 * `lineage/`.
 */
import type { CallTimes } from '../server/call-times.js';
import { pathsOf, type Disk, type Snapshot } from './disk.js';
import type { AttemptHistory, EndOfAttempt, OutputDetector } from './edits/output-detector.js';
import { ReloadLoopGuard } from './edits/reload-loop-guard.js';
import type { ServerWrites } from './server-writes.js';

/** What the clients of a lineage do, as far as it tells edits from outputs. */
export interface LineageActivity {
  /** When they waited for answers to calls. */
  callTimes(): CallTimes;
  /** How many requests they have made. */
  requests(): number;
}

/** Outputs that were written during the attempt of another lineage. */
export interface WrittenOutputs {
  readonly files: readonly string[];
  /** The disk when that attempt began, and when that was, by `performance.now()`. */
  readonly since: Snapshot;
  readonly began: number;
}

/** What the windows of a project have in common. */
export interface SharedByWindows {
  readonly disk: Disk;
  readonly outputs: OutputDetector;
  readonly serverWrites: ServerWrites;
  readonly windows: Set<AttemptWindow>;
  /** How many requests all clients have made, also those that have gone. */
  requests(): number;
}

export class AttemptWindow {
  readonly activity: LineageActivity;
  readonly #shared: SharedByWindows;
  readonly #history: AttemptHistory;
  readonly #loopGuard = new ReloadLoopGuard();
  /** The disk when the attempt began, and when that was by the clock of files. */
  #beginning: { readonly snapshot: Snapshot; readonly time: number } | undefined;
  #waitingForRest: (() => void)[] = [];
  #onOutputs: ((outputs: WrittenOutputs) => void) | undefined;

  constructor(shared: SharedByWindows, activity: LineageActivity) {
    this.activity = activity;
    this.#shared = shared;
    this.#history = shared.outputs.attach();
    shared.serverWrites.attach(this);
    shared.windows.add(this);
  }

  /** The lineage has ended. */
  detach(): void {
    this.#history.close();
    this.#shared.windows.delete(this);
    this.#shared.outputs.detach(this.#history);
    this.#shared.serverWrites.detach(this);
    this.#wakeOthers();
  }

  /** Calls back when others have written outputs while this lineage attempts nothing. */
  onOutputs(listener: (outputs: WrittenOutputs) => void): void {
    this.#onOutputs = listener;
  }

  /** An attempt begins with what is on the disk now. */
  begin(snapshot: Snapshot): void {
    this.#beginning = { snapshot, time: Date.now() };
    this.#history.begin(performance.now());
    this.#shared.serverWrites.recordAttempt(this);
  }

  /** The attempt was given up, or it has ended before the disk was known. */
  giveUp(): void {
    this.#history.close();
    this.#wakeOthers();
  }

  /** The files have changed since the attempt began; `resaved`: others were saved, and are what they were. */
  end(changed: readonly string[], resaved: boolean): EndOfAttempt {
    const end = this.#history.end(changed, resaved, performance.now());
    this.#acceptOutputs();
    this.#wakeOthers();
    return end;
  }

  isSuperseded(changed: readonly string[], resaved: boolean): boolean {
    return this.#history.isSuperseded(changed, resaved);
  }

  /** Returns files that are outputs from now on. */
  recordSuperseded(changed: readonly string[]): readonly string[] {
    return this.#history.recordSuperseded(changed);
  }

  beginPause(): void {
    this.#history.beginPause();
  }

  /** Returns whether the pause proves anything. */
  endPause(changed: readonly string[]): boolean {
    return this.#history.endPause(changed);
  }

  /** These have changed at rest. */
  recordAtRest(changed: readonly string[]): void {
    this.#history.recordAtRest(changed, performance.now());
  }

  /** Resolves when no other lineage attempts anything, or with the signal. */
  async othersAtRest(signal: AbortSignal): Promise<void> {
    while (this.#history.isAnotherOpen && !signal.aborted) {
      await new Promise<void>((resolve) => {
        // Others may wake it often, so each time takes its listener back.
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waitingForRest.push(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }

  /** What the present attempt has begun with serves from now on, by a new generation or not. */
  recordServing(): void {
    this.#shared.serverWrites.recordReload(this);
  }

  /** A new generation serves. */
  recordReload(): void {
    const requests = this.#shared.requests();
    for (const window of this.#shared.windows) window.#loopGuard.recordReload(performance.now(), requests);
  }

  /** Whether the reload for these changes, seen at rest, may wait for a request. */
  shouldDefer(changed: readonly string[]): boolean {
    return this.#loopGuard.shouldDefer(changed, performance.now(), this.#shared.requests());
  }

  recordChange(changed: readonly string[]): void {
    this.#loopGuard.recordChange(changed, performance.now(), this.#shared.requests());
  }

  /** The attempt begins anew, since these have changed. */
  recordOvertaken(changed: readonly string[]): void {
    this.#loopGuard.recordOvertaken(changed, performance.now(), this.#shared.requests());
  }

  /** Files whose changes restarted nothing, because the server seems to write them itself. */
  get serverData(): readonly string[] {
    return this.#shared.serverWrites.acceptedFor(this);
  }

  /** What is known to be an output, and was written during the attempt under way, is no change for anybody else. */
  acceptOutputs(): void {
    if (this.#history.isOpen) this.#acceptOutputs();
  }

  #acceptOutputs(): void {
    const { disk, outputs, windows } = this.#shared;
    if (windows.size < 2 || this.#beginning === undefined || !outputs.hasOutputs) return;
    const { snapshot, time } = this.#beginning;
    const changed = outputs.acceptable(pathsOf(disk.changesSince(snapshot)));
    // An edit right before the attempt may have been seen only during it.
    const files = changed.filter((path) => (disk.changedAt(path) ?? Infinity) >= time);
    if (files.length === 0) return;
    const written = { files, since: snapshot, began: this.#history.began };
    for (const other of windows) {
      const isAtRest = !other.#history.isOpen && !other.#history.isPaused;
      if (other !== this && isAtRest) other.#onOutputs?.(written);
    }
  }

  #wakeOthers(): void {
    for (const window of this.#shared.windows) for (const resolve of window.#waitingForRest.splice(0)) resolve();
  }
}
