// The words of `mcp-hotline explain`, for people: sections with aligned columns, and behind each value where it comes from. It
// only lays out what explanation.ts has found out.

import type { Explanation } from './explanation.js';

type Row = readonly [label: string, value: string, from?: string | undefined];

/** So many files are named; the number tells of the rest. */
const NAMED = 10;

export function explanationText(explanation: Explanation): string {
  const { command, commandFrom, cwd, configurationFile, found, rules, ignore, strategy, warnings } = explanation;
  const sections: [title: string, rows: Row[]][] = [
    [
      'Server',
      [
        ['command', command.join(' '), commandFrom],
        ['directory', cwd],
        ...(configurationFile === null ? [] : [['configuration', configurationFile] as const]),
      ],
    ],
    ['Found from the command', found.map(({ what, value, from }) => [what, value, from])],
    ...rules.map((rule): [string, Row[]] => [`Rule ${rule.name}`, ruleRows(rule)]),
    ['Left out', ignore.map((glob) => ['ignore', glob])],
    ['Reload', [['strategy', strategy.value, strategy.from]]],
    ['Options that are not at their defaults', optionRows(explanation)],
    ['Warnings', warnings.map((warning) => ['', warning])],
  ];
  const conclusion = explanation.reload ? (explanation.why ?? []) : 'reloading is switched off: nothing is watched';
  return [...sections.flatMap(([title, rows]) => section(title, rows)), ...[conclusion].flat()].join('\n').trimEnd();
}

function ruleRows({ watch, build, then, from, buildFrom, imports, files }: Explanation['rules'][number]): Row[] {
  const named = files.slice(0, NAMED);
  const more = files.length > named.length ? [`… and ${files.length - named.length} more`] : [];
  return [
    ...watch.map((path): Row => ['watch', path, from]),
    ...(imports === undefined ? [] : [['imports', imports, from] as const]),
    ['files', String(files.length)],
    ...[...named, ...more].map((path): Row => ['', path]),
    ['build', build ?? 'none', buildFrom],
    ['then', then],
  ];
}

function optionRows({ options }: Explanation): Row[] {
  return options
    .filter(({ name, from }) => from !== 'default' && name !== 'strategy' && from !== 'found')
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
