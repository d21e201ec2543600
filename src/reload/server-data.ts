/**
 * P6 (settles): a file that the server writes whenever it is called must not restart it at every call. A data file that was
 * found, and that changes while a call runs, restarts the server once. The second time, the file and new files of that ending
 * in its directory are taken for data of the server, until they change while no call runs. Files that an option names, and
 * sources, always restart it: of those, only a loop is noticed. Pure; `server-writes.ts` looks at the disk.
 */
import { CALL_AFTERMATH, type CallTimes } from '../session/ledger.js';

/** File times come from a clock that is up to a tick (10 ms) late: a write right after a call was forwarded may seem older. */
const LATE = 15;
/** So many changes while calls run are enough to take a file for the server's. */
const DURING_CALLS = 2;
/**
 * So many, if some of them came only after an answer. Those may be edits of a script that was waiting for the answer. They count only if
 * each call is followed by one: whoever edits also calls without having edited.
 */
const IN_ALL = 3;
/** So many reloads running, each caused by the same file while a call ran, are a loop. */
const LOOP = 3;

/** When a file changed, as seen from the calls: while one ran, soon after its answer, or at another time. */
export type When = 'during' | 'after' | 'apart';

/** Times by the same clock. */
export function whenOf(changed: number, { open, busySince, idleSince, activeSince }: CallTimes): When {
  if (changed < busySince - LATE) return changed >= activeSince - LATE ? 'during' : 'apart';
  if (open || changed <= idleSince) return 'during';
  return changed <= idleSince + CALL_AFTERMATH ? 'after' : 'apart';
}

export interface Sighting {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** It was found as data, and no option names it. */
  readonly data: boolean;
  readonly when: When;
}

export interface Findings {
  /** The server's own: their changes restart nothing. */
  readonly own: readonly string[];
  /** Those among them that have not been told of, nor others of their ending in their directories. */
  readonly news: readonly string[];
  /** Each of these has restarted the server at one call after the other. */
  readonly looping: readonly string[];
}

interface Count {
  during: number;
  after: number;
  /** How many requests there had been when it was counted last. */
  requests: number;
}

export class ServerData {
  /** By path, and for new files by place. */
  readonly #counts = new Map<string, Count>();
  readonly #own = new Set<string>();
  readonly #told = new Set<string>();

  /** These were seen to have changed since the last time. `requests`: how many went to a server so far. */
  see(sightings: readonly Sighting[], requests: number): Findings {
    const findings = { own: [] as string[], news: [] as string[], looping: [] as string[] };
    for (const sighting of sightings) {
      const { path, data, when } = sighting;
      const keys = sighting.kind === 'changed' ? [path] : [path, placeOf(path)];
      if (when === 'apart') {
        for (const key of keys) this.#forget(key);
      } else if (!data) {
        if (this.#loops(path, requests)) findings.looping.push(path);
      } else if (keys.some((key) => this.#own.has(key)) || this.#isEnough(keys, when, requests)) {
        findings.own.push(path);
        if (this.#take(path)) findings.news.push(path);
      }
    }
    return findings;
  }

  #forget(key: string): void {
    this.#counts.delete(key);
    this.#own.delete(key);
  }

  /** Whether it is worth telling. */
  #take(path: string): boolean {
    const place = placeOf(path);
    this.#own.add(path).add(place);
    if (this.#told.has(place)) return false;
    this.#told.add(place);
    return true;
  }

  #isEnough(keys: readonly string[], when: 'during' | 'after', requests: number): boolean {
    const counts = keys.map((key) => {
      const count = this.#count(key);
      if (when === 'during') count.during++;
      else count.after = requests - count.requests > 1 ? 1 : count.after + 1;
      count.requests = requests;
      return count;
    });
    return counts.some(({ during, after }) => during >= DURING_CALLS || during + after >= IN_ALL);
  }

  /** A file that changes again in the same call is edited while a long one runs, as far as anybody knows. */
  #loops(path: string, requests: number): boolean {
    const count = this.#count(path);
    if (count.requests === requests) return false;
    count.requests = requests;
    return ++count.during === LOOP;
  }

  #count(key: string): Count {
    const count = this.#counts.get(key) ?? { during: 0, after: 0, requests: -1 };
    this.#counts.set(key, count);
    return count;
  }
}

/** Files of one ending in one directory. */
function placeOf(path: string): string {
  const [directory = ''] = /^.*\//.exec(path) ?? [];
  const [ending = ''] = /\.[^./]*$/.exec(path) ?? [];
  return `${directory}*${ending}`;
}
