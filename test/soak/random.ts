// Chance that can be had again: the same seed gives the same run of numbers. Knows nothing of what is decided by them.

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** The same, with every order of magnitude as likely as the next. */
  size(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** By the weights that stand beside the values. */
  weighted<T>(values: readonly (readonly [weight: number, value: T])[]): T;
  /** Another run of numbers, settled by this one and a name. */
  fork(name: string): Random;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const random: Random = {
    next() {
      // A small generator with 32 bits of state: good enough to choose sizes and moments.
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
    },
    whole: (least, most) => least + Math.floor(random.next() * (most - least + 1)),
    size: (least, most) => Math.round(least * (most / least) ** random.next()),
    chance: (probability) => random.next() < probability,
    pick: (values) => values[random.whole(0, values.length - 1)]!,
    weighted(values) {
      let left = random.next() * values.reduce((sum, [weight]) => sum + weight, 0);
      return (values.find(([weight]) => (left -= weight) < 0) ?? values[0]!)[1];
    },
    fork(name) {
      const mixed = [...name].reduce((hash, char) => Math.imul(hash, 31) + char.charCodeAt(0), seed | 0);
      return createRandom(mixed);
    },
  };
  return random;
}
