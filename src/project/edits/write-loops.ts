/**
 * Notices that a file which an option names, or new files of one kind, have restarted the server at one call after the
 * other. They go on doing so; the loop is only told, once. Pure.
 */
import type { Moment } from './call-writes.js';
import type { Key } from './write-places.js';

/** So many calls in which the same file changed, or new files of one kind came, with no edit in between. */
const CALLS = 3;
/** So many calls running, each with a change of whatever file. */
const CALLS_RUNNING = 5;

export class WriteLoops {
  readonly #counts = new Map<string, { call: number | undefined; calls: number }>();
  readonly #told = new Set<string>();
  #running = { call: -1, calls: 0 };

  /** The path or pattern of a loop that has just become one. */
  count(keys: readonly Key[], { when, call }: Moment): string | undefined {
    if (when === 'apart') {
      for (const { key } of keys) this.#counts.delete(key);
      this.#running = { call: -1, calls: 0 };
      return undefined;
    }
    // A file that changes again in the same call is edited while a long one runs, as far as anybody knows.
    if (call === undefined) return undefined;
    const { call: last, calls } = this.#running;
    if (call !== last) this.#running = { call, calls: call === last + 1 ? calls + 1 : 1 };
    const looping = keys.filter(({ key }) => this.#countOf(key, call) >= CALLS).map(({ key }) => key);
    if (this.#running.calls === CALLS_RUNNING) looping.push(...keys.map(({ key }) => key));
    const [first] = looping;
    if (first === undefined || keys.some(({ key }) => this.#told.has(key))) return undefined;
    for (const { key } of keys) this.#told.add(key);
    return first;
  }

  #countOf(key: string, call: number): number {
    const count = this.#counts.get(key) ?? { call: undefined, calls: 0 };
    this.#counts.set(key, count);
    if (count.call !== call) count.calls++;
    count.call = call;
    return count.calls;
  }
}
