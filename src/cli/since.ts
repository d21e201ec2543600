// The point in time that `--since` names: an age (`90s`, `10m`, `2h`, `3d`), or a date with or without a time of day.
// Pure.

import type { Result } from '../config/check.js';

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const TIME_OF_DAY = /^\d{1,2}:\d{2}(:\d{2})?$/;

/** Milliseconds since 1970. */
export function readSince(text: string, now: number): Result<number> {
  const [, count = '', unit = ''] = /^(\d+)\s*([smhd])$/i.exec(text.trim()) ?? [];
  if (count !== '') return { ok: true, value: now - Number(count) * (units[unit.toLowerCase()] ?? 0) };
  const at = timeOf(text.trim(), now);
  if (!Number.isNaN(at)) return { ok: true, value: at };
  const error = `--since: ${JSON.stringify(text)} is not allowed, expected a time such as 90s, 10m, 2h, 3d, 14:30 or 2026-01-31T14:30`;
  return { ok: false, error };
}

/** JavaScript reads a date alone as midnight in UTC, but people mean their local midnight. */
function timeOf(text: string, now: number): number {
  if (TIME_OF_DAY.test(text)) {
    const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
    return hours > 23 || minutes > 59 || seconds > 59 ? NaN : new Date(now).setHours(hours, minutes, seconds, 0);
  }
  if (!DATE.test(text)) return NaN;
  return Date.parse(/[T ]/.test(text) ? text.replace(' ', 'T') : `${text}T00:00`);
}
