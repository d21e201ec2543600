/** Reads the body of a request into one message, within a limit. What the message means is for others. */
import type { IncomingMessage } from 'node:http';
import { Message } from '../../wire/message.js';

export type Body =
  /** `parsed`: as JSON; undefined if it is too long for that. */
  | { readonly kind: 'message'; readonly message: Message; readonly parsed: Parsed | undefined }
  /** Longer than the limit; what follows is not kept. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-json' }
  /** The client has gone before it had sent all of it. */
  | { readonly kind: 'gone' };

export interface Parsed {
  readonly isJson: true;
  readonly value: unknown;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
/** A longer body is not parsed as a whole just to see that it can be: that would hold up everybody else. */
const MAX_PARSED_BYTES = 1024 * 1024;
/** Of a longer one, what was parsed is not kept: it takes more memory than the bytes. */
const MAX_KEPT_BYTES = 4 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LINE_END = Buffer.from('\n');

/** `limit`: in bytes. */
export function readBody(request: IncomingMessage, limit: number): Promise<Body> {
  if (Number(request.headersDistinct['content-length']?.[0] ?? 0) > limit) return Promise.resolve({ kind: 'too-long' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) return void chunks.push(chunk);
      chunks.length = 0;
      resolve({ kind: 'too-long' });
    });
    request.on('end', () => {
      if (length <= limit) resolve(messageOf(chunks, length));
    });
    request.on('close', () => resolve({ kind: 'gone' }));
  });
}

/**
 * A body may be spread over several lines, and a message is one: line ends are white space there, since strings have
 * none.
 */
function messageOf(chunks: readonly Buffer[], length: number): Body {
  const body = Buffer.concat([...chunks, LINE_END], length + LINE_END.length);
  const line = body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
  const parsed = line.length <= MAX_PARSED_BYTES ? parse(line) : undefined;
  if (parsed?.isJson === false) return { kind: 'not-json' };
  for (const end of [NEWLINE, CARRIAGE_RETURN]) {
    for (let at = line.indexOf(end); at >= 0 && at < line.length - 1; at = line.indexOf(end, at + 1)) line[at] = SPACE;
  }
  return { kind: 'message', message: Message.of(line, line.length <= MAX_KEPT_BYTES ? parsed : undefined), parsed };
}

function parse(text: Buffer): Parsed | { readonly isJson: false } {
  try {
    return { isJson: true, value: JSON.parse(text.toString()) as unknown };
  } catch {
    return { isJson: false };
  }
}
