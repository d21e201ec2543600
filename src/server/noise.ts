/**
 * Noise: what a server prints on stdout and that is no message. Tells the kinds apart, and puts lines of one kind
 * together. What becomes of it is decided elsewhere.
 */
import { joinedBytes, type Message } from '../wire/message.js';

/** `cut`: the beginning of a message that never ended. */
export type Noise = 'text' | 'json' | 'cut';

/** Of a line that is no message. */
export function noiseOf(line: Buffer): Noise | 'blank' {
  if (isBlank(line)) return 'blank';
  return isJson(line) ? 'json' : 'text';
}

export function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x0a || byte === 0x0d || byte === 0x20 || byte === 0x09);
}

export function isJson(line: Buffer): boolean {
  // Most noise is text, and finding that out by an exception takes long.
  if (!beginsJson.test(line.toString('latin1', 0, 40))) return false;
  try {
    JSON.parse(line.toString('utf8').replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

/** A value, perhaps behind a byte order mark and white space; more white space than is looked at leaves it open. */
const beginsJson = /^(?:\u00EF\u00BB\u00BF)?\s*(?:["[{\d-]|true|false|null|$)/;

/** Lines of one kind that were read together are told as one: there may be thousands. */
export class NoiseCollector {
  readonly #tell: (kind: Noise, lines: Buffer) => void;
  #kind: Noise | 'blank' = 'blank';
  #lines: Message[] = [];

  constructor(tell: (kind: Noise, lines: Buffer) => void) {
    this.#tell = tell;
  }

  add(line: Message): void {
    const kind = noiseOf(line.bytes());
    if (kind !== this.#kind) this.flush();
    this.#kind = kind;
    this.#lines.push(line);
    if (line.isLast) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    if (this.#kind !== 'blank') this.#tell(this.#kind, joinedBytes(lines));
  }
}
