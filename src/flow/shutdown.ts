/**
 * How the proxy ends, whatever it was doing: why, how patiently the servers are stopped, with which exit code, and that
 * what was received is delivered first. Both flows (pass-through.ts, lineage/controller.ts) end by this one.
 */
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../channel/channel.js';
import type { Exit } from '../process/child.js';
import type { Ladder } from '../process/terminate.js';
import type { Generation } from '../server/generation.js';

export type Reason =
  /** `waited`: how long ago that was, in milliseconds. */
  | { readonly by: 'client'; readonly waited?: number }
  | { readonly by: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly by: 'server'; readonly exit: Exit };

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
const LAST_READ = 500;

export class Closing {
  readonly #generations: Iterable<Generation>;
  readonly #client: Pick<Channel, 'drained'>;
  readonly #urgent = new AbortController();
  #reason: Reason | undefined;

  constructor(generations: Iterable<Generation>, client: Pick<Channel, 'drained'>) {
    this.#generations = generations;
    this.#client = client;
  }

  get begun(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * A later reason may only make it more urgent. The first one decides the exit code, except that a signal goes before
   * the end of stdin: clients signal after it. A server that exited by itself has decided; a signal that comes while
   * the client reads the last of its output changes nothing, as it would not have without the proxy.
   */
  begin(reason: Reason): void {
    if (reason.by === 'server') {
      this.#reason ??= reason;
      return;
    }
    if (this.#reason === undefined || reason.by === 'signal') {
      if (this.#reason?.by !== 'server') this.#reason = reason;
      for (const generation of this.#generations) generation.process.stop(ladderFor(reason));
    }
    this.#urgent.abort();
  }

  /** For a generation that came up too late. */
  stop(generation: Generation): void {
    if (this.#reason !== undefined) generation.process.stop(ladderFor(this.#reason));
  }

  /** Once every generation is gone: delivers what is still to be read, and tells the exit code. */
  async finish(): Promise<number> {
    const read = new AbortController();
    const drained = this.#client.drained().then(() => read.abort());
    await Promise.race([drained, this.#patience(read.signal)]);
    return exitCode(this.#reason);
  }

  /** A client that is still there may read as slowly as it likes; one that has left gets a moment. */
  async #patience(read: AbortSignal): Promise<void> {
    if (!this.#urgent.signal.aborted) {
      await new Promise<void>((resolve) =>
        this.#urgent.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
    }
    await delay(LAST_READ, undefined, { signal: read }).catch(() => {});
  }
}

function ladderFor(reason: Reason): Ladder {
  if (reason.by === 'client') return clientEnded(reason.waited ?? 0);
  if (reason.by === 'server') return CLIENT_ENDED;
  return {
    end: true,
    steps: [
      { signal: reason.signal, after: 0 },
      { signal: 'SIGKILL', after: 700 },
    ],
  };
}

function exitCode(reason: Reason | undefined): number {
  if (reason === undefined || reason.by === 'client') return 0;
  if (reason.by === 'signal') return 128 + constants.signals[reason.signal];
  const { code, signal } = reason.exit;
  return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
}
