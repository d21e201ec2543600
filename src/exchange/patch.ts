/**
 * What the proxy changes in a healthy server's answers: that it can tell of changed lists, because the proxy does so in
 * its place, and that nothing may be cached, because the next edit changes it. Only those bytes differ.
 */
import type { LineageRecord } from './records.js';
import { LISTS } from '../lists/lists.js';
import type { ToolNames } from '../agent/tool-names.js';
import { servedByOldCode, type Failure } from '../agent/words.js';
import type { Message } from '../wire/message.js';

/** Adds `listChanged: true` to each list capability that stands at `path`. */
export function promiseListChanges(answer: Message, path: readonly string[]): Message {
  let patched = answer;
  for (const capability of new Set(LISTS.map((list) => list.capability))) {
    const at = [...path, capability];
    if (!patched.has(at) || patched.raw([...at, 'listChanged']) === 'true') continue;
    patched = patched.with([...at, 'listChanged'], 'true') ?? patched;
  }
  return patched;
}

/** A client that may keep a list for a while would show an old one after a reload. */
export function neverCached(answer: Message): Message {
  // A letter can be spelt as an escape; that is rare, and looked for so that most lines need no walk.
  if (!answer.includes('"ttlMs"') && !answer.includes('\\u00')) return answer;
  const ttl = answer.raw(['result', 'ttlMs']);
  return ttl === undefined || ttl === '0' ? answer : (answer.with(['result', 'ttlMs'], '0') ?? answer);
}

/** The same, where something is reloaded at all. */
export function cachedUntilReload({ options }: LineageRecord, answer: Message): Message {
  return options.reloads ? neverCached(answer) : answer;
}

/** `--on-failure serve`: the tool ran, but by old code, and its caller has to know. */
export function withFailure(answer: Message, failure: Failure, tools?: ToolNames): Message {
  const block = JSON.stringify({ type: 'text', text: servedByOldCode(failure, tools) });
  return answer.append(['result', 'content'], [block]) ?? answer;
}

/** A rule with `note`: what was built is said beside a tool's result. Undefined if that has no content to add to. */
export function withNotes(answer: Message, notes: readonly string[]): Message | undefined {
  const block = JSON.stringify({ type: 'text', text: notes.join('\n') });
  return answer.append(['result', 'content'], [block]);
}
