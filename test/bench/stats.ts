// Arithmetic over what was measured: percentiles, spreads, and whether more repeats would tell more. Pure.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** By linear interpolation between the two nearest values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? NaN;
  const above = sorted[Math.ceil(at)] ?? NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** Undefined if there is nothing to tell. */
export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), count: values.length };
}

/**
 * How far the median may be off, as a part of it: its standard error, from the quartiles, which outliers don't move.
 */
export function uncertainty(values: readonly number[]): number {
  const middle = median(values);
  const error = (0.93 * (percentile(values, 75) - percentile(values, 25))) / Math.sqrt(values.length);
  return error === 0 ? 0 : error / Math.abs(middle);
}
