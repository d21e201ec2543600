/**
 * The surgical editor and the patches made with it against a model: what JSON.parse reads afterwards is what it read
 * before, with that member changed, and every byte elsewhere is the same. A line that JSON.parse refuses may be refused
 * or edited, but not damaged elsewhere.
 */
import { neverCached, promiseListChanges, withFailure } from '#src/exchange/patch.js';
import { appendAt, locate, readAt, setAt } from '#src/wire/edit.js';
import { Message } from '#src/wire/message.js';
import { holds, same, sameBytes } from './difference.js';
import type { Random } from '../support/random.js';
import { attempt, follow, isObject, withSet } from './reference.js';

const NAMES = ['id', 'params', 'result', 'capabilities', 'tools', 'listChanged', '_meta', '__proto__', 'content', ''];
const VALUES = ['1', '"é"', '{"listChanged":true}', '[]', '123456789012345678901', 'null'];
const failure = { kind: 'build', command: 'tsc', cause: { kind: 'exit', code: 2 }, output: 'boom' } as const;

export function checkEdit(line: Buffer, random: Random): void {
  const parsed = attempt(line.toString());
  const path = pathInto(parsed?.value, random);
  const to = random.pick(VALUES);
  const span = locate(line, path);
  if (span !== undefined)
    holds(`locate ${path.join('.')}: no span`, span.start >= 0 && span.start < span.end && span.end <= line.length);
  const set = setAt(line, path, to);
  const appended = appendAt(line, path, [to, '2']);
  if (parsed === undefined) {
    readAt(line, path);
    if (set !== undefined) onlyThere(line, set, span, to);
    if (appended !== undefined) onlyPutIn(line, appended);
    return;
  }
  const there = isObject(parsed.value) ? follow(parsed.value, path) : undefined;
  same(`locate ${path.join('.')}`, span !== undefined, there !== undefined);
  same(`readAt ${path.join('.')}`, readAt(line, path), there?.value);
  if (span !== undefined)
    holds('a span begins and ends with its value', !isSpace(line[span.start]) && !isSpace(line[span.end - 1]));
  checkSet(line, set, span, isObject(parsed.value) ? withSet(parsed.value, path, JSON.parse(to)) : undefined, to);
  checkAppended(line, appended, parsed.value, path, [JSON.parse(to), 2]);
  checkPatches(line, parsed.value);
}

/** Mostly where something is: names of members that exist lead deeper than random ones. */
function pathInto(value: unknown, random: Random): string[] {
  const path: string[] = [];
  let at = value;
  const length = random.below(5);
  while (path.length < length) {
    const names = isObject(at) ? Object.keys(at) : [];
    const name = names.length > 0 && !random.once(5) ? random.pick(names) : random.pick(NAMES);
    path.push(name);
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return path;
}

type Span = ReturnType<typeof locate>;

function checkSet(line: Buffer, set: Buffer | undefined, span: Span, expected: unknown, to: string): void {
  same('setAt', set && attempt(set.toString()), expected === undefined ? undefined : { value: expected });
  if (set !== undefined) onlyThere(line, set, span, to);
}

function onlyThere(line: Buffer, set: Buffer, span: Span, to: string): void {
  if (span === undefined) onlyPutIn(line, set);
  else sameBytes('setAt', set, Buffer.concat([line.subarray(0, span.start), Buffer.from(to), line.subarray(span.end)]));
}

/** `after` is `before` with one stretch of bytes more. */
function onlyPutIn(before: Buffer, after: Buffer): void {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head++;
  const tail = before.subarray(head);
  sameBytes('bytes behind an insertion', after.subarray(after.length - tail.length), tail);
}

function checkAppended(
  line: Buffer,
  appended: Buffer | undefined,
  value: unknown,
  path: readonly string[],
  more: readonly unknown[],
): void {
  const array = isObject(value) ? follow(value, path)?.value : undefined;
  if (!Array.isArray(array)) {
    same('appendAt where no array is', appended, undefined);
    return;
  }
  holds('appendAt refuses an array', appended !== undefined);
  same('appendAt', JSON.parse((appended as Buffer).toString()), withSet(value, path, [...array, ...more]));
  onlyPutIn(line, appended as Buffer);
}

function checkPatches(line: Buffer, value: unknown): void {
  const message = Message.of(line);
  if (!isObject(follow(value, ['result'])?.value)) {
    const patched = withFailure(neverCached(promiseListChanges(message, ['result', 'capabilities'])), failure);
    holds('a patch of what has no result', patched === message);
    return;
  }
  const at = ['result', 'capabilities'];
  let promised = value;
  for (const name of ['tools', 'prompts', 'resources']) {
    if (isObject(follow(value, [...at, name])?.value)) promised = withSet(promised, [...at, name, 'listChanged'], true);
  }
  patchedTo('promiseListChanges', message, promiseListChanges(message, at), value, promised);
  const cached = follow(value, ['result', 'ttlMs']);
  const fresh = cached === undefined ? value : withSet(value, ['result', 'ttlMs'], 0);
  patchedTo('neverCached', message, neverCached(message), value, fresh);
  const content = follow(value, ['result', 'content'])?.value;
  if (!Array.isArray(content)) {
    holds('withFailure changes what has no content', withFailure(message, failure) === message);
    return;
  }
  const after = withFailure(message, failure).bytes();
  const told = follow(JSON.parse(after.toString()), ['result', 'content'])?.value as unknown[];
  same('withFailure', told.slice(0, -1), content);
  onlyPutIn(line, after);
}

function patchedTo(what: string, message: Message, patched: Message, value: unknown, expected: unknown): void {
  if (patched !== message) same(what, JSON.parse(patched.toString()), expected);
  else if (expected !== value) same(what, value, expected);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
