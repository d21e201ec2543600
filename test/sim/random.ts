/**
 * Numbers that look like chance and are the same for the same seed. Everything random in the simulation comes from
 * here.
 */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  /** True once in so many times. */
  once(inSoMany: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(items: T[]): T[];
}

export function random(seed: number): Random {
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
    once: (inSoMany) => below(inSoMany) === 0,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    shuffle(items) {
      for (let i = items.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [items[i], items[j]] = [items[j] as (typeof items)[number], items[i] as (typeof items)[number]];
      }
      return items;
    },
  };
}

/** A seed made of others. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) hash = Math.imul(hash ^ (part >>> 0), 0x01000193) ^ (hash >>> 13);
  return hash >>> 0;
}
