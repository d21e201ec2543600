/**
 * What has happened to the server, for whoever asks: the last reload, the last failure, the audit trail and the marker
 * of the last restart. It learns everything from the log's events, so that nothing has to be told twice.
 */
import { cutText } from '../agent/limits.js';
import type { LastBuild } from '../agent/status-report.js';
import type { FlowContext } from '../flow/flow.js';
import { Audit, type AuditEvent, type AuditLine } from '../state/audit-trail.js';
import type { EventName, Fields, Log } from '../sinks/log.js';
import { writeMarker, type Marker } from '../state/restart-marker.js';
import { maskArguments } from '../state/mask-arguments.js';
import { StatusFile, type SessionStatus } from '../state/status-file.js';
import type { Run } from './attempt-record.js';
import { RESTART } from './exits.js';
import { withoutBanner } from '../process/script-banner.js';

export interface Happened {
  readonly at: string;
  readonly text: string;
  readonly facts: Fields;
}

/** Which events of the log are lines of the trail, and which of their facts. */
const audited: Partial<Record<EventName, AuditEvent>> = {
  ready: 'started',
  change: 'change',
  built: 'built',
  reloaded: 'reloaded',
  failed: 'failed',
  mended: 'mended',
  crashed: 'crashed',
  closed: 'stopped',
};
const kept = ['generation', 'pid', 'ms', 'phases', 'files', 'changes'] as const;
/** Of what a build or a server printed. */
const MAX_OUTPUT = 2000;
const SESSION = '1';

export class History {
  readonly audit: Audit;
  readonly #dir: string;
  readonly #problem: (problem: string) => void;
  #lastReload: Happened | undefined;
  #lastFailure: Happened | undefined;
  #lastChange: Happened | undefined;
  #reason: string | undefined;
  #lastRestart: Marker | undefined;
  #begunRestart: Marker | undefined;
  /** How the last server that ended by itself did so: while it served, or before it had answered anything. */
  #lastEnd: 'crash' | 'start' | undefined;
  readonly #shown: StatusFile;
  #marked: Promise<unknown> = Promise.resolve();

  constructor(flow: FlowContext) {
    const { log } = flow;
    this.#dir = flow.config.stateDir;
    let told = false;
    this.#problem = (problem) => {
      if (!told) log.warn('warning', problem);
      told = true;
    };
    this.audit = new Audit(this.#dir, this.#problem);
    const { cwd, command } = flow.config;
    const args = maskArguments([command, ...flow.config.args]).slice(1);
    this.#shown = new StatusFile(this.#dir, { cwd, command, args }, this.#problem);
  }

  get lastReload(): Happened | undefined {
    return this.#lastReload;
  }

  /** The last change of watched files that was acted on. */
  get lastChange(): Happened | undefined {
    return this.#lastChange;
  }

  /** The last restart that this proxy has made, on the disk or not: its server serves or has served. */
  get lastRestart(): Marker | undefined {
    return this.#lastRestart;
  }

  /** A restart after that one, whose server has not come up. */
  get begunRestart(): Marker | undefined {
    return this.#begunRestart;
  }

  /** Undefined once a reload has gone well, or the edit was undone. */
  get lastFailure(): Happened | undefined {
    return this.#lastFailure;
  }

  /** The last build that ran, well or not. */
  lastBuild: LastBuild | undefined;

  /** The same log, with an eye on it. */
  watching(log: Log): Log {
    const eye =
      (write: Log['info']): Log['info'] =>
      (event, text, fields = {}) => {
        write(event, text, fields);
        this.#note(event, text, fields);
      };
    return { debug: eye(log.debug), info: eye(log.info), warn: eye(log.warn), error: eye(log.error) };
  }

  /** For `mcp-hotline status`. */
  show(news: Partial<SessionStatus>): void {
    this.#shown.update(SESSION, news);
  }

  /** Somebody asks for a restart. Resolves when it is on record. */
  requested(reason: string): Promise<void> {
    this.#reason = reason;
    return this.audit.write('restart requested', { cause: reason });
  }

