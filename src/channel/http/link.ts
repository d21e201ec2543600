/**
 * What the peers of one generation share: the way to its server, whether that has answered in MCP yet, and what has
 * come last instead. Waiting for a server that is not there yet is here too; what is sent is decided by the peers.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from './http-client.js';

export interface LinkOptions {
  readonly client: HttpClient;
  /** In bytes, of one message. */
  readonly maxMessage: number;
  /** How long a request waits for a server that can't be reached any more, in milliseconds; 0: for ever. */
  patience(): number;
  /** A message was longer than the limit. */
  tooLong(): void;
  warn(text: string): void;
}

const FIRST_PAUSE_MS = 15;
const MAX_PAUSE_MS = 250;

export class Link {
  readonly client: HttpClient;
  readonly maxMessage: number;
  readonly #options: LinkOptions;
  readonly #ended = new AbortController();
  readonly #responses = new Set<IncomingMessage>();
  #isPaused = false;
  #isUp = false;
  #lastProblem: string | undefined;

  constructor(options: LinkOptions) {
    this.client = options.client;
    this.maxMessage = options.maxMessage;
    this.#options = options;
  }

  /** Aborted when nothing is to be sent any more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The server has answered in MCP. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** What came last in place of an answer, as long as there has been none. */
  get lastProblem(): string | undefined {
    return this.#isUp ? undefined : this.#lastProblem;
  }

  markUp(): void {
    this.#isUp = true;
  }

  note(problem: string): void {
    this.#lastProblem = problem;
  }

  warn(text: string): void {
    this.#options.warn(text);
  }

  tooLong(): void {
    this.#options.tooLong();
  }

  end(): void {
    this.#ended.abort();
  }

  /**
   * Waits until it is worth to try again. False: that would be too late for something that has waited since `since`, on
   * the monotonic clock. A server that is coming up is waited for as long as its process lives.
   */
  async waitToRetry(attempt: number, since: number, signal: AbortSignal): Promise<boolean> {
    const patience = this.#options.patience();
    if (this.#isUp && patience > 0 && performance.now() - since > patience) return false;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
    return this.pause(pause, signal);
  }

  /** False: it has been ended meanwhile. */
  async pause(ms: number, signal: AbortSignal): Promise<boolean> {
    const either = AbortSignal.any([signal, this.#ended.signal]);
    return delay(ms, true, { signal: either }).catch(() => false);
  }

  /** What comes by this response waits while the client of ours is slow. */
  reads(response: IncomingMessage): void {
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
    if (this.#isPaused) response.pause();
  }

  pauseReading(): void {
    this.#isPaused = true;
    for (const response of this.#responses) response.pause();
  }

  resumeReading(): void {
    this.#isPaused = false;
    for (const response of this.#responses) response.resume();
  }
}
