/**
 * JSON-RPC batches: the messages that one holds, each with its own bytes. A batch is forwarded as it was read as long
 * as nothing in it has to be changed or left out; what becomes of a message is decided where it would be if it came
 * alone.
 */
import type { Id } from './envelope.js';
import { Message } from './message.js';
import { CLOSE_ARRAY, COMMA, isSpace, OPEN_ARRAY, skipSpace, skipValue } from './tokens.js';

/** A request as it came, wherever it was kept. */
export interface ClientRequest {
  readonly id: Id;
  readonly method: string;
  readonly message: Message;
}

const NEWLINE = Buffer.from('\n');

/** Each as a line of its own. Undefined if it isn't JSON. */
export function messagesIn(batch: Message): readonly Message[] | undefined {
  const line = batch.bytes();
  try {
    JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  const messages: Message[] = [];
  let at = skipSpace(line, 0);
  while ((line[at] === OPEN_ARRAY && messages.length === 0) || line[at] === COMMA) {
    const start = skipSpace(line, at + 1);
    if (line[start] === CLOSE_ARRAY) break;
    const end = skipValue(line, start);
    messages.push(Message.of(Buffer.concat([line.subarray(start, end), NEWLINE])));
    at = skipSpace(line, end);
  }
  return messages;
}

/** The requests of a batch, whose answers are owed together. */
export function requestsIn(batch: Message): readonly ClientRequest[] {
  return requestsAmong(messagesIn(batch) ?? []);
}

export function requestsAmong(messages: readonly Message[]): readonly ClientRequest[] {
  return messages.flatMap((message) => {
    const { envelope } = message;
    return envelope.kind === 'request' ? [{ id: envelope.id, method: envelope.method, message }] : [];
  });
}

/** As one batch. */
export function joinBatch(messages: readonly Message[]): Message {
  const lines = messages.map((message) => withoutEnd(message.bytes()));
  const parts = lines.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from(','), line]));
  return Message.of(Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']\n')]));
}

function withoutEnd(line: Buffer): Buffer {
  let end = line.length;
  while (isSpace(line[end - 1])) end--;
  return line.subarray(0, end);
}
