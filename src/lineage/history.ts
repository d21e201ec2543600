/**
 * What has happened to the servers of a lineage, as records: the last reload, failure, change, build and restart. It
 * listens to the events of its own lineage, so that nobody has to report anything twice, and says how each restart came
 * about. What is written of it to the disk is for the sinks.
 */
import { crashedText, failedText, lineTooLongText } from '../agent/failure-log.js';
import type { LastBuild } from '../agent/status-report.js';
import type { EventBus } from '../events/bus.js';
import type { EventOf, ReloadFacts, RestartMethod } from '../events/events.js';
import type { Run } from './attempt-record.js';
import { RESTART } from './exits.js';

export interface LastReload extends ReloadFacts {
  /** ISO 8601. */
  readonly at: string;
}

export interface LastFailure {
  readonly at: string;
  /** As the log says it. */
  readonly text: string;
}

export interface LastChange {
  readonly at: string;
  /** None if the configuration was changed. */
  readonly files: readonly string[];
}

/** A restart of the server. */
export interface Restart {
  readonly at: string;
  readonly reason: string;
  readonly generation: number;
  /** How the last server came to its end, if by itself. */
  readonly exitCode: number | null;
  readonly method: RestartMethod;
}

export interface HistoryContext {
  readonly events: EventBus;
  /** Of the log: what a server printed belongs to its text only where the reader has not seen it. */
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
  /** Why somebody has asked for the next restart. */
  #requestedReason: string | undefined;
  #lastRestart: Restart | undefined;
  #begunRestart: Restart | undefined;
  /** How the last server that ended by itself did so: while it served, or before it had answered anything. */
  #lastEnd: 'crash' | 'start' | undefined;
  /** The last build that ran, well or not. */
  lastBuild: LastBuild | undefined;

  constructor(context: HistoryContext) {
    this.#context = context;
    this.#subscription = context.events.subscribe(KINDS, (event) => this.#record(event));
  }

  get lastReload(): LastReload | undefined {
    return this.#lastReload;
  }

  /** The last change of watched files that was acted on. */
  get lastChange(): LastChange | undefined {
    return this.#lastChange;
  }

  /** The last restart that this lineage has made, on the disk or not: its server serves or has served. */
  get lastRestart(): Restart | undefined {
    return this.#lastRestart;
  }

  /** A restart after that one, whose server has not come up. */
  get begunRestart(): Restart | undefined {
    return this.#begunRestart;
  }

  /** Undefined once a reload has gone well, or the edit was undone. */
  get lastFailure(): LastFailure | undefined {
    return this.#lastFailure;
  }

  /** Somebody asks for a restart. */
  recordRequest(reason: string): void {
    this.#requestedReason = reason;
    this.#context.events.emit({ kind: 'restart-requested', reason });
  }

  /**
   * A generation is about to take the place of another: with `replace` before that one stops, else before the new one
   * serves.
   * `exitCode`: how the last one came to its end, if it did so by itself.
   */
  recordRestarting(generation: number, run: Run, exitCode: number | null): void {
    if (run.marked) return;
    run.marked = true;
    // A start that failed is made again: its cause is still what the old server was stopped for.
    const begun = run.attempt.restart ? this.#begunRestart : undefined;
    const method = begun?.method ?? this.#methodOf(run, exitCode);
    const reasons: Record<RestartMethod, string> = {
      request: this.#requestedReason ?? 'a reload was asked for by a signal',
      change: run.files.slice(0, 10).join(', '),
      server: 'the server asked for it',
      crash: 'the server crashed',
      start: 'the start before had failed',
    };
    this.#begunRestart = {
      at: new Date().toISOString(),
      reason: begun?.reason ?? reasons[method],
      generation,
      exitCode: run.attempt.restart && begun === undefined ? exitCode : null,
      method,
    };
    this.#requestedReason = undefined;
  }

  /**
   * The same with `replace`, where the old server is stopped first: whoever finds the marker must not take that for a
   * restart.
   */
  recordRetiring(generation: number, run: Run, exitCode: number | null): void {
    this.recordRestarting(generation, run, exitCode);
    if (this.#begunRestart !== undefined)
      this.#context.events.emit({ kind: 'restart', ...this.#begunRestart, begun: true });
  }

  /** A generation serves, so the restart that was begun has come about. */
  recordServing(generation: number): void {
    const begun = this.#begunRestart;
    if (begun === undefined) return;
    this.#begunRestart = undefined;
    // With `replace` the number was not certain: a candidate may have failed before this one.
    this.#lastRestart = { ...begun, generation };
    this.#context.events.emit({ kind: 'restart', ...this.#lastRestart, begun: false });
  }

  close(): void {
    this.#subscription[Symbol.dispose]();
  }

  #methodOf({ files, attempt }: Run, exitCode: number | null): RestartMethod {
    if (this.#requestedReason !== undefined) return 'request';
    if (attempt.restart && this.#lastEnd === 'start') return 'start';
    if (attempt.restart) return exitCode === RESTART ? 'server' : 'crash';
    return files.length > 0 ? 'change' : 'request';
  }

  #record(event: EventOf<(typeof KINDS)[number]>): void {
    const at = new Date().toISOString();
    switch (event.kind) {
      case 'reloaded': {
        const { generation, pid, ms, files, phases, changes } = event;
        this.#lastReload = { at, generation, pid, ms, files, phases, changes };
        this.#lastFailure = undefined;
        // A restart that has come about, or that has failed, is no reason for a later one.
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
