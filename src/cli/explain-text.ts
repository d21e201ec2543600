// The text of `mcp-hotline explain` for people: sections with aligned columns, and the source of each value.
// explanation.ts finds out the facts.

import { DATA_ENDINGS, MAX_DATA_BYTES } from '../watch/data-files.js';
import type { Explanation } from './explanation.js';
import { shellLine } from './shell-line.js';

type Row = readonly [label: string, value: string, from?: string | undefined];

/** How many files are named; of the rest only the number is shown. */
const NAMED = 10;
const DATA = `.env, ${DATA_ENDINGS.join(', ')}: up to ${MAX_DATA_BYTES / 1_000_000} MB, no tests, no docs`;

export function explanationText(explanation: Explanation): string {
  const also = explanation.options.find(({ name }) => name === 'also-watch');
  const { command, commandFrom, cwd, configurationFile, found, rules, ignore, strategy, warnings } = explanation;
  const isOthers = explanation.upstream?.starts === false;
  const sections: [title: string, rows: Row[]][] = [
    [
      'Server',
      [
        ...(command.length === 0 ? [] : [['command', command.join(' '), commandFrom] as const]),
        ['directory', cwd],
        ...(configurationFile === null ? [] : [['configuration', configurationFile] as const]),
      ],
    ],
    ['Found from the command', found.map(({ what, value, from }) => [what, value, from])],
    ...rules.map((rule, index): [string, Row[]] => [`Rule ${rule.name}`, ruleRows(rule, also, rules.slice(0, index))]),
    ['Left out', ignore.map((glob) => ['ignore', glob])],
    ['Reload', isOthers ? [] : [['strategy', strategy.value, strategy.from]]],
    ['Upstream', explanation.upstream === null ? [] : upstreamRows(explanation.upstream)],
    ['HTTP', explanation.http === null ? [] : httpRows(explanation.http, explanation.upstream !== null)],
    ['Options that are not at their defaults', optionRows(explanation)],
    ['To run it like this from any directory', [['', shellLine(explanation.start)]]],
    ['Warnings', warnings.map((warning) => ['', warning])],
  ];
  const conclusion = isOthers
    ? 'nothing is watched or started: somebody else starts the server, and clients keep their session when that happens'
    : explanation.reload
      ? (explanation.why ?? [])
      : 'reloading is switched off: nothing is watched';
  return [...sections.flatMap(([title, rows]) => section(title, rows)), ...[conclusion].flat()].join('\n').trimEnd();
}

function ruleRows(
  rule: Explanation['rules'][number],
  also: Explanation['options'][number] | undefined,
  before: Explanation['rules'],
): Row[] {
  const { build, then, from, imports, files } = rule;
  const { watch, data, others: shared } = withoutThoseOf(before, rule);
  const more = new Set([also?.value].flat());
  const named = files.slice(0, NAMED);
  const others = files.length > named.length ? [`… and ${files.length - named.length} more`] : [];
  return [
    ...watch.map((path): Row => ['watch', path, more.has(path) ? also?.from : from]),
    ...shared.map((name): Row => ['', `and all of rule ${name}`]),
    ...data.map((path): Row => ['data', path, from]),
    ...(data.length > 0 ? [['', DATA] as const] : []),
    ...(imports === undefined ? [] : [['imports', imports, from] as const]),
    ['files', String(files.length)],
    ...[...named, ...others].map((path): Row => ['', path]),
    ['build', rule.buildCommand ?? build ?? 'none', decided(rule)],
    ['then', then],
  ];
}

/** Each pattern is shown once: a rule's own, and the rules before it that it contains. */
function withoutThoseOf(
  before: Explanation['rules'],
  { watch, data = [] }: Explanation['rules'][number],
): { watch: readonly string[]; data: readonly string[]; others: readonly string[] } {
  const contained = before.filter((other) => other.watch.every((path) => watch.includes(path)));
  const shown = new Set(contained.flatMap((other) => other.watch));
  const shownData = new Set(contained.flatMap((other) => other.data ?? []));
  return {
    watch: watch.filter((path) => !shown.has(path)),
    data: data.filter((path) => !shownData.has(path)),
    others: contained.map(({ name }) => name),
  };
}

function decided({ buildFrom, buildDecidedBy }: Explanation['rules'][number]): string | undefined {
  return buildDecidedBy === undefined ? buildFrom : `${buildFrom}; by ${buildDecidedBy}`;
}

function upstreamRows({ url, from, starts, freePort, portIn }: NonNullable<Explanation['upstream']>): Row[] {
  const words = portIn.length === 0 ? '' : `, and in the arguments (${portIn.join(' ')})`;
  const port = freePort
    ? `a free one at each start, as PORT in the environment${words}: the old server serves until the new one is ready`
    : starts
      ? 'fixed: the old server is stopped before the new one starts'
      : 'as the URL has it: somebody else starts the server';
  return [
    ['endpoint', url, from],
    ['port', port],
    ['sessions', 'one with the server for each client, also after it has been started again'],
  ];
}

function httpRows(
  { host, port, url, from, token, tokenFile, share }: NonNullable<Explanation['http']>,
  hasUpstream: boolean,
): Row[] {
  const where = url === null ? `any free port of ${host}` : `${url}${port === null ? ', or the next free port' : ''}`;
  const tokens = {
    none: 'none is needed: only this machine can connect',
    chosen: 'clients must send the one of --token (Authorization: Bearer …)',
    auto: `clients must send the one in ${tokenFile} (Authorization: Bearer …)`,
  };
  return [
    ['endpoint', where, from],
    ['token', tokens[token]],
    [
      'servers',
      hasUpstream
        ? 'one process for all clients'
        : share
          ? 'one process for all clients of one era'
          : 'one process for each session; one for all clients without sessions (2026-07-28)',
    ],
  ];
}

/** Shown with the rules already. */
const inRules = new Set(['watch', 'also-watch', 'build', 'ignore']);

function optionRows({ options, rules }: Explanation): Row[] {
  return options
    .filter(({ name }) => rules.length === 0 || !inRules.has(name))
    .filter(({ name, from }) => from !== 'default' && name !== 'strategy' && name !== 'upstream' && from !== 'found')
    .map(({ name, value, from }) => [`--${name}`, [value].flat().join(', '), from]);
}

function section(title: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    title,
    ...rows.map(([label, value, from], index) => {
      const shown = index > 0 && rows[index - 1]?.[0] === label ? '' : label;
      return `  ${shown.padEnd(width)}  ${value}${from === undefined ? '' : `  (${from})`}`;
    }),
    '',
  ];
}
