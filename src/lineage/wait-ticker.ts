/**
 * Tells clients once a second why their requests wait, as long as any does. The reason comes from the state of the
 * reload; `exchange/wait-progress.ts` decides what is sent for each request.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as say from '../agent/wait-words.js';
import type { LineageRecord } from '../exchange/records.js';
import { tellWaiting } from '../exchange/wait-progress.js';
import type { State } from './states.js';

const TICK_EVERY_MS = 1000;

export interface WaitTickerContext {
  readonly lineage: LineageRecord;
  /** The reason why requests are held now. */
  whyHeld(): string;
  /** Aborted when the lineage ends. */
  readonly closed: AbortSignal;
}

export class WaitTicker {
  readonly #context: WaitTickerContext;
  #isRunning = false;

  constructor(context: WaitTickerContext) {
    this.#context = context;
  }

  /** Starts the ticker if a request waits. Call it whenever one may have begun to wait. */
  watch(): void {
    if (this.#isRunning || !this.#isAnythingWaiting()) return;
    this.#isRunning = true;
    void this.#run();
  }

  #isAnythingWaiting(): boolean {
    const { hold, queuedCalls } = this.#context.lineage;
    return hold.size > 0 || queuedCalls.length > 0;
  }

  async #run(): Promise<void> {
    const { lineage, whyHeld, closed } = this.#context;
    while (this.#isAnythingWaiting()) {
      if (await delay(TICK_EVERY_MS, false, { signal: closed }).catch(() => true)) break;
      tellWaiting(lineage, whyHeld(), say.waitsForTurn(lineage.options.concurrency));
    }
    // Reset in the turn of the last look, so that a request which waits from now on starts the ticker again.
    this.#isRunning = false;
  }
}

/** `elapsedMs`: time since the attempt began. */
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
