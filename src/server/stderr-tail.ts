/** What a server wrote to stderr, as far as the reports of its failures need it: how it began, and its last 64 KiB. */
import { END, excerptOf, WINDOW } from '../process/excerpt.js';

const KEPT = 64 * 1024;

export class StderrTail {
  #head = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  #length = 0;
  #bytes = 0;

  push(chunk: Buffer): void {
    if (this.#head.length < WINDOW)
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, WINDOW - this.#head.length)]);
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      const first = this.#chunks[0];
      if (first === undefined || this.#length - first.length < KEPT) return;
      this.#chunks.shift();
      this.#length -= first.length;
    }
  }

  /** The last 64 KiB. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks, this.#length);
    return all.subarray(Math.max(0, all.length - KEPT));
  }

  /** More than an excerpt shows. */
  get isLong(): boolean {
    return this.#bytes > 2 * END;
  }

  /** The beginning and the end, how much is missing between them, and where more of it lies. */
  excerpt(file: string | undefined): string {
    const place = file === undefined ? undefined : `the last ${KEPT / 1024} KiB are in ${file}`;
    return excerptOf({ head: this.#head, tail: this.bytes(), bytes: this.#bytes, place });
  }
}
