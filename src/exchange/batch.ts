/**
 * JSON-RPC batches: the messages that one holds, each with its own bytes. A batch is forwarded as it was read as long
 * as nothing in it has to be changed or left out; what becomes of a message is decided where it would be if it came
 * alone.
 */
import { scan, type Envelope, type Id } from '../wire/scan.js';
import { CLOSE_ARRAY, COMMA, isSpace, OPEN_ARRAY, skipSpace, skipValue } from '../wire/tokens.js';

export interface Member {
  /** As a line of its own. */
  readonly line: Buffer;
  readonly envelope: Envelope;
}

/** Undefined if it isn't JSON. */
export function lookInside(line: Buffer): readonly Member[] | undefined {
  try {
    JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  const members: Member[] = [];
  let at = skipSpace(line, 0);
  while ((line[at] === OPEN_ARRAY && members.length === 0) || line[at] === COMMA) {
    const start = skipSpace(line, at + 1);
    if (line[start] === CLOSE_ARRAY) break;
    const end = skipValue(line, start);
    const own = Buffer.concat([line.subarray(start, end), Buffer.from('\n')]);
    members.push({ line: own, envelope: scan(own) });
    at = skipSpace(line, end);
  }
  return members;
}

/** The requests of a batch, whose answers are owed together. */
export function requestsIn(line: Buffer): { readonly id: Id; readonly method: string; readonly line: Buffer }[] {
  return (lookInside(line) ?? []).flatMap(({ envelope, line: own }) =>
    envelope.kind === 'request' ? [{ id: envelope.id, method: envelope.method, line: own }] : [],
  );
}

/** Lines of one message each, as one batch. */
export function joinBatch(lines: readonly Buffer[]): Buffer {
  const parts = lines.flatMap((line, i) => (i === 0 ? [withoutEnd(line)] : [Buffer.from(','), withoutEnd(line)]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']\n')]);
}

function withoutEnd(line: Buffer): Buffer {
  let end = line.length;
  while (isSpace(line[end - 1])) end--;
  return line.subarray(0, end);
}
