/**
 * Cuts streams whose clients have stopped reading. A slow client slows down the server that it has for itself; one that
 * shares its server would make the proxy keep what others cause to be sent, without end. Looks at a stream only while
 * it is behind.
 */
import type { EventStream } from './event-stream.js';

/** So much may wait in a stream, beside the message that is being written. */
export const MAX_BACKLOG_BYTES = 4 * 1024 * 1024;
/** A client that has read nothing for so long is given up. */
const STALLED_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 1_000;

interface Watched {
  readonly maxBacklog: number;
  bytesTaken: number;
  /** When `bytesTaken` was last seen to grow, on the monotonic clock. */
  readAt: number;
}

export class SlowReaders {
  readonly #watched = new Map<EventStream, Watched>();
  readonly #onCut: (backlog: number) => void;
  readonly #stalledAfter: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(onCut: (backlog: number) => void, stalledAfter = STALLED_AFTER_MS) {
    this.#onCut = onCut;
    this.#stalledAfter = stalledAfter;
  }

  /** The stream is behind: it is looked at until it has caught up or is cut. */
  watch(stream: EventStream, maxBacklog: number): void {
    this.#watched.set(stream, { maxBacklog, bytesTaken: stream.bytesTaken, readAt: performance.now() });
    this.#timer ??= setInterval(() => this.#look(), Math.min(LOOK_EVERY_MS, this.#stalledAfter)).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [stream, watched] of this.#watched) {
      const { backlog, bytesTaken } = stream;
      if (bytesTaken > watched.bytesTaken) Object.assign(watched, { bytesTaken, readAt: now });
      if (!stream.isFull || stream.isClosed) this.#watched.delete(stream);
      else if (backlog > watched.maxBacklog && now - watched.readAt > this.#stalledAfter) {
        this.#watched.delete(stream);
        this.#onCut(backlog);
        stream.cut();
      }
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
