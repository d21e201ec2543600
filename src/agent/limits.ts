/**
 * How long an answer of the agent's own tools may be, and how text and data are cut to fit. Clients cut long answers
 * off without a word, so we cut them ourselves and say so. Lengths are those of the JSON that is sent. Pure.
 */

/** Characters of a whole answer: text and structured content together. */
export const MAX_ANSWER = 40_000;
/** For the names of members, `isError` and the like. */
const FRAME = 500;
/** The words stand in the text and in the structured content. */
export const MAX_WORDS = 10_000;
/** What is shorter than this is left out rather than shortened. */
const MIN_FACT = 100;
/** Lists whose last items say the most. */
const NEWEST_LAST: ReadonlySet<string> = new Set(['log']);

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

/** Facts that do not fit: the longest is shortened, again and again, or left out if too little would be left of it. */
export function fitFacts(facts: Facts, max: number): Facts {
  return jsonLength(facts) <= max ? facts : fitMembers({ ...facts, truncated: true }, max);
}

function fitMembers(members: Facts, max: number): Facts {
  const kept: Record<string, unknown> = { ...members };
  for (let over = jsonLength(kept) - max; over > 0; over = jsonLength(kept) - max) {
    const sizes = Object.entries(kept).map(([name, value]) => [name, jsonLength(value), jsonLength(name)] as const);
    const [name, size, rest] = sizes.reduce((one, other) => (other[1] + other[2] > one[1] + one[2] ? other : one));
    // Not at one go: another fact may be nearly as long.
    const room = Math.max(size - over, Math.floor(size / 2));
    if (rest > size || room < MIN_FACT) delete kept[name];
    else kept[name] = fitValue(kept[name], room, name);
  }
  return kept;
}

/** At most so long: a list has fewer items, an object shorter members. */
function fitValue(value: unknown, max: number, name: string): unknown {
  if (typeof value === 'string') return cutText(value, max);
  if (Array.isArray(value)) return NEWEST_LAST.has(name) ? lastThatFit(value, max) : firstThatFit(value, max);
  return typeof value === 'object' && value !== null ? fitMembers(value as Facts, max) : undefined;
}
