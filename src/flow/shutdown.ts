/**
 * How the proxy ends, whatever it was doing: why, how patiently the servers are stopped, with which exit code, and that
 * what was received is delivered first. Both flows (pass-through.ts, lineage/lineage.ts) end by this one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../channel/channel.js';
import type { Exit } from '../process/child.js';
import type { Ladder } from '../process/terminate.js';
import type { Upstream } from '../server/upstream.js';

export type ShutdownReason =
  /** The client has closed its side. `waited`: how long ago that was, in milliseconds. */
  | { readonly by: 'client'; readonly waited?: number }
  | { readonly by: 'signal'; readonly signal: NodeJS.Signals }
  /** The server has left, and none follows it. */
  | { readonly by: 'server'; readonly exit: Exit }
  /** The command of the very first server can't be run. */
  | { readonly by: 'not-started'; readonly error: NodeJS.ErrnoException };

/**
 * SDK clients wait 2 s after closing stdin, then signal, and kill 2 s later: all must be over by then. `waited`: how
 * much of it is over already.
 */
function clientEnded(waited: number): Ladder {
  return {
    end: true,
    steps: [
      { signal: 'SIGTERM', after: Math.max(0, 1500 - waited) },
      { signal: 'SIGKILL', after: 1500 },
    ],
  };
}

export const CLIENT_ENDED = clientEnded(0);
/** How long a client that closed its side may take to read the last of what it asked for. */
const LAST_READ_MS = 500;

export class Shutdown {
  readonly #generations: Iterable<Pick<Upstream, 'process'>>;
  readonly #clients: () => readonly Pick<Channel, 'drained'>[];
  readonly #urgent = new AbortController();
  #reason: ShutdownReason | undefined;

  constructor(generations: Iterable<Pick<Upstream, 'process'>>, clients: () => readonly Pick<Channel, 'drained'>[]) {
    this.#generations = generations;
    this.#clients = clients;
  }

  get begun(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * A later reason only makes the end more urgent. The first one counts, except that a signal goes before the end of
   * stdin, because clients signal after it. A server that exited by itself has decided: a signal that comes while the
   * client reads the last of its output changes nothing, as it would not have without the proxy.
   */
  begin(reason: ShutdownReason): void {
    if (reason.by === 'server' || reason.by === 'not-started') {
      this.#reason ??= reason;
      return;
    }
    if (this.#reason === undefined || reason.by === 'signal') {
      if (this.#reason?.by !== 'server') this.#reason = reason;
      for (const generation of this.#generations) generation.process.stop(ladderFor(reason));
    }
    this.#urgent.abort();
  }

  /** Stops a generation that came up after the end had begun. */
  stop(generation: Pick<Upstream, 'process'>): void {
    if (this.#reason !== undefined) generation.process.stop(ladderFor(this.#reason));
  }

  /** Once every generation is gone: resolves with the reason when the client has read the last of the output. */
  async finish(): Promise<ShutdownReason> {
    const read = new AbortController();
    const drained = Promise.all(this.#clients().map((client) => client.drained())).then(() => read.abort());
    await Promise.race([drained, this.#patience(read.signal)]);
    return this.#reason ?? { by: 'client' };
  }

  /** A client that is still there may read as slowly as it likes; one that has left gets a moment. */
  async #patience(read: AbortSignal): Promise<void> {
    if (!this.#urgent.signal.aborted) {
      await new Promise<void>((resolve) =>
        this.#urgent.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
    }
    await delay(LAST_READ_MS, undefined, { signal: read }).catch(() => {});
  }
}

function ladderFor(reason: ShutdownReason): Ladder {
  if (reason.by === 'client') return clientEnded(reason.waited ?? 0);
  if (reason.by !== 'signal') return CLIENT_ENDED;
  return {
    end: true,
    steps: [
      { signal: reason.signal, after: 0 },
      { signal: 'SIGKILL', after: 700 },
    ],
  };
}
