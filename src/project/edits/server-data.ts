/**
 * P6 (settles): a file that the server writes itself must not restart it again and again. A data file that was found,
 * and that changes while a call runs, restarts the server once. The second time, the file and new files of its kind
 * near it are taken for data of the server, until they change while no call runs. So are files that come in call after
 * call, whatever their names, and files that change after reload after reload (`background-writes.ts`). Where an edit
 * could look the same (`likely`), the server is restarted once more at the first request after a rest (P4, fresh).
 * Files that an option names, and sources, always restart it: of those, only a loop is noticed. Pure;
 * `server-writes.ts` looks at the disk.
 */
import type { CallTimes } from '../../server/call-times.js';
import { BackgroundWrites, type Certainty } from './background-writes.js';
import { CallWrites, REST_MS, type Moment } from './call-writes.js';
import { WriteLoops } from './write-loops.js';
import { keysOf, placeOf, type Key } from './write-places.js';

/** So many calls running, each with a change of other data that was found, are the work of the server. */
const CALLS_RUNNING = 3;
/**
 * Each catching up of a file needs a rest so many times as long as the one before: a server that writes on is not
 * restarted for ever.
 */
const LONGER_REST = 4;

export interface Sighting {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** It was found as data, and no option names it. */
  readonly data: boolean;
  readonly moment: Moment;
}

export interface Circumstances {
  readonly times: CallTimes;
  /** A request waits for this look at the disk. */
  readonly asked: boolean;
}

export interface Findings {
  /** The server's own: their changes restart nothing. */
  readonly own: readonly string[];
  /** Those among them that may have been edited all the same. */
  readonly unsure: readonly string[];
  /** Those among them that are worth telling: nothing of their place was told before. */
  readonly news: readonly { readonly path: string; readonly by: 'calls' | 'reloads' }[];
  /** Each of these has restarted the server at one call after the other, under its path or a pattern. */
  readonly looping: readonly { readonly path: string; readonly pattern: string }[];
}

export class ServerData {
  readonly #calls = new CallWrites();
  readonly #background = new BackgroundWrites();
  readonly #loops = new WriteLoops();
  readonly #own = new Map<string, Certainty>();
  readonly #placesTold = new Set<string>();
  readonly #restsByPlace = new Map<string, number>();
  /** When these changed: likely the server's, and the serving generation has read something else. */
  readonly #unread = new Map<string, number>();
  #running = { call: -1, calls: 0 };
  #attemptBegan = 0;

  /** A reload begins: what is on the disk now, it reads. */
  began(now: number): void {
    this.#attemptBegan = now;
    this.#background.reload(now);
  }

  reloaded(now: number): void {
    this.#background.reload(now);
    for (const [path, at] of this.#unread) if (at <= this.#attemptBegan) this.#unread.delete(path);
  }

  /** These were seen to have changed since the last time. */
  see(sightings: readonly Sighting[], circumstances: Circumstances): Findings {
    const findings = {
      own: [] as string[],
      unsure: [] as string[],
      news: [] as Findings['news'][number][],
      looping: [] as Findings['looping'][number][],
    };
    for (const sighting of sightings) {
      const { path, data, moment } = sighting;
      const keys = keysOf(sighting);
      if (!data) {
        const pattern = this.#loops.count(keys, moment);
        if (pattern !== undefined) findings.looping.push({ path, pattern });
        continue;
      }
      const by = moment.when === 'apart' ? 'reloads' : 'calls';
      const certainty = this.#certaintyOf(keys, moment, circumstances);
      if (certainty === undefined) continue;
      findings.own.push(path);
      if (certainty === 'likely') {
        findings.unsure.push(path);
        this.#unread.set(path, moment.at);
      } else {
        this.#unread.delete(path);
      }
      if (this.#isNews(keys)) findings.news.push({ path, by });
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
      this.#restsByPlace.set(place, LONGER_REST * (this.#restsByPlace.get(place) ?? REST_MS));
    }
    return paths;
  }

  #restOf(path: string): number {
    return this.#restsByPlace.get(placeOf(path)) ?? REST_MS;
  }

  /** Undefined: an edit. */
  #certaintyOf(keys: readonly Key[], moment: Moment, { times, asked }: Circumstances): Certainty | undefined {
    const fitting = surest(keys.map(({ key }) => this.#background.fits(key, moment.at)));
    if (fitting !== undefined) return fitting;
    if (moment.when === 'apart') {
      for (const { key } of keys) {
        this.#calls.forget(key);
        this.#own.delete(key);
      }
      if (asked) return undefined;
      return surest(keys.map(({ key }) => this.#background.count(key, moment.at, times.calls)));
    }
    let certainty: Certainty | undefined;
    for (const { key, wide } of keys) {
      const counted = surest([this.#calls.count(key, moment, times, wide), this.#own.get(key)]);
      if (counted !== undefined) this.#own.set(key, counted);
      certainty = surest([certainty, counted]);
    }
    certainty ??= this.#isRunning(moment) ? 'likely' : undefined;
    if (certainty === undefined) return undefined;
    // New files beside it are the server's from now on, too.
    for (const key of [keys[0]?.key ?? '', placeOf(keys[0]?.key ?? '')])
      this.#own.set(key, surest([certainty, this.#own.get(key)]) ?? certainty);
    return certainty;
  }

  #isRunning({ when, call }: Moment): boolean {
    if (when !== 'during' || call === undefined) return false;
    const { call: last, calls } = this.#running;
    if (call !== last) this.#running = { call, calls: call === last + 1 ? calls + 1 : 1 };
    return this.#running.calls >= CALLS_RUNNING;
  }

  #isNews(keys: readonly Key[]): boolean {
    const path = keys[0]?.key ?? '';
    const places = new Set([placeOf(path), ...keys.slice(1).map(({ key }) => key)]);
    const isNews = ![...places].some((place) => this.#placesTold.has(place));
    for (const place of places) this.#placesTold.add(place);
    return isNews;
  }
}

function surest(certainties: readonly (Certainty | undefined)[]): Certainty | undefined {
  return certainties.includes('certain') ? 'certain' : certainties.find((one) => one !== undefined);
}
