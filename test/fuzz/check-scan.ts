/**
 * The scanner, the inside of batches and the keys of ids against JSON.parse. A byte order mark is no part of a line;
 * bytes that are no UTF-8 count as U+FFFD, as they do for every reader of text.
 */
import { messagesIn, joinBatch } from '#src/wire/batch.js';
import { keyOf } from '#src/wire/ids.js';
import { Message } from '#src/wire/message.js';
import { idInHead, scan, type Envelope } from '#src/wire/scan.js';
import { holds, same, sameBytes } from './difference.js';
import type { Random } from '../support/random.js';
import { attempt, isObject, readingOf, type Reading } from './reference.js';

/** Lines are read where they lie, in a run of others: what stands beside one must not matter. */
const NEIGHBOURS = [
  '',
  '\n',
  ' ',
  '"',
  '\\',
  '{',
  '}',
  ',"id":1}',
  '{"jsonrpc":"2.0","id":2,"method":"m"}\n',
  '\ufeff',
  '9',
  ']',
];

export function checkScan(line: Buffer, random: Random): void {
  const envelope = scan(line);
  const before = Buffer.from(random.pick(NEIGHBOURS));
  const run = Buffer.concat([before, line, Buffer.from(random.pick(NEIGHBOURS))]);
  same('scan in a run', scan(run, before.length, before.length + line.length), envelope);
  const text = line.toString().replace(/^\uFEFF/, '');
  const parsed = attempt(text);
  if (parsed === undefined) {
    unparsable(line, envelope);
    return;
  }
  const { value } = parsed;
  const reading = readingOf(value, text);
  if (!reading.open) same('scan', envelope, reading.envelope);
  else if (envelope.kind !== 'invalid') among(envelope, reading);
  if ('id' in envelope) sameKey(envelope.id);
  if (isObject(value)) cut(line, reading, random);
  if (Array.isArray(value)) inside(line, value);
}

/**
 * Nothing is promised of a line that is no JSON but that a message's own id and method are JSON, and its ends an
 * object's.
 */
function unparsable(line: Buffer, envelope: Envelope): void {
  if (envelope.kind === 'invalid') return;
  const text = line
    .toString()
    .replace(/^\uFEFF/, '')
    .trim();
  holds("scan: a message has an object's ends, a batch an array's", /^(\{[^]*\}|\[[^]*\])$/.test(text));
  if ('id' in envelope) {
    const id = attempt(envelope.id)?.value;
    holds(`scan: no id is ${envelope.id}`, id === null || typeof id === 'string' || typeof id === 'number');
    sameKey(envelope.id);
  }
}

/** One of several of a name was taken: at least it is one of them. */
function among(envelope: Envelope, { ids, methods }: Reading): void {
  if ('id' in envelope && (ids.length > 0 || envelope.id !== 'null'))
    holds(`scan: ${envelope.id} is none of the ids`, ids.includes(envelope.id));
  if ('method' in envelope) holds(`scan: ${envelope.method} is none of the methods`, methods.includes(envelope.method));
}

/** Ids that JSON takes for the same have the same key, however they are spelt; others don't. */
function sameKey(token: string): void {
  const id = JSON.parse(token) as unknown;
  if (typeof id === 'number' && !Number.isFinite(id)) return;
  same(`key of ${token}`, keyOf(token), keyOf(JSON.stringify(id)));
  if (typeof id === 'number') holds(`key of ${token}`, keyOf(token) !== keyOf(JSON.stringify(String(id))));
}

/** Of a line that is cut off anywhere: no message unless it is long, and no id but its own. */
function cut(line: Buffer, { open, ids }: Reading, random: Random): void {
  const end = line.lastIndexOf('}');
  const head = line.subarray(0, random.below(end + 1));
  if (head.length <= 2048) same('scan of a cut line', scan(head).kind, 'invalid');
  const id = idInHead(head);
  if (!open && id !== undefined) holds(`idInHead: ${id} is none of the ids`, ids.includes(id));
}

function inside(line: Buffer, value: readonly unknown[]): void {
  const members = messagesIn(Message.of(line));
  // A mark at the beginning is taken off before a line comes to the pipeline, or it is no JSON there.
  if (line[0] === 0xef) return;
  holds('messagesIn: a batch has members', members !== undefined);
  same(
    'messagesIn',
    members?.map((member) => JSON.parse(String(member)) as unknown),
    value,
  );
  for (const member of members ?? []) {
    same('messagesIn: envelope', member.envelope, scan(member.bytes()));
    holds('messagesIn: the bytes are in the line', line.includes(member.bytes().subarray(0, -1)));
  }
  if (members === undefined || members.length === 0) return;
  const bodies = members.map((member) => member.bytes().subarray(0, -1));
  const joined = [Buffer.from('['), ...bodies.flatMap((body, i) => (i === 0 ? [body] : [Buffer.from(','), body]))];
  sameBytes('joinBatch', joinBatch(members).bytes(), Buffer.concat([...joined, Buffer.from(']\n')]));
}
