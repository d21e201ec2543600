/*
 * Which names are like one another, by the pairs of neighbouring letters that they share (Dice), without case and
 * separators. Pure. What follows from that is for whoever asks.
 */

const SIMILAR = 0.5;
/** What is longer is compared by its beginning. */
const MAX_LETTERS = 64;

/** How often each pair of letters stands in a name. */
interface Pairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Those of the names that share much of their spelling with this one, the most similar first. */
export function mostSimilar(name: string, names: readonly string[]): string[] {
  const own = pairsOf(name);
  return names
    .map((other) => ({ other, likeness: likeness(own, pairsOf(other)) }))
    .filter(({ likeness: much }) => much >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness)
    .map(({ other }) => other);
}

/** From 0 to 1. */
function likeness(one: Pairs, other: Pairs): number {
  let shared = 0;
  for (const [pair, count] of one.counts) shared += Math.min(count, other.counts.get(pair) ?? 0);
  const total = one.total + other.total;
  return total === 0 ? 0 : (2 * shared) / total;
}

function pairsOf(name: string): Pairs {
  const letters = name
    .slice(0, MAX_LETTERS)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  const counts = new Map<string, number>();
  const total = Math.max(0, letters.length - 1);
  for (let at = 0; at < total; at++) {
    const pair = letters.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total };
}
