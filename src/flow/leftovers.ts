/**
 * What servers leave behind in sessions of their own, out of reach of their process group (P13): named in the log when
 * their generation has gone, and ended with `--reap`. Only what carries the mark of this proxy, looked at again right
 * before each signal. Both flows use it; marked.ts finds them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventEmitter } from '../events/bus.js';
import { isMarked, MARK } from '../process/mark.js';
import { canFindMarked, findMarked, type MarkedProcess } from '../process/marked.js';

export interface Leftovers {
  /** This generation, whose process led this group, is gone. In a moment, what it has left is looked for. */
  gone(generation: number, group: number): void;
  /** All are gone, and so is the proxy, as soon as this resolves. */
  close(): Promise<void>;
}

export interface LeftoversContext {
  readonly mark: string;
  readonly events: EventEmitter;
  readonly reap: () => boolean;
}

interface Timing {
  /** For processes that end because their server has: a moment later they are gone by themselves. */
  readonly firstLookMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killAfterMs: number;
  /** Between two looks. */
  readonly lookEveryMs: number;
}

/** Before the first look, which is the only one as a rule: nobody is in a hurry. */
const FIRST_LOOK_AFTER_MS = 1_000;
const AFTER_GENERATION: Timing = { firstLookMs: 0, killAfterMs: 2_000, lookEveryMs: 200 };
/** The client waits for the proxy's end. As a rule the first look finds nothing, and nobody waits. */
const AT_END: Timing = { firstLookMs: 200, killAfterMs: 250, lookEveryMs: 25 };

export function createLeftovers({ mark, events, reap }: LeftoversContext): Leftovers {
  const closed = new AbortController();
  const reported = new Set<number>();
  const groups = new Set<number>();
  /** Generations that are gone, and are to be looked after in a moment. */
  const waiting = new Set<number>();

  /** Not those of a group of ours: it has been killed, and they are about to go. */
  const find = async (generation: number | undefined): Promise<MarkedProcess[]> => {
    const found = await findMarked(MARK, (value) => isMarked(value, mark, generation));
    return found.filter(({ group }) => !groups.has(group));
  };

  /** Those that are still there after so long. */
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
    // Looked for anew: the number of one that has ended may be somebody else's by now.
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

  /** One wait serves all generations that go meanwhile: on a fast machine a dozen may, in a second. */
  const lookAfterWaiting = async (): Promise<void> => {
    // Aborted: the proxy ends, and looks for all of them then.
    await delay(FIRST_LOOK_AFTER_MS, undefined, { signal: closed.signal, ref: false });
    const generations = [...waiting];
    waiting.clear();
    for (const generation of generations) await endLeftovers(AFTER_GENERATION, generation);
  };

  return {
    gone(generation, group) {
      groups.add(group);
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
    // It has ended meanwhile.
  }
}
