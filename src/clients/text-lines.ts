// Lines and separators of a text: what an addition has to look like to fit in with what stands around it.

import type { Item, List } from './layout.js';

/** The text between the beginning of the line and an offset. */
export function leadOf(text: string, offset: number): string {
  return text.slice(lineStart(text, offset), offset);
}

/** The indentation that an addition needs to begin in the same column. */
export function indentOf(text: string, offset: number): string {
  return leadOf(text, offset).replace(/[^\t]/g, ' ');
}

export function beginsLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(leadOf(text, offset));
}

/** The line break before the line of this offset; in the first line, the first one of the text. */
export function lineBreakAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return (/(?:\r\n|\n|\r)$/.exec(text.slice(Math.max(0, start - 2), start)) ?? /\r\n|\n|\r/.exec(text))?.[0] ?? '\n';
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

/**
 * A list in brackets: one item a line if the first has a line of its own, else with the separator that it has between
 * the first two.
 */
export function bracketList(
  text: string,
  { start, end }: { start: number; end: number },
  items: readonly Item[],
  comment: RegExp,
): List {
  const [first, second] = items;
  const gap = first === undefined || second === undefined ? '' : text.slice(first.end, second.from);
  const between =
    first !== undefined && beginsLine(text, first.from)
      ? `,${lineBreakAt(text, first.from)}${leadOf(text, first.from)}`
      : /^,[ \t]*$/.test(gap)
        ? gap
        : ', ';
  const last = items.at(-1);
  return {
    start,
    end,
    items,
    before: '',
    between,
    flow: true,
    insertAt: first?.from ?? start + 1,
    emptied: {
      start: first?.from ?? start + 1,
      end: last === undefined ? start + 1 : afterComma(text, last.end, comment),
      text: '',
    },
  };
}

/** Behind the comma that follows, comments in between or not; where none follows, the offset itself. */
function afterComma(text: string, offset: number, comment: RegExp): number {
  let at = offset;
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    const skipped = comment.exec(text.slice(at))?.[0].length ?? 0;
    if (skipped === 0) return text.charAt(at) === ',' ? at + 1 : offset;
    at += skipped;
  }
}
