/**
 * The connection to a server over its stdin and stdout: a channel that tells messages from what a server prints among
 * them by mistake (noise). It knows no process and no session. What becomes of noise is decided elsewhere.
 */
import type { Readable, Writable } from 'node:stream';
import type { ChannelEvents } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import type { LineOptions } from '../wire/lines.js';
import { joinedBytes, Message } from '../wire/message.js';
import { isBlank, isJson, noiseOf, type Noise } from './noise.js';

export interface ConnectionEvents extends Omit<ChannelEvents, 'end'> {
  /**
   * Lines on stdout that are no messages: text, JSON of another kind, or the beginning of a message that never ended.
   */
  noise(kind: Noise, lines: Buffer): void;
  end(): void;
}

const NEWLINE = Buffer.from('\n');
const OPEN_OBJECT = 0x7b;

export function connectPipes(
  stdout: Readable,
  stdin: Writable,
  lines: LineOptions,
  events: ConnectionEvents,
): StdioChannel {
  const noise = new NoiseCollector((kind, printed) => events.noise(kind, printed));
  const take = (message: Message): void => {
    if (message.envelope.kind === 'invalid') return noise.add(message);
    noise.flush();
    events.message(message.withoutByteOrderMark());
  };
  return new StdioChannel(stdout, stdin, lines, {
    ...events,
    message: take,
    end: (unfinished) => {
      if (unfinished !== undefined) takeUnfinished(unfinished, take, events);
      events.end();
    },
  });
}

/**
 * A last line without its newline is a message only if it is whole, and that takes more than a look at both its ends.
 */
function takeUnfinished(unfinished: Message, take: (message: Message) => void, events: ConnectionEvents): void {
  const rest = unfinished.bytes();
  if (isBlank(rest)) return;
  const line = Buffer.concat([rest, NEWLINE]);
  if (unfinished.envelope.kind !== 'invalid' && isJson(rest)) take(Message.of(line));
  else events.noise(rest[0] === OPEN_OBJECT ? 'cut' : 'text', line);
}

/** Lines of one kind that were read together are told as one: there may be thousands. */
class NoiseCollector {
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
