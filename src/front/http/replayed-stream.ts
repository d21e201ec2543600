/**
 * What a server says to a legacy client at large: numbered events of one GET stream, which comes and goes. Keeps the
 * latest of them for a client that resumes, and what is said while no stream is open until one is. Bounded in number
 * and bytes: the oldest is given up first.
 */
import type { Message } from '../../wire/message.js';
import type { EventStream } from './event-stream.js';

interface Event {
  readonly number: number;
  readonly message: Message;
}

const MAX_EVENTS = 256;
const MAX_BYTES = 1024 * 1024;

export class ReplayedStream {
  /** The latest, in their order: those up to `#sent` have been sent on some stream. */
  readonly #events: Event[] = [];
  readonly #onLost: (count: number) => void;
  #bytes = 0;
  #last = 0;
  #sent = 0;
  #stream: EventStream | undefined;

  /** `onLost`: so many were given up before any stream had them. */
  constructor(onLost: (count: number) => void) {
    this.#onLost = onLost;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  get isFull(): boolean {
    return this.#stream?.isFull === true;
  }

  /**
   * `lastEventId`: what the client has seen; then it gets what came after that, else only what no stream has had.
   * `isPrimed`: an event without data tells the client where to resume before there is anything to tell.
   */
  open(stream: EventStream, lastEventId: string | undefined, isPrimed: boolean): void {
    this.#stream = stream;
    const resumedAt = lastEventId === undefined || !/^\d{1,15}$/.test(lastEventId) ? undefined : Number(lastEventId);
    const after = resumedAt === undefined ? this.#sent : Math.min(resumedAt, this.#sent);
    if (isPrimed) stream.sendEvent({ id: String(after), data: '' });
    for (const { number, message } of this.#events) if (number > after) stream.send(message, String(number));
    this.#sent = this.#last;
  }

  close(stream: EventStream): void {
    if (this.#stream === stream) this.#stream = undefined;
  }

  send(message: Message): void {
    const event = { number: ++this.#last, message: message.copy() };
    this.#events.push(event);
    this.#bytes += message.length;
    if (this.#stream !== undefined) {
      this.#stream.send(event.message, String(event.number));
      this.#sent = event.number;
    }
    this.#trim();
  }

  end(): void {
    this.#stream?.end();
    this.#stream = undefined;
  }

  #trim(): void {
    let lost = 0;
    while (this.#events.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#events.length > 1)) {
      const oldest = this.#events.shift() as Event;
      this.#bytes -= oldest.message.length;
      if (oldest.number > this.#sent) lost++;
    }
    if (lost > 0) this.#onLost(lost);
  }
}