  /**
   * A generation is about to take the place of another: with `replace` before that one stops, else before the new one
   * serves.
   * `exitCode`: how the last one came to its end, if it did so by itself.
   */
  restarting(generation: number, run: Run, exitCode: number | null): void {
    if (run.marked) return;
    run.marked = true;
    // A start that failed, and is made again: its cause is still what the old server was stopped for.
    const begun = run.attempt.restart ? this.#begunRestart : undefined;
    const method = begun?.method ?? this.#methodOf(run, exitCode);
    const reasons: Record<Marker['method'], string> = {
      request: this.#reason ?? 'a reload was asked for by a signal',
      change: run.files.slice(0, 10).join(', '),
      server: 'the server asked for it',
      crash: 'the server crashed',
      start: 'the start before had failed',
    };
    this.#begunRestart = {
      timestamp: new Date().toISOString(),
      reason: begun?.reason ?? reasons[method],
      generation,
      exitCode: run.attempt.restart && begun === undefined ? exitCode : null,
      method,
      proxy: process.pid,
    };
    this.#reason = undefined;
  }

  /**
   * The same with `replace`: the old server is stopped first. Whoever finds the marker must not take that for a
   * restart.
   */
  retiring(generation: number, run: Run, exitCode: number | null): void {
    this.restarting(generation, run, exitCode);
    if (this.#begunRestart !== undefined) this.#mark({ ...this.#begunRestart, begun: true });
  }

  /** A generation serves: the restart that was begun has come about. */
  serves(generation: number): void {
    const begun = this.#begunRestart;
    if (begun === undefined) return;
    this.#begunRestart = undefined;
    // With `replace` the number was not certain: a candidate may have failed before this one.
    this.#lastRestart = { ...begun, generation };
    this.#mark(this.#lastRestart);
  }

  #mark(marker: Marker): void {
    this.#marked = this.#marked.then(async () => {
      const written = await writeMarker(this.#dir, marker);
      if (!written.ok) this.#problem(written.problem);
    });
  }

  #methodOf({ files, attempt }: Run, exitCode: number | null): Marker['method'] {
    if (this.#reason !== undefined) return 'request';
    if (attempt.restart && this.#lastEnd === 'start') return 'start';
    if (attempt.restart) return exitCode === RESTART ? 'server' : 'crash';
    return files.length > 0 ? 'change' : 'request';
  }

  /** The proxy ends: everything is on the disk, and it is no longer among those that run. */
  async close(): Promise<void> {
    await this.written();
    await this.#shown.close();
  }

  /** Resolves when the last marker and every line so far are on the disk, or can't be. */
  async written(): Promise<void> {
    await this.#marked;
    await this.audit.flushed();
  }

  #note(event: EventName, text: string, fields: Fields): void {
    const happened = { at: new Date().toISOString(), text, facts: fields };
    if (event === 'reloaded') {
      this.#lastReload = happened;
      this.#lastFailure = undefined;
    }
    if (event === 'mended') this.#lastFailure = undefined;
    if (event === 'failed' || event === 'crashed') this.#lastFailure = happened;
    if (event === 'crashed') this.#begunRestart = undefined;
    if (event === 'crashed' || (event === 'failed' && fields['kind'] === 'start')) {
      this.#lastEnd = event === 'crashed' ? 'crash' : 'start';
    }
    if (event === 'change') this.#lastChange = happened;
    // A restart that was asked for and did not come about is no reason for a later one; nor is one that has.
    if (event === 'failed' || event === 'reloaded') this.#reason = undefined;
    const line = event === 'failed' && fields['kind'] === 'build' ? 'build failed' : audited[event];
    if (line === undefined) return;
    const cause = this.#causeOf(event, text, fields);
    const { client } = this.#shown.session(SESSION);
    const facts = { ...factsOf(event, fields), ...(cause === undefined ? {} : { cause }) };
    void this.audit.write(line, { ...facts, ...(event === 'ready' && client !== undefined ? { client } : {}) });
    this.#show(event, happened.at, facts, fields['failing'] === true);
  }

  #causeOf(event: EventName, text: string, { command, how }: Fields): string | undefined {
    if (event === 'failed' || event === 'crashed') return typeof how === 'string' ? `${String(command)} ${how}` : text;
    return event === 'reloaded' ? this.#lastRestart?.reason : undefined;
  }

  #show(event: EventName, at: string, facts: Facts, isFailing: boolean): void {
    const { generation, pid, cause } = facts;
    const serves = typeof generation === 'number' ? { generation, server: pid } : {};
    switch (event) {
      case 'ready':
        return this.#shown.update(SESSION, isFailing ? serves : { ...serves, ...this.#mended(at) });
      case 'reloaded':
        return this.#shown.update(SESSION, { ...serves, lastReload: { at, ...facts }, ...this.#mended(at) });
      case 'mended':
        return this.#shown.update(SESSION, this.#mended(at));
      case 'failed':
      case 'crashed':
        return this.#shown.update(SESSION, { lastFailure: { at, event, cause: cause ?? '' } });
      default:
    }
  }

  #mended(at: string): Partial<SessionStatus> {
    const { lastFailure } = this.#shown.session(SESSION);
    return lastFailure === undefined ? {} : { lastFailure: { mended: at, ...lastFailure } };
  }
}

type Facts = Omit<AuditLine, 'time' | 'event' | 'proxy'>;

function factsOf(event: EventName, fields: Fields): Facts {
  const { output, how } = fields;
  const said = typeof output === 'string' ? cutText(withoutBanner(output).rest, MAX_OUTPUT) : '';
  return {
    ...Object.fromEntries(kept.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]))),
    ...(said === '' ? {} : { output: said }),
    ...(event === 'mended' && typeof how === 'string' ? { how } : {}),
  };
}
