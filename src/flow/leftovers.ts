/**
 * Finds processes that servers leave behind in sessions of their own, outside of their process group (P13, clean exit).
 * Reports them when their generation has exited, and ends them with `--reap`. Only processes with the mark of this
 * proxy count, and the mark is checked again right before each signal. `process/marked.ts` finds them; both flows use
 * this.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventEmitter } from '../events/bus.js';
import { isMarked, MARK } from '../process/mark.js';
import { canFindMarked, findMarked, type MarkedProcess } from '../process/marked.js';

export interface Leftovers {
  /** This generation, with this process group if it had one, has exited. Looks for leftovers after a moment. */
  gone(generation: number, group: number | undefined): void;
  /** All generations have exited. Looks for leftovers a last time; the proxy exits when this resolves. */
  close(): Promise<void>;
}

export interface LeftoversContext {
  readonly mark: string;
  readonly events: EventEmitter;
  readonly reap: () => boolean;
}

interface Timing {
  /** How long processes may take to exit by themselves because their server has. */
  readonly firstLookMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killAfterMs: number;
  /** Between two searches. */
  readonly lookEveryMs: number;
}

/** How long after the exit of a generation the search begins. Usually it is the only one. */
const FIRST_LOOK_AFTER_MS = 1_000;
const AFTER_GENERATION: Timing = { firstLookMs: 0, killAfterMs: 2_000, lookEveryMs: 200 };
/** Shorter at the end, because the client waits for the exit of the proxy. Usually the first search finds nothing. */
const AT_END: Timing = { firstLookMs: 200, killAfterMs: 250, lookEveryMs: 25 };

export function createLeftovers({ mark, events, reap }: LeftoversContext): Leftovers {
  const closed = new AbortController();
  const reported = new Set<number>();
  const groups = new Set<number>();
  /** Generations that have exited and whose leftovers have not been searched for yet. */
  const waiting = new Set<number>();

  /** Without members of our own process groups: those have been killed and are about to exit. */
  const find = async (generation: number | undefined): Promise<MarkedProcess[]> => {
    const found = await findMarked(MARK, (value) => isMarked(value, mark, generation));
    return found.filter(({ group }) => !groups.has(group));
  };

  /** The processes that still run after so long. */
  const lasting = async (ms: number, lookEveryMs: number, generation?: number): Promise<MarkedProcess[]> => {
    const until = performance.now() + ms;
    let left = await find(generation);
    while (left.length > 0 && performance.now() < until) {
      await delay(lookEveryMs, undefined, generation === undefined ? {} : { signal: closed.signal, ref: false });
      left = await find(generation);
    }
    return left;
  };

  const signalAll = async (signal: NodeJS.Signals, generation: number | undefined): Promise<void> => {
    // Searched again: the pid of a process that has exited may belong to another program by now.
    for (const { pid } of await find(generation)) send(pid, signal);
  };

  const endLeftovers = async (
    { firstLookMs, killAfterMs, lookEveryMs }: Timing,
    generation?: number,
  ): Promise<void> => {
    const left = await lasting(firstLookMs, lookEveryMs, generation);
    if (left.length === 0) return;
    const fresh = left.filter(({ pid }) => !reported.has(pid));
    for (const { pid } of fresh) reported.add(pid);
    if (fresh.length > 0) {
      const processes = fresh.map(({ pid, name }) => ({ pid, program: name }));
      events.emit({ kind: 'left-behind', generation, processes, reaped: reap() });
    }
    if (!reap()) return;
    await signalAll('SIGTERM', generation);
    if ((await lasting(killAfterMs, lookEveryMs, generation)).length > 0) await signalAll('SIGKILL', generation);
  };

  /** One wait for all generations that exit meanwhile: on a fast machine there may be a dozen in a second. */
  const lookAfterWaiting = async (): Promise<void> => {
    // Rejects when the proxy ends: `close` searches for all leftovers then.
    await delay(FIRST_LOOK_AFTER_MS, undefined, { signal: closed.signal, ref: false });
    const generations = [...waiting];
    waiting.clear();
    for (const generation of generations) await endLeftovers(AFTER_GENERATION, generation);
  };

  return {
    gone(generation, group) {
      if (group !== undefined) groups.add(group);
      if (!canFindMarked() || closed.signal.aborted) return;
      waiting.add(generation);
      if (waiting.size === 1) void lookAfterWaiting().catch(() => {});
    },
    async close() {
      closed.abort();
      if (canFindMarked()) await endLeftovers(AT_END);
    },
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited meanwhile.
  }
}
