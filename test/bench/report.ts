// Shows what was measured, as a table for people, as Markdown or as JSON, and judges it for --guard. Pure: printing is
// left to main.ts.
import type { Sample } from './groups/group.js';
import { rows, type GroupName, type Row } from './rows.js';
import { median, spread, type Spread } from './stats.js';

export type Samples = Partial<Record<GroupName, readonly Sample[]>>;

export interface Told {
  readonly group: GroupName;
  readonly text: string;
  readonly unit: string;
  readonly value: Spread | undefined;
  /** Medians. */
  readonly figures: Readonly<Record<string, number>>;
  readonly target: number | undefined;
  readonly mark: 'met' | 'not met' | undefined;
}

/** What there is to tell of the groups that were measured. */
export function tell(samples: Samples): Told[] {
  return rows.flatMap((row) => {
    const taken = samples[row.group];
    return taken === undefined ? [] : [told(row, taken)];
  });
}

function told(row: Row, samples: readonly Sample[]): Told {
  const { group, text, unit, target, shown } = row;
  const value = spread(values(row, samples));
  const figures = shown.map(([key, name]) => [name, median(samples.flatMap((sample) => sample[key] ?? []))] as const);
  const mark = target === undefined || value === undefined ? undefined : value.median <= target ? 'met' : 'not met';
  return { group, text, unit, value, target, mark, figures: Object.fromEntries(figures) };
}

/** One for each repeat that tells one. */
export function values(row: Row, samples: readonly Sample[]): number[] {
  return samples.map(row.value).filter((value) => !Number.isNaN(value));
}

export interface Regression {
  readonly group: GroupName;
  readonly text: string;
  /** How many times what is let pass. */
  readonly excess: number;
}

/** The part of the processors' time that others may use while a figure is still believed. */
const BUSY = 0.2;
/** So many times what is let pass is no noise: ratios are taken in turns, and a busy machine slows both sides down. */
const BLATANT = 3;

/** Whether the guard fails. `busy`: the part of the processors' time that others use. */
export function isBelieved(found: readonly Regression[], busy: number): boolean {
  return found.some(({ excess }) => busy < BUSY || excess > BLATANT);
}

/**
 * What is beyond what the guard lets pass, by the best figures of all repeats: what noise can spoil least. Where
 * nothing was measured, nothing is judged.
 */
export function grossRegressions(samples: Samples): Regression[] {
  return rows.flatMap((row) => {
    const { group, text, unit, guard } = row;
    const taken = samples[group] ?? [];
    if (guard === undefined || taken.length === 0) return [];
    const value = row.value(best(taken));
    // No ratio to the best figures: the yardsticks are as noisy as that, or this system does not tell.
    if (Number.isNaN(value) || value <= guard) return [];
    const words = `${text}: ${number(value)} ${unit}, and at most ${number(guard)} is let pass`;
    return [{ group, text: words, excess: value / guard }];
  });
}

function best(samples: readonly Sample[]): Sample {
  const least: Record<string, number> = {};
  for (const sample of samples) {
    for (const [key, value] of Object.entries(sample)) least[key] = Math.min(value, least[key] ?? value);
  }
  return least;
}

const header = ['what', 'median', 'least – most', 'target', '', 'figures'];

function cells({ text, unit, value, target, mark, figures }: Told): string[] {
  const shown = Object.entries(figures).filter(([, figure]) => !Number.isNaN(figure));
  return [
    text,
    value === undefined ? '–' : `${number(value.median)} ${unit}`.trim(),
    value === undefined ? '' : `${number(value.min)} – ${number(value.max)} (${value.count})`,
    target === undefined ? '' : `≤ ${number(target)} ${unit}`.trim(),
    mark ?? '',
    shown.map(([name, figure]) => `${name} ${number(figure)}`).join(', '),
  ];
}

export function table(lines: readonly Told[]): string {
  const all = [header, ...lines.map(cells)];
  const widths = header.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

export function markdown(lines: readonly Told[]): string {
  const all = [header, header.map(() => '---'), ...lines.map(cells)];
  return all.map((line) => `| ${line.join(' | ')} |\n`).join('');
}

function number(value: number): string {
  return value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}
