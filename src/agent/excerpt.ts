/*
 * The first and the last 4 KB of a text as a person or an agent can read them: terminal codes removed, no character
 * and no code cut in two. Pure but for Buffer; collecting the two ends is left to output.ts.
 */

export interface Ends {
  /** At least the first WINDOW bytes, or all. */
  head: Buffer;
  /** At least the last WINDOW bytes, or all. */
  tail: Buffer;
  bytes: number;
  /** Where the rest is to be found. */
  place: string | undefined;
}

/** So much is shown of either end. */
export const END = 4096;
/** What has to be kept of either end: a little more than is shown, to see whether a cut falls into a terminal code. */
export const WINDOW = END + 256;

// Control sequences, operating system commands, strings, and the short escapes, after ECMA-48.
// eslint-disable-next-line no-control-regex
const TERMINAL_CODE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;

export function excerptOf({ head, tail, bytes, place }: Ends): string {
  if (bytes <= 2 * END) {
    const rest = bytes - head.length;
    return plain(rest > 0 ? Buffer.concat([head, tail.subarray(tail.length - rest)]) : head);
  }
  const first = head.subarray(0, cutBefore(head, END));
  const last = tail.subarray(cutAfter(tail, tail.length - END));
  const left = `… ${bytes - first.length - last.length} bytes left out${place === undefined ? '' : `, ${place}`} …`;
  return `${plain(first)}\n${left}\n${plain(last)}`;
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
