/**
 * Numbers that look like chance and are the same for the same seed: everything random in simulation, soak, kills and
 * fuzzing comes from here, so that a seed brings a run back. Good enough to choose with, for nothing else. What is
 * decided by them is the caller's.
 */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** The same, with every order of magnitude as likely as the next. */
  size(least: number, most: number): number;
  /** True once in so many times. */
  once(inSoMany: number): boolean;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** By the weights that stand beside the values. */
  weighted<T>(values: readonly (readonly [weight: number, value: T])[]): T;
  shuffle<T>(items: T[]): T[];
  /** Other numbers, decided by the seed of these and a name. */
  fork(name: string): Random;
}

export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  // The first numbers of neighbouring seeds are alike.
  for (let skip = 0; skip < 3; skip++) next();
  return {
    next,
    below,
    whole: (least, most) => least + below(most - least + 1),
    size: (least, most) => Math.round(least * (most / least) ** next()),
    once: (inSoMany) => below(inSoMany) === 0,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    weighted(values) {
      let left = next() * values.reduce((sum, [weight]) => sum + weight, 0);
      return (values.find(([weight]) => (left -= weight) < 0) ?? values[0]!)[1];
    },
    shuffle(items) {
      for (let i = items.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [items[i], items[j]] = [items[j] as (typeof items)[number], items[i] as (typeof items)[number]];
      }
      return items;
    },
    fork: (name) => createRandom(mix(seed, ...Buffer.from(name))),
  };
}

/** A seed made of others. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) hash = Math.imul(hash ^ (part >>> 0), 0x01000193) ^ (hash >>> 13);
  return hash >>> 0;
}
