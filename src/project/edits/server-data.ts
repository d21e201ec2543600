/**
 * P6 (settles): a file that the server writes itself must not restart it again and again. P4 (fresh): where an edit
 * could look the same, the server is restarted once more at the first request after a rest.
 *
 * | a file changed …                                            | is                    | then                         |
 * |-------------------------------------------------------------|-----------------------|------------------------------|
 * | that an option names, or that is code                       | an edit               | restart; a loop is told once |
 * | data, at a time that fits its delay after reloads           | as background-writes says | accept, catch up if likely |
 * | data, with no call running, and a request waits for it      | an edit               | restart                      |
 * | data, with no call running                                  | as background-writes says | else restart             |
 * | data, during a call or after its answer                     | as call-writes says   | else restart                 |
 * | data, during a call or after, taken for the server's before | as before             | accept, catch up if likely   |
 * | other data in each of CALLS_RUNNING calls running           | likely the server's   | accept, catch up             |
 *
 * What is said of a file is said of new files of its kind near it too (keysOf). A file changes back into a source when
 * it changes while no call runs. Pure; `project/server-writes.ts` looks at the disk.
 */
import type { CallTimes } from '../../server/call-times.js';
import { BackgroundWrites, type Certainty } from './background-writes.js';
import { CallWrites, REST_MS, type ChangeTime } from './call-writes.js';

/** So many calls running, each with a change of other data that was found, are the work of the server. */
const CALLS_RUNNING = 3;
/** So many calls in which the same named file changed, or new files of one kind came, are a loop. */
const LOOP_CALLS = 3;
/** So many calls running, each with a change of whatever named file, are a loop. */
const LOOP_CALLS_RUNNING = 5;
/**
 * Each catching up of a file needs a rest so many times as long as the one before: a server that writes on is not
 * restarted for ever.
 */
const LONGER_REST_FACTOR = 4;

/** Under which names a changed file is counted: its path, and the patterns that stand for others like it. */
interface Key {
  /** A path, or a glob. */
  readonly key: string;
  /** It stands for a whole tree. */
  readonly wide: boolean;
}

export interface ObservedChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** It was found as data, and no option names it. */
  readonly data: boolean;
  readonly time: ChangeTime;
}

export interface Circumstances {
  readonly times: CallTimes;
  /** A request waits for this look at the disk. */
  readonly requestWaits: boolean;
}

export interface Findings {
  /** The server's own: their changes restart nothing. */
  readonly own: readonly string[];
  /** Those among them that may have been edited all the same. */
  readonly unsure: readonly string[];
  /** Those among them that are worth telling: nothing of their place was told before. */
  readonly worthTelling: readonly { readonly path: string; readonly by: 'calls' | 'reloads' }[];
  /** Each of these has restarted the server at one call after the other, under its path or a pattern. */
  readonly looping: readonly { readonly path: string; readonly pattern: string }[];
}

/** A lineage, as far as it matters when its server has read the files. */
export type Reader = object;

export class ServerData {
  readonly #calls = new CallWrites();
  readonly #background = new BackgroundWrites();
  readonly #loops = new WriteLoops();
  readonly #certaintyByKey = new Map<string, Certainty>();
  readonly #placesTold = new Set<string>();
  readonly #restsByPlace = new Map<string, number>();
  /** When these changed: likely the server's, and a serving generation has read something else. */
  readonly #unread = new Map<string, number>();
  #running = NO_RUN;
  readonly #attemptBegan = new Map<Reader, number>();
  /** Its serving generation has read what was on the disk then, or something newer. */
  readonly #readAt = new Map<Reader, number>();

  /** A reload begins: what is on the disk now, it reads. */
  recordAttempt(reader: Reader, now: number): void {
    this.#attemptBegan.set(reader, now);
    this.#background.recordReload(now);
  }

