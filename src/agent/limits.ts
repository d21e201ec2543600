/**
 * How long an answer of the agent's own tools may be, and how text and data are cut to fit. Clients cut long answers off without
 * a word, so we cut them ourselves and say so. Lengths are those of the JSON that is sent. Pure.
 */

/** Characters of a whole answer: text and structured content together. */
export const MAX_ANSWER = 40_000;
/** For the names of members, `isError` and the like. */
const FRAME = 500;
/** The words stand in the text and in the structured content. */
export const MAX_WORDS = 10_000;
/** A string or a list inside of facts that do not fit. */
const MAX_STRING = 300;
const MAX_ITEMS = 20;

type Facts = Readonly<Record<string, unknown>>;

export function jsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** What is left for each of the two forms, the text and the structured content, beside the words that stand in both. */
export function roomBeside(words: string): number {
  return Math.floor((MAX_ANSWER - FRAME) / 2) - jsonLength(words);
}

/** The beginning and the end of a text, with a mark between them that says how much is left out. */
export function cutText(text: string, max: number): string {
  if (jsonLength(text) <= max) return text;
  for (let kept = Math.min(text.length - 1, max); kept > 0; kept = Math.floor(kept * 0.8)) {
    const head = text.slice(0, Math.ceil(kept / 2)).replace(/[\ud800-\udbff]$/, '');
    const tail = text.slice(text.length - Math.floor(kept / 2)).replace(/^[\udc00-\udfff]/, '');
    const cut = `${head}\n… ${text.length - head.length - tail.length} characters are left out …\n${tail}`;
    if (jsonLength(cut) <= max) return cut;
  }
  return '';
}

/** As many of the first items as fit as a JSON array. */
export function firstThatFit<T>(items: readonly T[], max: number): readonly T[] {
  let left = max - 2;
  const end = items.findIndex((item) => (left -= jsonLength(item) + 1) < 0);
  return end === -1 ? items : items.slice(0, end);
}

/** As many of the last items as fit as a JSON array. */
export function lastThatFit<T>(items: readonly T[], max: number): readonly T[] {
  return firstThatFit(items.toReversed(), max).toReversed();
}

/** Facts that are too long are shortened inside, then left out, the longest first; `truncated` says so. */
export function fitFacts(facts: Facts, max: number): Facts {
  if (jsonLength(facts) <= max) return facts;
  const short = Object.entries(facts).map(([name, value]) => [name, shortened(value)] as const);
  const byLength = short.toSorted(([, one], [, other]) => jsonLength(one) - jsonLength(other));
  const kept: Record<string, unknown> = { truncated: true };
  for (const [name, value] of byLength) {
    if (jsonLength({ ...kept, [name]: value }) <= max) kept[name] = value;
  }
  return kept;
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, MAX_STRING);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, each]) => [name, shortened(each)]),
  );
}
