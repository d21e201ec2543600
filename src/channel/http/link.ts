/**
 * What the peers of one generation share: the way to its server, whether that has answered in MCP yet, and what has
 * come last instead. Waiting for a server that is not there yet is here too; what is sent is decided by the peers.
 */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient, HttpReply } from './http-client.js';
import { Presence } from './presence.js';

export interface LinkOptions {
  readonly client: HttpClient;
  readonly url: URL;
  /** In bytes, of one message. */
  readonly maxMessage: number;
  /** How long a request waits for a server that can't be reached any more, in milliseconds; 0: for ever. */
  patience(): number;
  /** The server can't be reached any more. */
  gone(): void;
  /** It is there again, and may be another one. */
  back(): void;
  /** A message was longer than the limit. */
  tooLong(): void;
  warn(text: string): void;
}

/** A server that has just come up is found soon, and one that takes long is not asked all the time. */
const PAUSES_IN_WAIT = 10;
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;
/** While nobody is there. */
const LONGEST_WAIT_MS = 60_000;

export class Link {
  readonly client: HttpClient;
  readonly maxMessage: number;
  readonly #options: LinkOptions;
  readonly #ended = new AbortController();
  readonly #presence: Presence;
  readonly #responses = new Set<IncomingMessage>();
  #isPaused = false;
  #isUp = false;
  #isMissed = false;
  #returns = 0;
  #lastProblem: string | undefined;

  constructor(options: LinkOptions) {
    this.client = options.client;
    this.maxMessage = options.maxMessage;
    this.#options = options;
    // Whatever waits for the server listens for the end, and that may be much at once.
    setMaxListeners(0, this.#ended.signal);
    const { url, gone, back } = options;
    this.#presence = new Presence(url, this.#ended.signal, {
      gone: () => {
        // Whoever was not there before has not gone.
        this.#isMissed = this.#isUp;
        if (this.#isMissed) gone();
      },
      back: () => {
        if (!this.#isMissed) return;
        this.#returns++;
        back();
      },
    });
  }

  /** Aborted when nothing is to be sent any more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The server has answered in MCP. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** How often it has come back. */
  get returns(): number {
    return this.#returns;
  }

  /** What came last in place of an answer, as long as there has been none. */
  get lastProblem(): string | undefined {
    return this.#isUp ? undefined : this.#lastProblem;
  }

  markUp(): void {
    this.#isUp = true;
  }

  /** Notices without being asked when the server goes and comes. */
  watch(): void {
    this.#presence.watch();
  }

  /** It can't be reached, and this is too late for something that has waited since `since`. */
  isLate(since: number): boolean {
    const patience = this.#options.patience();
    return this.#isUp && patience > 0 && performance.now() - since >= patience;
  }

  /** What a request has met says whether the server is there at all. */
  met(reply: HttpReply): void {
    if (reply.kind !== 'failed') this.#presence.reached();
    else if (reply.isRefused && this.#isUp) this.#presence.refused();
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
  async waitToRetry(
    since: number,
    signal: AbortSignal,
    { isPatient = false, most = LONGEST_WAIT_MS } = {},
  ): Promise<boolean> {
    const patience = this.#options.patience();
    const waited = performance.now() - since;
    const left = this.#isUp && patience > 0 && !isPatient ? patience - waited : Infinity;
    if (left <= 0) return false;
    if (this.#presence.isGone) return this.pauseUntilBack(Math.min(left, most), signal);
    const pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waited / PAUSES_IN_WAIT));
    return this.pause(pause, signal);
  }

  /** At most so long. False: it has been ended meanwhile. */
  async pauseUntilBack(ms: number, signal: AbortSignal): Promise<boolean> {
    const either = AbortSignal.any([signal, this.#ended.signal]);
    const { back } = this.#presence;
    await delay(ms, undefined, { signal: AbortSignal.any([either, back]) }).catch(() => {});
    return !either.aborted;
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