  /** The generation that the attempt has started serves. */
  recordReload(reader: Reader, now: number): void {
    this.#readAt.set(reader, this.#attemptBegan.get(reader) ?? 0);
    this.#background.recordReload(now);
    const readByAll = Math.min(...this.#readAt.values());
    for (const [path, at] of this.#unread) if (at <= readByAll) this.#unread.delete(path);
  }

  forgetReader(reader: Reader): void {
    this.#attemptBegan.delete(reader);
    this.#readAt.delete(reader);
  }

  /** These were seen to have changed since the last time. */
  record(changes: readonly ObservedChange[], circumstances: Circumstances): Findings {
    const findings = {
      own: [] as string[],
      unsure: [] as string[],
      worthTelling: [] as Findings['worthTelling'][number][],
      looping: [] as Findings['looping'][number][],
    };
    for (const change of changes) {
      const { path, data, time } = change;
      const keys = keysOf(change);
      if (!data) {
        const pattern = this.#loops.record(keys, time);
        if (pattern !== undefined) findings.looping.push({ path, pattern });
        continue;
      }
      const by = time.when === 'apart' ? 'reloads' : 'calls';
      const certainty = this.#recordData(keys, time, circumstances);
      if (certainty === undefined) continue;
      findings.own.push(path);
      if (certainty === 'likely') {
        findings.unsure.push(path);
        this.#unread.set(path, time.at);
      } else {
        this.#unread.delete(path);
      }
      if (this.#recordPlaces(keys)) findings.worthTelling.push({ path, by });
    }
    return findings;
  }

  /** Whether it is time to restart the server because of files that are only likely its own. */
  isCatchUpDue(now: number, { open, idleSince }: CallTimes): boolean {
    if (this.#unread.size === 0 || open || now - idleSince < REST_MS) return false;
    return [...this.#unread].some(([path, at]) => now - Math.max(at, idleSince) >= this.#restOf(path));
  }

  /** These are to be treated as edited. */
  catchUp(): readonly string[] {
    const paths = [...this.#unread.keys()];
    this.#unread.clear();
    for (const place of new Set(paths.map(placeOf))) {
      this.#restsByPlace.set(place, LONGER_REST_FACTOR * (this.#restsByPlace.get(place) ?? REST_MS));
    }
    return paths;
  }

  #restOf(path: string): number {
    return this.#restsByPlace.get(placeOf(path)) ?? REST_MS;
  }

  /** Returns how certainly it is the server's; undefined: an edit. */
  #recordData(keys: readonly Key[], time: ChangeTime, { times, requestWaits }: Circumstances): Certainty | undefined {
    const fitting = surest(keys.map(({ key }) => this.#background.recordFitting(key, time.at)));
    if (fitting !== undefined) return fitting;
    if (time.when === 'apart') {
      for (const { key } of keys) {
        this.#calls.forget(key);
        this.#certaintyByKey.delete(key);
      }
      if (requestWaits) return undefined;
      return surest(keys.map(({ key }) => this.#background.record(key, time.at, times.calls)));
    }
    let certainty: Certainty | undefined;
    for (const { key, wide } of keys) {
      const counted = surest([this.#calls.record(key, time, times, wide), this.#certaintyByKey.get(key)]);
      if (counted !== undefined) this.#certaintyByKey.set(key, counted);
      certainty = surest([certainty, counted]);
    }
    certainty ??= this.#recordCallRun(time) ? 'likely' : undefined;
    if (certainty === undefined) return undefined;
    // New files beside it are the server's from now on, too.
    for (const key of [keys[0]?.key ?? '', placeOf(keys[0]?.key ?? '')])
      this.#certaintyByKey.set(key, surest([certainty, this.#certaintyByKey.get(key)]) ?? certainty);
    return certainty;
  }

  /** Returns whether enough calls running have seen a change. */
  #recordCallRun({ when, call, orBefore }: ChangeTime): boolean {
    if (when !== 'during' || call === undefined) return false;
    this.#running = nextInRun(this.#running, call, orBefore === true);
    return this.#running.calls >= CALLS_RUNNING;
  }

  /** Returns whether nothing of these places was recorded before. */
  #recordPlaces(keys: readonly Key[]): boolean {
    const path = keys[0]?.key ?? '';
    const places = new Set([placeOf(path), ...keys.slice(1).map(({ key }) => key)]);
    const isNew = ![...places].some((place) => this.#placesTold.has(place));
    for (const place of places) this.#placesTold.add(place);
    return isNew;
  }
}

/** Calls one after the other, each with a change. The last one is one of these two numbers, or of those between. */
interface CallRun {
  readonly first: number;
  readonly last: number;
  readonly calls: number;
}

const NO_RUN: CallRun = { first: -1, last: -1, calls: 0 };

/** `orBefore`: it may have been the call before. Changes that are seen at once may all be of one call. */
function nextInRun(run: CallRun, call: number, orBefore = false): CallRun {
  const earliest = orBefore ? call - 1 : call;
  if (orBefore && run.first === earliest && run.last === call) return run;
  const first = Math.max(run.first + 1, earliest);
  const last = Math.min(run.last + 1, call);
  if (first <= last) return { first, last, calls: run.calls + 1 };
  return run.last >= earliest && run.first <= call ? run : { first: earliest, last: call, calls: 1 };
}

/**
 * Notices that a file which an option names, or new files of one kind, have restarted the server at one call after the
 * other. They go on doing so; the loop is only told, once.
 */
class WriteLoops {
  readonly #countByKey = new Map<string, { call: number | undefined; calls: number }>();
  readonly #toldKeys = new Set<string>();
  #running = NO_RUN;

  /** Returns the path or pattern of a loop that has just become one. */
  record(keys: readonly Key[], { when, call }: ChangeTime): string | undefined {
    if (when === 'apart') {
      for (const { key } of keys) this.#countByKey.delete(key);
      this.#running = NO_RUN;
      return undefined;
    }
    // A file that changes again in the same call is edited while a long one runs, as far as anybody knows.
    if (call === undefined) return undefined;
    this.#running = nextInRun(this.#running, call);
    const looping = keys.filter(({ key }) => this.#count(key, call) >= LOOP_CALLS).map(({ key }) => key);
    if (this.#running.calls === LOOP_CALLS_RUNNING) looping.push(...keys.map(({ key }) => key));
    const [first] = looping;
    if (first === undefined || keys.some(({ key }) => this.#toldKeys.has(key))) return undefined;
    for (const { key } of keys) this.#toldKeys.add(key);
    return first;
  }

  /** Returns in how many calls it has changed by now. */
  #count(key: string, call: number): number {
    const count = this.#countByKey.get(key) ?? { call: undefined, calls: 0 };
    this.#countByKey.set(key, count);
    if (count.call !== call) count.calls++;
    count.call = call;
    return count.calls;
  }
}

/**
 * The path first. A file that only changes stands for itself; one that comes or goes also for others of its ending near
 * it.
 */
function keysOf({ path, kind }: { readonly path: string; readonly kind: string }): readonly Key[] {
  if (kind === 'changed') return [{ key: path, wide: false }];
  return [
    { key: path, wide: false },
    { key: placeOf(path), wide: false },
    { key: treeOf(path), wide: true },
  ];
}

/** Files of its ending in its directory. */
function placeOf(path: string): string {
  return `${directoryOf(path)}*${endingOf(path)}`;
}

/** Files of its ending in the directory above, and in those below that. */
function treeOf(path: string): string {
  return `${directoryOf(directoryOf(path).slice(0, -1))}**/*${endingOf(path)}`;
}

function directoryOf(path: string): string {
  return /^.*\//.exec(path)?.[0] ?? '';
}

function endingOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0] ?? '';
}

function surest(certainties: readonly (Certainty | undefined)[]): Certainty | undefined {
  return certainties.includes('certain') ? 'certain' : certainties.find((one) => one !== undefined);
}
