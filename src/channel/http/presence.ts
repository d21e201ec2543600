/**
 * Whether anybody answers at the address of a server, be it ready or not: noticed by whoever is refused, and asked for
 * until somebody is there again. A server that others restart is watched all the time, if it is on this machine.
 * Nothing is sent. What follows is for the owner.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface PresenceEvents {
  /** Connections are refused. */
  gone(): void;
  /** They are accepted again. */
  back(): void;
}

const WATCHED_EVERY_MS = 500;
const AWAITED_EVERY_MS = 100;
/** Nobody is waited for any longer: a host that drops what it gets may never answer. */
const ASKED_FOR_MS = 1_000;

export class Presence {
  readonly #url: URL;
  readonly #events: PresenceEvents;
  readonly #ended: AbortSignal;
  #isGone = false;
  #isAsking = false;
  #back = new AbortController();

  constructor(url: URL, ended: AbortSignal, events: PresenceEvents) {
    this.#url = url;
    this.#ended = ended;
    this.#events = events;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Aborted when it is back. */
  get back(): AbortSignal {
    return this.#back.signal;
  }

  /** Somebody was refused. */
  refused(): void {
    if (this.#isGone || this.#ended.aborted) return;
    this.#isGone = true;
    this.#events.gone();
    if (!this.#isAsking) void this.#ask(() => !this.#isGone);
  }

  /** Somebody got through. */
  reached(): void {
    if (!this.#isGone) return;
    this.#isGone = false;
    const was = this.#back;
    this.#back = new AbortController();
    this.#events.back();
    was.abort();
  }

  /** Asks all the time from now on. */
  watch(): void {
    if (!this.#isAsking) void this.#ask(() => false);
  }

  async #ask(isEnough: () => boolean): Promise<void> {
    this.#isAsking = true;
    while (!isEnough()) {
      const pause = this.#isGone ? AWAITED_EVERY_MS : WATCHED_EVERY_MS;
      const isOver = await delay(pause, false, { signal: this.#ended, ref: false }).catch(() => true);
      if (isOver) return;
      const answer = await answerAt(this.#url);
      if (this.#ended.aborted) return;
      if (answer === 'accepted') this.reached();
      else if (answer === 'refused') this.refused();
    }
    this.#isAsking = false;
  }
}

type Answer = 'accepted' | 'refused' | 'none';

/** Connects, and closes the connection. An address of version 6 has brackets in a URL alone. */
export function answerAt({ hostname, port, protocol }: URL): Promise<Answer> {
  return new Promise((resolve) => {
    const usual = protocol === 'https:' ? 443 : 80;
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: port === '' ? usual : Number(port) });
    const settle = (answer: Answer): void => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(ASKED_FOR_MS, () => settle('none'));
    socket.once('connect', () => settle('accepted'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(isRefusal(error) ? 'refused' : 'none'));
  });
}

/** A name with several addresses has an error for each of them. */
export function isRefusal(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNREFUSED';
}
