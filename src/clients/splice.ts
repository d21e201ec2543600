// Puts words in front of a server's command in the text of a file, and removes them again. The command keeps its
// spelling and moves behind the words, so that the wrapped entry contains almost everything about the entry before;
// `Undo` has the rest. Only insertions and deletions at offsets: nothing else in the file changes. documents.ts checks
// the result.

import type { Entry, Grammar, List, Word } from './layout.js';
import type { Undo } from './shape.js';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Wrapped {
  readonly text: string;
  readonly undo: Undo | undefined;
}

/** undefined: the entry has nothing that words could be put in front of. */
export function wrapEntry(
  grammar: Grammar,
  text: string,
  entry: Entry,
  prefix: readonly string[],
): Wrapped | undefined {
  const { command, list, newList } = entry;
  if (command === undefined)
    return list && { text: apply(text, [wrapList(grammar, text, list, prefix)]), undo: undefined };
  const raw = text.slice(command.start, command.end);
  const style = list ?? newList;
  if (style === undefined) return undefined;
  const [program = '', ...options] = prefix;
  const moves = fits(grammar, raw, command.value, style.flow);
  const anew = grammar.spell(command.value, '"');
  const words = [...options.map((option) => grammar.spell(option, raw)), moves ? raw : anew];
  const edits = [{ start: command.start, end: command.end, text: grammar.spell(program, raw) }];
  if (list !== undefined) edits.push(insertion(list, words));
  else if (newList !== undefined) {
    const { before, between, after } = newList;
    edits.push({ start: command.end, end: command.end, text: before + words.join(between) + after });
  }
  const args: Undo['args'] = list === undefined ? 'absent' : list.items.length === 0 ? 'empty' : undefined;
  // Without a record nobody could tell a command that is spelled like this from one that was spelled anew.
  const kept = !moves || (grammar.fits !== undefined && raw === anew);
  const undo: Undo = { ...(args !== undefined && { args }), ...(kept && { command: raw }) };
  return { text: apply(text, edits), undo: Object.keys(undo).length === 0 ? undefined : undo };
}

function wrapList(grammar: Grammar, text: string, list: List, prefix: readonly string[]): Edit {
  const [first] = list.items;
  const model = first === undefined ? '' : text.slice(first.start, first.end);
  return insertion(
    list,
    prefix.map((word) => grammar.spell(word, model)),
  );
}

function insertion({ insertAt, items, before, between }: List, words: readonly string[]): Edit {
  const text = words.map((word) => before + word).join(between) + (items.length === 0 ? '' : between);
  return { start: insertAt, end: insertAt, text };
}

/** `count`: how many words of the entry are in front of the server's own. undefined: the entry has no such words. */
export function unwrapEntry(
  grammar: Grammar,
  text: string,
  entry: Entry,
  count: number,
  undo: Undo,
): string | undefined {
  const { command, list } = entry;
  if (list === undefined) return undefined;
  if (command === undefined) {
    const [first, next] = [list.items[0], list.items[count]];
    return first && next && apply(text, [{ start: first.from, end: next.from, text: '' }]);
  }
  const item = list.items[count - 1];
  if (item === undefined) return undefined;
  const restored = {
    start: command.start,
    end: command.end,
    text: undo.command ?? respell(grammar, text, entry, item),
  };
  const next = list.items[count];
  const first = list.items[0] ?? item;
  if (next !== undefined) return apply(text, [restored, { start: first.from, end: next.from, text: '' }]);
  const whole = undo.args === 'absent' && isNew(text, entry, command, first);
  return apply(text, [restored, whole ? { start: command.end, end: list.end, text: '' } : list.emptied]);
}

function respell(grammar: Grammar, text: string, { newList }: Entry, item: Word): string {
  const raw = text.slice(item.start, item.end);
  return fits(grammar, raw, item.value, newList?.flow ?? true) ? raw : grammar.spell(item.value, raw);
}

function fits(grammar: Grammar, raw: string, value: string, flow: boolean): boolean {
  return grammar.fits === undefined || grammar.fits(raw, value, flow);
}

/** Whether the list of arguments still stands where `wrapEntry` puts one. A formatter may have broken lines since. */
function isNew(text: string, { newList }: Entry, command: Word, first: Word): boolean {
  const plain = (part: string): string => part.replace(/\s+/g, '');
  return newList !== undefined && plain(text.slice(command.end, first.start)) === plain(newList.before);
}

function apply(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, two) => two.start - one.start || two.end - one.end)
    .reduce((result, { start, end, text: written }) => result.slice(0, start) + written + result.slice(end), text);
}
