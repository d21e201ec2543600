/**
 * Records of a lineage: its last reload, failure, change, build and restart. Most come from a subscription to the
 * events of the lineage; the restart and its cause are recorded by `attempts.ts`. The sinks write them to the disk.
 */
import { crashedText, failedText, lineTooLongText } from '../agent/failure-log.js';
import type { LastBuild } from '../agent/status-report.js';
import type { EventBus } from '../events/bus.js';
import type { EventOf, ReloadFacts, RestartMethod } from '../events/events.js';
import type { AttemptRecord } from './attempt-record.js';
import { RESTART_EXIT_CODE } from './states.js';

export interface LastReload extends ReloadFacts {
  /** ISO 8601. */
  readonly at: string;
}

export interface LastFailure {
  readonly at: string;
  /** The text of the log line. */
  readonly text: string;
}

export interface LastChange {
  readonly at: string;
  /** Empty if the configuration has changed. */
  readonly files: readonly string[];
}

/** A restart of the server. */
export interface Restart {
  readonly at: string;
  readonly reason: string;
  readonly generation: number;
  /** Exit code of the server before, if it exited by itself. */
  readonly exitCode: number | null;
  readonly method: RestartMethod;
}

export interface HistoryContext {
  readonly events: EventBus;
  /** Whether the log goes to a file. Its reader has not seen what the server printed, so the text includes that. */
  readonly isLogFile: () => boolean;
}

const KINDS = [
  'reloaded',
  'mended',
  'failed',
  'line-too-long',
  'crashed',
  'change',
  'saved-meanwhile',
  'configuration-changed',
] as const;

export class History {
  readonly #context: HistoryContext;
  readonly #subscription: Disposable;
  #lastReload: LastReload | undefined;
  #lastFailure: LastFailure | undefined;
  #lastChange: LastChange | undefined;
  /** The reason that was given with the last request to restart. */
  #requestedReason: string | undefined;
  #lastRestart: Restart | undefined;
  #begunRestart: Restart | undefined;
  /** When the last server exited that did so by itself: while it served, or before its first answer. */
  #lastEnd: 'crash' | 'start' | undefined;
  /** The last build that ran, failed or not. */
  lastBuild: LastBuild | undefined;

  constructor(context: HistoryContext) {
    this.#context = context;
    this.#subscription = context.events.subscribe(KINDS, (event) => this.#record(event));
  }

  get lastReload(): LastReload | undefined {
    return this.#lastReload;
  }

  /** The last change of watched files that caused an attempt. */
  get lastChange(): LastChange | undefined {
    return this.#lastChange;
  }

  /** The last complete restart of this lineage: its server serves or has served. */
  get lastRestart(): Restart | undefined {
    return this.#lastRestart;
  }

  /** A restart that has begun, and whose server does not serve yet. */
  get begunRestart(): Restart | undefined {
    return this.#begunRestart;
  }

  /** Undefined after a successful reload, or after the edit was undone. */
  get lastFailure(): LastFailure | undefined {
    return this.#lastFailure;
  }

  /** The agent has requested a restart. */
  recordRequest(reason: string): void {
    this.#requestedReason = reason;
    this.#context.events.emit({ kind: 'restart-requested', reason });
  }

  /**
   * A generation is about to replace another. With `replace` this is called before the old one stops, with `overlap`
   * before the new one serves. `exitCode`: of the server before, if it exited by itself.
   */
  recordRestarting(generation: number, record: AttemptRecord, exitCode: number | null): void {
    if (record.isRestartRecorded) return;
    record.isRestartRecorded = true;
    // After a failed start another one is attempted, for the reason that the first one had.
    const begun = record.attempt.respawn ? this.#begunRestart : undefined;
    const method = begun?.method ?? this.#methodOf(record, exitCode);
    const reasons: Record<RestartMethod, string> = {
      request: this.#requestedReason ?? 'a reload was asked for by a signal',
      change: record.files.slice(0, 10).join(', '),
      server: 'the server asked for it',
      crash: 'the server crashed',
      start: 'the start before had failed',
    };
    this.#begunRestart = {
      at: new Date().toISOString(),
      reason: begun?.reason ?? reasons[method],
      generation,
      exitCode: record.attempt.respawn && begun === undefined ? exitCode : null,
      method,
    };
    this.#requestedReason = undefined;
  }

  /**
   * The same for `replace`, where the old server stops first. The marker file says `begun` until the new one serves, so
   * that nobody takes the stop for a complete restart.
   */
  recordRetiring(generation: number, record: AttemptRecord, exitCode: number | null): void {
    this.recordRestarting(generation, record, exitCode);
    if (this.#begunRestart !== undefined)
      this.#context.events.emit({ kind: 'restart', ...this.#begunRestart, begun: true });
  }

  /** A generation serves, so the restart that has begun is complete. */
  recordServing(generation: number): void {
    const begun = this.#begunRestart;
    if (begun === undefined) return;
    this.#begunRestart = undefined;
    // With `replace` the number was a guess: a candidate may have failed before this one.
    this.#lastRestart = { ...begun, generation };
    this.#context.events.emit({ kind: 'restart', ...this.#lastRestart, begun: false });
  }

  close(): void {
    this.#subscription[Symbol.dispose]();
  }

  #methodOf({ files, attempt }: AttemptRecord, exitCode: number | null): RestartMethod {
    if (this.#requestedReason !== undefined) return 'request';
    if (attempt.respawn && this.#lastEnd === 'start') return 'start';
    if (attempt.respawn) return exitCode === RESTART_EXIT_CODE ? 'server' : 'crash';
    return files.length > 0 ? 'change' : 'request';
  }

  #record(event: EventOf<(typeof KINDS)[number]>): void {
    const at = new Date().toISOString();
    switch (event.kind) {
      case 'reloaded': {
        const { generation, pid, ms, files, phases, changes } = event;
        this.#lastReload = { at, generation, pid, ms, files, phases, changes };
        this.#lastFailure = undefined;
        // The request has been served. It must not be given as the reason for a later restart.
        this.#requestedReason = undefined;
        return;
      }
      case 'mended':
        this.#lastFailure = undefined;
        return;
      case 'failed':
      case 'line-too-long':
        this.#lastFailure = { at, text: this.#textOf(event) };
        if (event.kind === 'failed' && event.failure.kind === 'start') this.#lastEnd = 'start';
        this.#requestedReason = undefined;
        return;
      case 'crashed':
        this.#lastFailure = { at, text: this.#textOf(event) };
        this.#begunRestart = undefined;
        this.#lastEnd = 'crash';
        return;
      case 'configuration-changed':
        this.#lastChange = { at, files: [] };
        return;
      default:
        this.#lastChange = { at, files: event.files };
    }
  }

  #textOf(event: EventOf<'failed' | 'line-too-long' | 'crashed'>): string {
    switch (event.kind) {
      case 'failed':
        return failedText(event, this.#context.isLogFile());
      case 'line-too-long':
        return lineTooLongText(event);
      case 'crashed':
        return crashedText(event);
    }
  }
}
