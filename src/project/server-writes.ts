/**
 * Looks at what has changed on the disk since the last look, and tells the server's own data from edits (P6, settles):
 * what the server writes itself is accepted as it is, so that no reload follows. Who wrote a file is decided by
 * `server-data.ts`, from the times of the calls and of the reloads.
 */
import type { CallTimes } from '../server/call-times.js';
import type { EventEmitter } from '../events/bus.js';
import type { Change, Mark, Watch } from '../watch/watch.js';
import { changeTimeOf } from './edits/call-writes.js';
import { ServerData, type Findings, type Reader } from './edits/server-data.js';

export class ServerWrites {
  readonly #events: EventEmitter;
  readonly #times: () => CallTimes;
  readonly #data = new ServerData();
  /** What was accepted and may have been edited, to take that back. */
  readonly #unsure = new Map<string, Change>();
  /** What was accepted since a lineage's serving generation began, which may have read something else. */
  readonly #acceptedByReader = new Map<Reader, Set<string>>();
  #lastLook: { readonly watch: Watch; readonly mark: Mark } | undefined;

  /** `times`: when the clients of all lineages waited for answers to calls. */
  constructor(events: EventEmitter, times: () => CallTimes) {
    this.#events = events;
    this.#times = times;
  }

  attach(reader: Reader): void {
    this.#acceptedByReader.set(reader, new Set());
  }

  detach(reader: Reader): void {
    this.#acceptedByReader.delete(reader);
    this.#data.forgetReader(reader);
  }

  /** For a watch that has just been opened. */
  begin(watch: Watch): void {
    this.#lastLook = { watch, mark: watch.mark() };
  }

  recordAttempt(reader: Reader): void {
    this.#data.recordAttempt(reader, performance.now());
  }

  recordReload(reader: Reader): void {
    this.#data.recordReload(reader, performance.now());
    this.#acceptedByReader.get(reader)?.clear();
  }

  /** Files that were taken for the server's own data, and so restarted nothing. */
  acceptedFor(reader: Reader): readonly string[] {
    return [...(this.#acceptedByReader.get(reader) ?? [])];
  }

  /** Files were accepted that may have been edits, and the time has come to read them after all. */
  get isCatchUpDue(): boolean {
    return this.#data.isCatchUpDue(performance.now(), this.#times());
  }

  /** After each check of the disk. `requestWaits`: a request waits for it. */
  look(requestWaits: boolean): void {
    const { watch } = this.#lastLook ?? {};
    if (watch === undefined) return;
    this.#recordChanges(watch, requestWaits);
    if (requestWaits && this.isCatchUpDue) this.#catchUp(watch);
  }

  #recordChanges(watch: Watch, requestWaits: boolean): void {
    const changes = this.#lastLook === undefined ? [] : watch.changedSince(this.#lastLook.mark);
    if (changes.length === 0) return;
    this.#renewMark(watch);
    const times = this.#times();
    const now = performance.now();
    const clock = wallClockAhead(
      changes.map(({ path }) => watch.changedAt(path)),
      times.idleSince,
    );
    const observed = changes.map(({ path, kind, data = false }) => {
      const at = watch.changedAt(path);
      return { path, kind, data, time: changeTimeOf(at === undefined ? now : Math.min(at - clock, now), times) };
    });
    const circumstances = { times, requestWaits };
    const { own, unsure, worthTelling, looping } = this.#data.record(observed, circumstances);
    if (own.length > 0) {
      watch.accept(own);
      for (const path of own) {
        this.#unsure.delete(path);
        for (const accepted of this.#acceptedByReader.values()) accepted.add(path);
      }
      for (const change of changes) if (unsure.includes(change.path)) this.#unsure.set(change.path, change);
      this.#events.emit({ kind: 'unchanged', files: own, why: 'written-by-server' });
    }
    for (const one of worthTelling) this.#warn(one.path, ownText(one));
    for (const one of looping) this.#warn(one.path, loopText(one));
  }

  #catchUp(watch: Watch): void {
    watch.distrust(this.#data.catchUp().flatMap((path) => this.#unsure.get(path) ?? []));
    this.#unsure.clear();
    this.#renewMark(watch);
  }

  #renewMark(watch: Watch): void {
    if (this.#lastLook !== undefined) watch.release(this.#lastLook.mark);
    this.begin(watch);
  }

  #warn(file: string, text: string): void {
    this.#events.emit({ kind: 'warning', text, files: [file] });
  }
}

/**
 * By how much the wall clock, which file times are of, is ahead of the monotonic clock, which the times of calls are
 * of. `Date.now()` is cut to whole milliseconds: where one of the files changed within a millisecond of the last
 * answer, the moment is waited for in which the next one begins.
 */
function wallClockAhead(changed: readonly (number | undefined)[], idleSince: number): number {
  let last = readClocks();
  let ahead = last.wall - last.at;
  const end = last.at + MAX_WAIT_MS;
  const isClose = changed.some((at) => at !== undefined && at - ahead > idleSince && at - ahead - 1 <= idleSince);
  while (isClose && last.at < end) {
    const clocks = readClocks();
    ahead = Math.max(ahead, clocks.wall - clocks.at);
    if (clocks.wall !== last.wall && clocks.at - last.at < AT_ONCE_MS) break;
    last = clocks;
  }
  return ahead;
}

/** How far apart clocks may be read, in milliseconds. On a busy machine some time may pass between two lines. */
const AT_ONCE_MS = 0.1;
/** Not for ever, should the clock be set back. */
const MAX_WAIT_MS = 20;

function readClocks(): { readonly wall: number; readonly at: number } {
  for (let tries = 0; ; tries++) {
    const at = performance.now();
    const wall = Date.now();
    if (performance.now() - at < AT_ONCE_MS || tries === 20) return { wall, at };
  }
}

function ownText({ path, by }: Findings['worthTelling'][number]): string {
  const what =
    by === 'calls'
      ? `${path} has changed again while a call ran, so it is taken for data that the server writes itself. Neither it nor new files of its kind near it restart the server from now on, unless they change while no call runs`
      : `${path} has changed at the same time after each of the last reloads, so it is taken for data that the server writes itself. It does not restart the server from now on, unless it changes after a longer rest`;
  return `${what}. If each change is to restart the server, use --also-watch ${path}`;
}

function loopText({ path, pattern }: Findings['looping'][number]): string {
  const others = pattern === path ? '' : `, like others of ${pattern},`;
  const what = `${path}${others} has changed during call after call, as if the server wrote it, and was reloaded each time`;
  return `${what}. If the server writes it, use --ignore ${pattern}`;
}
