/**
 * Random numbers that a seed brings back. Each case has its own stream, made of the run's seed and the case's number,
 * so that one case can be run again without those before it. Good enough to choose with, for nothing else.
 */

export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True about once in `times`. */
  oneIn(times: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) state = mix(state ^ mix(seed >>> 0) ^ mix(Math.floor(seed / 2 ** 32) + 0x85eb));
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state);
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (list) => list[below(list.length)]!,
  };
}

function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
