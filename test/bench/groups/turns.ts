// How several ways to a server take turns in short blocks, so that a machine that slows down slows all of them down,
// and what is made of the blocks. What a block is, is for the groups.
import type { Sample } from './group.js';

/** Each block begins with another way. */
export async function inTurns<Name, T>(
  blocks: number,
  names: readonly Name[],
  work: (name: Name) => Promise<T>,
): Promise<Map<Name, T[]>> {
  const results = new Map<Name, T[]>(names.map((name) => [name, []]));
  for (let block = 0; block < blocks; block += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(block + turn) % names.length]!;
      results.get(name)!.push(await work(name));
    }
  }
  return results;
}

export function summary<T>(
  of: string,
  results: ReadonlyMap<string, T[]>,
  figure: (blocks: T[]) => number | undefined,
): Sample {
  const figures = [...results].map(([name, blocks]) => [`${of} ${name}`, figure(blocks)] as const);
  return Object.fromEntries(figures.filter(([, value]) => value !== undefined)) as Sample;
}
