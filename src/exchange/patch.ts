/**
 * What the proxy changes in a healthy server's answers: that it can tell of changed lists, because the proxy does so in
 * its place, and that nothing may be cached, because the next edit changes it. Only those bytes differ.
 */
import { LISTS } from '../lists/lists.js';
import type { ToolNames } from '../agent/tool-names.js';
import { servedByOldCode, type Failure } from '../agent/words.js';
import { appendAt, locate, setAt } from '../wire/edit.js';

/** Adds `listChanged: true` to each list capability that stands at `path`. */
export function promiseListChanges(line: Buffer, path: readonly string[]): Buffer {
  let patched = line;
  for (const capability of new Set(LISTS.map((list) => list.capability))) {
    const at = [...path, capability];
    if (locate(patched, at) === undefined) continue;
    const member = locate(patched, [...at, 'listChanged']);
    if (member !== undefined && patched.toString('latin1', member.start, member.end) === 'true') continue;
    patched = setAt(patched, [...at, 'listChanged'], 'true') ?? patched;
  }
  return patched;
}

/** A client that may keep a list for a while would show an old one after a reload. */
export function neverCached(line: Buffer): Buffer {
  // A letter can be spelt as an escape; that is rare, and looked for so that most lines need no walk.
  if (!line.includes('"ttlMs"') && !line.includes('\\u00')) return line;
  const span = locate(line, ['result', 'ttlMs']);
  if (span === undefined || line.toString('latin1', span.start, span.end) === '0') return line;
  return setAt(line, ['result', 'ttlMs'], '0') ?? line;
}

/** `--on-failure serve`: the tool ran, but by old code, and its caller has to know. */
export function withFailure(line: Buffer, failure: Failure, tools?: ToolNames): Buffer {
  const block = JSON.stringify({ type: 'text', text: servedByOldCode(failure, tools) });
  return appendAt(line, ['result', 'content'], [block]) ?? line;
}

/** A rule with `note`: what was built is said beside a tool's result. Undefined if that has no content to add to. */
export function withNotes(line: Buffer, notes: readonly string[]): Buffer | undefined {
  const block = JSON.stringify({ type: 'text', text: notes.join('\n') });
  return appendAt(line, ['result', 'content'], [block]);
}
