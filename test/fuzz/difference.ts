/**
 * The one way for a check to fail: what was expected of which part, and what came. Finding and shrinking is for others.
 */

class Difference extends Error {}

/** JSON has no other numbers than these two texts can tell apart. */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Difference(`${what}: ${short(a)} where it should be ${short(b)}`);
}

export function sameBytes(what: string, actual: Buffer, expected: Buffer): void {
  if (!actual.equals(expected))
    throw new Difference(
      `${what}: ${short(actual.toString('latin1'))} where it should be ${short(expected.toString('latin1'))}`,
    );
}

export function holds(what: string, condition: boolean): void {
  if (!condition) throw new Difference(what);
}

function short(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  return text.length <= 300 ? text : `${text.slice(0, 200)} … ${text.slice(-80)}`;
}
