/**
 * The shutdown of a flow: its reason, how fast the servers are stopped, and the delivery of messages that were
 * received. Both flows use it (`pass-through.ts`, `lineage/lineage.ts`). `exit-code.ts` turns the reason into an exit
 * code.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../channel/channel.js';
import type { Exit } from '../process/child.js';
import type { Ladder } from '../process/terminate.js';
import type { Upstream } from '../server/upstream.js';

export type ShutdownReason =
  /** The client has closed its side, `waited` milliseconds ago. */
  | { readonly by: 'client'; readonly waited?: number }
  | { readonly by: 'signal'; readonly signal: NodeJS.Signals }
  /** The server has exited on purpose, and none follows it. */
  | { readonly by: 'server'; readonly exit: Exit }
  /** The very first server could not be spawned. */
  | { readonly by: 'not-started'; readonly error: NodeJS.ErrnoException }
  /**
   * Clients come over HTTP alone, and the port that was named can't be listened on. `error`: the system's, unless
   * another program has the port.
   */
  | {
      readonly by: 'port-taken';
      readonly port: number;
      readonly host: string;
      /** Why nobody can listen there, for people. */
      readonly why: string;
    };

/**
 * SDK clients close stdin, send a signal 2 s later, and kill 2 s after that. Every server must have exited by then.
 * `waited`: how many milliseconds of it have passed.
 */
function ladderAfter(waited: number): Ladder {
  return {
    end: true,
    steps: [
      { signal: 'SIGTERM', after: Math.max(0, 1500 - waited) },
      { signal: 'SIGKILL', after: 1500 },
    ],
  };
}

export const CLIENT_ENDED = ladderAfter(0);
/** How long a client that has closed its side may take to read the last responses. */
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
   * The first reason counts, and later ones only shorten the wait for the client. One exception: a signal replaces the
   * end of stdin, because clients send it after that. If the server has exited by itself, a signal changes nothing, as
   * it would have no effect without the proxy.
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

  /** Stops a generation that was started after the shutdown had begun. */
  stop(generation: Pick<Upstream, 'process'>): void {
    if (this.#reason !== undefined) generation.process.stop(ladderFor(this.#reason));
  }

  /** Call it when every generation has exited. Resolves with the reason when the clients have read all output. */
  async finish(): Promise<ShutdownReason> {
    const read = new AbortController();
    const drained = Promise.all(this.#clients().map((client) => client.drained())).then(() => read.abort());
    await Promise.race([drained, this.#readDeadline(read.signal)]);
    return this.#reason ?? { by: 'client' };
  }

  /** A client that is still connected may read as slowly as it likes. One that has left gets `LAST_READ_MS`. */
  async #readDeadline(read: AbortSignal): Promise<void> {
    if (!this.#urgent.signal.aborted) {
      await new Promise<void>((resolve) =>
        this.#urgent.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
    }
    await delay(LAST_READ_MS, undefined, { signal: read }).catch(() => {});
  }
}

function ladderFor(reason: ShutdownReason): Ladder {
  if (reason.by === 'client') return ladderAfter(reason.waited ?? 0);
  if (reason.by !== 'signal') return CLIENT_ENDED;
  return {
    end: true,
    steps: [
      { signal: reason.signal, after: 0 },
      { signal: 'SIGKILL', after: 700 },
    ],
  };
}
