/**
 * Looks at what has changed on the disk since the last look, and tells the server's own data from edits (P6): what the server
 * writes itself is accepted as it is, so that no reload follows. Who wrote a file is decided by server-data.ts, from the times of
 * the calls.
 */
import type { Log } from '../log/log.js';
import type { CallTimes } from '../session/ledger.js';
import type { Mark, Watch } from '../watch/watch.js';
import { named } from './attempt.js';
import { ServerData, whenOf } from './server-data.js';

export interface Calls {
  readonly times: CallTimes;
  /** How many requests went to a server so far. */
  readonly requests: number;
}

export class ServerWrites {
  readonly #log: Log;
  readonly #calls: () => Calls;
  readonly #data = new ServerData();
  #seen: { readonly watch: Watch; readonly mark: Mark } | undefined;

  constructor(log: Log, calls: () => Calls) {
    this.#log = log;
    this.#calls = calls;
  }

  /** For a watch that has just been opened. */
  begin(watch: Watch): void {
    this.#seen = { watch, mark: watch.mark() };
  }

  /** After each check of the disk. */
  look(): void {
    const { watch, mark } = this.#seen ?? {};
    if (watch === undefined || mark === undefined) return;
    const changes = watch.changedSince(mark);
    if (changes.length === 0) return;
    watch.release(mark);
    this.begin(watch);
    const { times, requests } = this.#calls();
    // File times are by the clock of the system, those of calls by one that nobody sets.
    const now = performance.now();
    const behind = Date.now() - now;
    const sightings = changes.map(({ path, kind, data = false }) => {
      const at = watch.changedAt(path);
      return { path, kind, data, when: whenOf(at === undefined ? now : Math.min(at - behind, now), times) };
    });
    const { own, news, looping } = this.#data.see(sightings, requests);
    if (own.length > 0) {
      watch.accept(own);
      this.#log.debug('unchanged', `written by the server itself: ${named(own)}`, { files: own });
    }
    for (const file of news) this.#warn(file, ownText(file));
    for (const file of looping) this.#warn(file, loopText(file));
  }

  #warn(file: string, text: string): void {
    this.#log.warn('warning', text, { files: [file] });
  }
}

function ownText(file: string): string {
  const what = `${file} has changed again while a call ran, so it is taken for data that the server writes itself`;
  const then =
    'Neither it nor new files of its kind beside it restart the server from now on, unless they change while no call runs';
  return `${what}. ${then}. If each change is to restart the server, use --also-watch ${file}`;
}

function loopText(file: string): string {
  const what = `${file} has changed during three calls running, as if the server wrote it, and was reloaded each time`;
  return `${what}. If the server writes it, use --ignore ${file}`;
}
