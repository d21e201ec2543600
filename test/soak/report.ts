// The findings of a soak as text: one line while it runs, tables at its end. Counting is left to the others.

import type { Soak } from './run.js';
import type { Sample } from './samples.js';
import { faults } from './tally.js';
import type { Fault } from './tally.js';

type Row = readonly (string | number)[];

/** What went wrong, in all. */
export function faultsOf({ clients }: Soak): Partial<Record<Fault, number>> {
  const found = Object.keys(faults).map((name) => [
    name,
    sum(clients.map(({ tally }) => tally.faults.get(name as Fault) ?? 0)),
  ]);
  return Object.fromEntries(found.filter(([, count]) => count !== 0)) as Partial<Record<Fault, number>>;
}

export function storiesOf({ clients }: Soak): string[] {
  return clients.flatMap(({ plan, tally }) => tally.stories.map((story) => `${plan.name}: ${story}`));
}

export function progressLine(soak: Soak): string {
  const { clients, unrest } = soak;
  const found = Object.entries(faultsOf(soak)).map(([name, count]) => `${count} ${name}`);
  const memory = clients.map(({ samples }) => Math.round(samples.at(-1)?.memory ?? NaN)).join(' ');
  return [
    `${Math.round(soak.seconds)} s: ${total(soak, 'requests')} requests, ${answersOf(soak)} answers`,
    `${unrest.edits} edits, ${unrest.crashes} crashes, ${unrest.breaks} broken edits, ${events(soak, 'reloaded')} reloads`,
    `${memory} MiB`,
    found.length === 0 ? 'no fault' : found.join(', '),
  ].join('; ');
}

export function tables(soak: Soak, markdown: boolean): string {
  const show = (title: string, rows: readonly Row[]) => `${title}\n\n${table(rows, markdown)}`;
  return [
    show('Counts', counts(soak)),
    show('Answers by kind', answers(soak)),
    show('Warnings of the proxies', warnings(soak)),
    show(
      'Resident memory in MiB (least–most), by minute',
      byMinute(soak, ({ memory }) => Math.round(memory)),
    ),
    show(
      'Descriptors and inotify watches (most of each), by minute',
      minutes(soak).map((minute, at) =>
        at === 0 ? minute : [minute[0]!, ...inMinute(soak, at - 1).map((samples) => descriptors(samples))],
      ),
    ),
  ].join('\n\n');
}

export function asJson(soak: Soak): object {
  return {
    seconds: soak.seconds,
    unrest: soak.unrest,
    faults: faultsOf(soak),
    clients: soak.clients.map(({ plan, tally, samples, ...rest }) => ({
      name: plan.name,
      requests: tally.requests,
      cancelled: tally.cancelled,
      answers: Object.fromEntries(tally.answers),
      faults: Object.fromEntries(tally.faults),
      stories: tally.stories,
      progress: tally.progress,
      listChanged: tally.listChanged,
      waived: tally.waived,
      events: Object.fromEntries(rest.events),
      warnings: Object.fromEntries(rest.warnings),
      mostServers: rest.mostServers,
      samples,
    })),
  };
}

function counts(soak: Soak): Row[] {
  const { clients, unrest } = soak;
  const each = (title: string, count: (one: Soak['clients'][number]) => number): Row => {
    const values = clients.map(count);
    return [title, ...values, sum(values)];
  };
  const event = (title: string, name: string): Row => each(title, ({ events: seen }) => seen.get(name) ?? 0);
  return [
    ['', ...clients.map(({ plan }) => plan.name), 'all'],
    each('requests', ({ tally }) => tally.requests),
    each('answers', ({ tally }) => sum([...tally.answers.values()])),
    each('cancelled by the client', ({ tally }) => tally.cancelled),
    each('cancelled and not answered', ({ tally }) => tally.open.size),
    each('progress notifications', ({ tally }) => tally.progress),
    each('list_changed notifications', ({ tally }) => tally.listChanged),
    event('reloads', 'reloaded'),
    event('crashes seen', 'crashed'),
    event('failed reloads reported', 'failed'),
    each('most servers alive at a time', ({ mostServers }) => mostServers),
    each('stale answers after the proxy had said so', ({ tally }) => tally.waived),
    ['edits', ...clients.map(() => ''), unrest.edits],
    ['crashes caused', ...clients.map(() => ''), unrest.crashes],
    ['broken edits', ...clients.map(() => ''), unrest.breaks],
    ...Object.entries(faults).map(([name, text]) => each(text, ({ tally }) => tally.faults.get(name as Fault) ?? 0)),
  ];
}

function answers(soak: Soak): Row[] {
  return merged(soak, ({ tally }) => tally.answers);
}

function warnings(soak: Soak): Row[] {
  return merged(soak, (one) => one.warnings);
}

function merged({ clients }: Soak, of: (one: Soak['clients'][number]) => ReadonlyMap<string, number>): Row[] {
  const kinds = [...new Set(clients.flatMap((one) => [...of(one).keys()]))].sort();
  const rows = kinds.map((kind): Row => {
    const values = clients.map((one) => of(one).get(kind) ?? 0);
    return [kind, ...values, sum(values)];
  });
  return [['', ...clients.map(({ plan }) => plan.name), 'all'], ...rows];
}

function byMinute(soak: Soak, value: (one: Sample) => number): Row[] {
  return minutes(soak).map((row, at) =>
    at === 0
      ? row
      : [
          row[0]!,
          ...inMinute(soak, at - 1).map((samples) => {
            const values = samples.map(value);
            return `${Math.min(...values)}–${Math.max(...values)}`;
          }),
        ],
  );
}

/** The heading, and a row for each minute that has samples. */
function minutes({ clients }: Soak): Row[] {
  const last = Math.max(0, ...clients.flatMap(({ samples }) => samples.map(({ at }) => at)));
  const rows = Array.from({ length: Math.ceil(last / 60) }, (_, minute): Row => [`${minute + 1}`]);
  return [['minute', ...clients.map(({ plan }) => plan.name)], ...rows];
}

function inMinute({ clients }: Soak, minute: number): Sample[][] {
  return clients.map(({ samples }) => samples.filter(({ at }) => Math.floor(at / 60) === minute));
}

function descriptors(samples: readonly Sample[]): string {
  const most = (of: (one: Sample) => number) => Math.max(...samples.map(of));
  return `${most((one) => one.descriptors)}, ${most((one) => one.watches)}`;
}

function table(rows: readonly Row[], markdown: boolean): string {
  const cells = rows.map((row) => row.map(String));
  if (markdown) {
    const [head, ...rest] = cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    return [head, `|${'---|'.repeat(rows[0]!.length)}`, ...rest].join('\n');
  }
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  return cells
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
    .join('\n');
}

function events({ clients }: Soak, name: string): number {
  return sum(clients.map((one) => one.events.get(name) ?? 0));
}

function total({ clients }: Soak, what: 'requests'): number {
  return sum(clients.map(({ tally }) => tally[what]));
}

function answersOf({ clients }: Soak): number {
  return sum(clients.flatMap(({ tally }) => [...tally.answers.values()]));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
