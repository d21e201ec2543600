// Random choices out of a seed, so that what a run planned can be planned again. The moments at which real processes
// get to do it are the machine's.

export interface Random {
  /** A whole number from 0 to `below`, exclusive. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  chance(of: number): boolean;
}

export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { int, pick: (from) => from[int(from.length)]!, chance: (of) => next() < of };
}
