/**
 * What a program printed, as a person or an agent can read it: all of it, or the first and the last 4 KB, with terminal
 * codes removed and no character and no code cut in two. An excerpt is data; what is said of the part that is left out
 * is said in one place, here. Pure but for Buffer; collecting the two ends is left to the callers.
 */

/** All that was printed, or an excerpt. */
export type Printed = string | Excerpt;

export interface Excerpt {
  readonly beginning: string;
  readonly end: string;
  readonly leftOutBytes: number;
  readonly rest: Rest | undefined;
}

/** Where more of it lies. */
export type Rest =
  | { readonly part: 'all'; readonly file: string }
  | { readonly part: 'first'; readonly bytes: number; readonly file: string }
  | { readonly part: 'last'; readonly kibibytes: number; readonly file: string };

export interface Ends {
  /** At least the first WINDOW bytes, or all. */
  head: Buffer;
  /** At least the last WINDOW bytes, or all. */
  tail: Buffer;
  bytes: number;
  rest: Rest | undefined;
}

/** So much is shown of either end. */
export const END = 4096;
/** What has to be kept of either end: a little more than is shown, to see whether a cut falls into a terminal code. */
export const WINDOW = END + 256;

// Control sequences, operating system commands, strings, and the short escapes, after ECMA-48.
// eslint-disable-next-line no-control-regex
const TERMINAL_CODE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;

export function excerptOf({ head, tail, bytes, rest }: Ends): Printed {
  if (bytes <= 2 * END) {
    const more = bytes - head.length;
    return plain(more > 0 ? Buffer.concat([head, tail.subarray(tail.length - more)]) : head);
  }
  const first = head.subarray(0, cutBefore(head, END));
  const last = tail.subarray(cutAfter(tail, tail.length - END));
  return { beginning: plain(first), end: plain(last), leftOutBytes: bytes - first.length - last.length, rest };
}

export function printedText(printed: Printed): string {
  if (typeof printed === 'string') return printed;
  const { beginning, end, leftOutBytes, rest } = printed;
  return `${beginning}\n… ${leftOutBytes} bytes left out${rest === undefined ? '' : `, ${restText(rest)}`} …\n${end}`;
}

function restText(rest: Rest): string {
  switch (rest.part) {
    case 'all':
      return `the whole is in ${rest.file}`;
    case 'first':
      return `the first ${rest.bytes} are in ${rest.file}`;
    case 'last':
      return `the last ${rest.kibibytes} KiB are in ${rest.file}`;
  }
}

/** At most the last `length` bytes, from the beginning of a character and of a terminal code. */
export function endOf(text: Buffer, length: number): string {
  const at = Math.max(0, text.length - length);
  return plain(text.subarray(at === 0 ? 0 : cutAfter(text, at)));
}

/** With a last line that was not ended by a newline, if there is one. */
export function withLastLine(printed: Printed, line: string): Printed {
  if (line === '') return printed;
  if (typeof printed === 'string') return printed === '' ? line : `${printed}\n${line}`;
  return { ...printed, end: `${printed.end}\n${line}` };
}

function plain(text: Buffer): string {
  return text.toString('utf8').replace(TERMINAL_CODE, '').replaceAll('\x1b', '');
}

/** The last place at or before `at` that is in no character and no terminal code. */
function cutBefore(text: Buffer, at: number): number {
  const code = codeAcross(text, at);
  if (code !== undefined) return code.start;
  for (let back = 0; back < 4; back++) if (!isContinuation(text[at - back])) return at - back;
  return at;
}

/** The first place at or after `at` that is in no character and no terminal code. */
function cutAfter(text: Buffer, at: number): number {
  const code = codeAcross(text, at);
  if (code !== undefined) return code.end;
  for (let on = 0; on < 4; on++) if (!isContinuation(text[at + on])) return at + on;
  return at;
}

function codeAcross(text: Buffer, at: number): { start: number; end: number } | undefined {
  for (const match of text.toString('latin1').matchAll(TERMINAL_CODE)) {
    const end = match.index + match[0].length;
    if (match.index < at && at < end) return { start: match.index, end };
  }
  return undefined;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
