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

interface Patience {
  /** For processes that end because their server has: a moment later they are gone by themselves. */
  readonly moment: number;
  /** Between SIGTERM and SIGKILL. */
  readonly heed: number;
  /** Between two looks. */
  readonly look: number;
}

/** Before the first look, which is the only one as a rule: nobody is in a hurry. */
const MOMENT = 1_000;
const AFTER_GENERATION: Patience = { moment: 0, heed: 2_000, look: 200 };
/** The client waits for the proxy's end. As a rule the first look finds nothing, and nobody waits. */
const AT_END: Patience = { moment: 200, heed: 250, look: 25 };

export function createLeftovers({ mark, events, reap }: LeftoversContext): Leftovers {
  const over = new AbortController();
  const named = new Set<number>();
  const groups = new Set<number>();
  /** Generations that are gone, and are to be looked after in a moment. */
  const waiting = new Set<number>();

  /** Not those of a group of ours: it has been killed, and they are about to go. */
  const find = async (generation: number | undefined): Promise<MarkedProcess[]> => {
    const found = await findMarked(MARK, (value) => isMarked(value, mark, generation));
    return found.filter(({ group }) => !groups.has(group));
  };

  /** Those that are still there after so long. */
  const lasting = async (ms: number, look: number, generation?: number): Promise<MarkedProcess[]> => {
    const until = performance.now() + ms;
    let left = await find(generation);
    while (left.length > 0 && performance.now() < until) {
      await delay(look, undefined, generation === undefined ? {} : { signal: over.signal, ref: false });
      left = await find(generation);
    }
    return left;
  };

  const signalAll = async (signal: NodeJS.Signals, generation: number | undefined): Promise<void> => {
    // Looked for anew: the number of one that has ended may be somebody else's by now.
    for (const { pid } of await find(generation)) send(pid, signal);
  };

  const settle = async ({ moment, heed, look }: Patience, generation?: number): Promise<void> => {
    const left = await lasting(moment, look, generation);
    if (left.length === 0) return;
    const fresh = left.filter(({ pid }) => !named.has(pid));
    for (const { pid } of fresh) named.add(pid);
    if (fresh.length > 0) {
      const processes = fresh.map(({ pid, name }) => ({ pid, program: name }));
      events.emit({ kind: 'left-behind', generation, processes, reaped: reap() });
    }
    if (!reap()) return;
    await signalAll('SIGTERM', generation);
    if ((await lasting(heed, look, generation)).length > 0) await signalAll('SIGKILL', generation);
  };

  /** One wait serves all generations that go meanwhile: on a fast machine a dozen may, in a second. */
  const settleWaiting = async (): Promise<void> => {
    // Aborted: the proxy ends, and looks for all of them then.
    await delay(MOMENT, undefined, { signal: over.signal, ref: false });
    const generations = [...waiting];
    waiting.clear();
    for (const generation of generations) await settle(AFTER_GENERATION, generation);
  };

  return {
    gone(generation, group) {
      groups.add(group);
      if (!canFindMarked() || over.signal.aborted) return;
      waiting.add(generation);
      if (waiting.size === 1) void settleWaiting().catch(() => {});
    },
    async close() {
      over.abort();
      if (canFindMarked()) await settle(AT_END);
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
