/**
 * Once a second, clients hear why their requests wait, as long as any do. What is said of each is decided in
 * exchange/wait-progress.ts, why they wait by the reload's state.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as say from '../agent/wait-words.js';
import type { LineageRecord } from '../exchange/records.js';
import { tellWaiting } from '../exchange/wait-progress.js';
import type { State } from './states.js';

const EVERY_MS = 1000;

export interface WaitTickerContext {
  readonly lineage: LineageRecord;
  /** Why requests are held at the moment. */
  whyHeld(): string;
  /** Aborted when the lineage ends. */
  readonly closed: AbortSignal;
}

export class WaitTicker {
  readonly #context: WaitTickerContext;
  #runs = false;

  constructor(context: WaitTickerContext) {
    this.#context = context;
  }

  /** For whenever something may have begun to wait. */
  watch(): void {
    if (this.#runs || !this.#isAnythingWaiting()) return;
    this.#runs = true;
    void this.#run();
  }

  #isAnythingWaiting(): boolean {
    const { hold, queuedCalls } = this.#context.lineage;
    return hold.size > 0 || queuedCalls.length > 0;
  }

  async #run(): Promise<void> {
    const { lineage, whyHeld, closed } = this.#context;
    while (this.#isAnythingWaiting()) {
      if (await delay(EVERY_MS, false, { signal: closed }).catch(() => true)) break;
      tellWaiting(lineage, whyHeld(), say.waitsForTurn(lineage.options.concurrency));
    }
    // In the same turn as the last look: whatever waits from now on starts the ticker again.
    this.#runs = false;
  }
}

/** `elapsedMs`: since the attempt began. */
export function reasonOfHold(state: State, elapsedMs: number): string {
  switch (state.at) {
    case 'building':
      return say.building(Math.round(elapsedMs / 1000));
    case 'refreshing':
      return say.serverRereadsFiles();
    case 'retiring':
      return say.stoppingGeneration(state.retiring);
    case 'starting':
      return say.startingGeneration(state.candidate);
    case 'waiting':
      return say.restartsAfterCrash();
    default:
      return say.checkingFiles();
  }
}
