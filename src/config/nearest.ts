// Finds the name that a mistyped name was probably meant to be. The caller words the question.

export function nearest(name: string, names: readonly string[]): string | undefined {
  return nearMisses(name, names)[0];
}

/** All names that it may have been meant to be, the likeliest first. */
export function nearMisses(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const most = Math.max(1, Math.floor(wanted.length / 3)); // further away is no misspelling but another word
  return names
    .map((candidate) => ({ candidate, away: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ away }) => away <= most)
    .sort((a, b) => a.away - b.away)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function distance(a: string, b: string): number {
  const cell = (row: readonly number[], column: number): number => row[column] ?? Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = cell(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          replaced,
          cell(last, column) + 1,
          cell(current, column - 1) + 1,
          swapped ? cell(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}
