// The one table of options. The command line, its help, the environment and the programmatic entry are derived from it,
// and so are the types of the values. It holds data only: check.ts judges values, config.ts decides what they mean.

import type { OptionSpec } from './option-spec.js';

type WithoutName<S> = S extends OptionSpec ? Omit<S, 'name'> : never;
type Unnamed = WithoutName<OptionSpec>;

const milliseconds = { type: 'number', unit: 'milliseconds', placeholder: '<ms>', min: 0, max: 86_400_000 } as const;

const table = {
  watch: {
    alias: 'w',
    group: 'Watching',
    type: 'list',
    placeholder: '<path or glob>',
    description: 'Reload when the content of these files changes, instead of what is found; repeatable',
    otherwise: 'found from the command',
  },
  'also-watch': {
    group: 'Watching',
    type: 'list',
    placeholder: '<path or glob>',
    description: 'Watch these too, besides what is found, named by --watch or in rules; repeatable',
  },
  ignore: {
    alias: 'i',
    group: 'Watching',
    type: 'list',
    placeholder: '<glob>',
    description: 'Do not watch these, besides .gitignore, node_modules, hidden and temporary files; repeatable',
  },
  ext: {
    alias: 'e',
    group: 'Watching',
    type: 'list',
    endings: true,
    placeholder: '<list>',
    description: 'Watch only files with these endings, as in ts,tsx,json',
  },
  debounce: {
    ...milliseconds,
    alias: 'd',
    group: 'Watching',
    max: 60_000,
    default: 100,
    description: 'Wait until the files have been quiet for so long',
  },
  poll: {
    ...milliseconds,
    group: 'Watching',
    placeholder: '[ms]',
    min: 10,
    max: 3_600_000,
    bare: 2000,
    description: 'Look at the files every so often instead of waiting for events; 2000 if no number is given',
    otherwise: 'off',
  },
  build: {
    group: 'Building',
    type: 'text',
    placeholder: '[script or command]',
    bare: 'build',
    description: 'Run this package.json script, or command, before a reload; the script "build" if none is named',
    otherwise: 'found from the command: the script "build", if what it makes is run',
    negated: 'Run no build',
  },
  'build-timeout': {
    ...milliseconds,
    group: 'Building',
    default: 120_000,
    description: 'End a build that takes longer; 0: no limit',
  },
  reload: {
    group: 'Reloading',
    type: 'switch',
    default: true,
    description: 'Reload when a watched file changes',
    negated: 'A plain pass-through: nothing is watched and nothing patched',
  },
  strategy: {
    group: 'Reloading',
    type: 'choice',
    choices: ['overlap', 'replace'],
    default: 'overlap',
    description: 'Start the new server beside the old one, or stop the old one first; replace for a debugged server',
  },
  'while-reloading': {
    group: 'Reloading',
    type: 'choice',
    choices: ['hold', 'serve'],
    default: 'hold',
    description: 'Hold requests until the new server is there, or let the old one serve them until then',
  },
  'on-failure': {
    group: 'Reloading',
    type: 'choice',
    choices: ['report', 'serve'],
    default: 'report',
    description: 'After a failed reload, answer tool calls with the failure, or let the old server serve them',
  },
  retry: {
    group: 'Reloading',
    type: 'choice',
    choices: ['safe', 'never'],
    default: 'safe',
    description: 'Send an interrupted request again if that is safe, or never',
  },
  notify: {
    group: 'Reloading',
    type: 'choice',
    choices: ['changed', 'always', 'never'],
    default: 'changed',
    description: 'After a reload, send list_changed for the lists that differ, for all, or for none',
  },
  signal: {
    group: 'Reloading',
    type: 'signal',
    placeholder: '<name>',
    default: 'SIGTERM',
    description: 'How a replaced server is asked to stop',
  },
  'restart-delay': {
    ...milliseconds,
    group: 'Reloading',
    max: 600_000,
    default: 0,
    description: 'Pause between stop and start, where the strategy is replace',
  },
  drain: {
    ...milliseconds,
    group: 'Limits',
    default: 10_000,
    description: 'How long a replaced server may finish what it was asked; 0: no limit',
  },
  hold: {
    ...milliseconds,
    group: 'Limits',
    default: 50_000,
    description: 'How long a request may wait for a reload; 0: no limit',
  },
  'start-timeout': {
    ...milliseconds,
    group: 'Limits',
    default: 20_000,
    description:
      'How long a new server may take for its handshake after its last sign of life (a line on stderr; on Linux also processor time), and at most three times that; 0: no limit',
  },
  'stop-timeout': {
    ...milliseconds,
    group: 'Limits',
    default: 2000,
    description:
      'How long a replaced server may take to exit after its stdin has ended before it is signalled, and then before it is killed; 0: signalled after 2 s, never killed',
  },
  concurrency: {
    group: 'Limits',
    type: 'number',
    placeholder: '<n>',
    min: 1,
    max: 1_000_000,
    description: 'At most so many tool calls with the server at a time; the rest wait in order',
    otherwise: 'no limit',
  },
  'max-message': {
    group: 'Limits',
    type: 'number',
    unit: 'MiB',
    placeholder: '<MiB>',
    min: 1,
    max: 2048,
    default: 128,
    description: 'The longest message that is accepted',
  },
  'agent-tools': {
    group: 'Agent',
    type: 'switch',
    modes: ['auto'],
    default: false,
    description:
      'Add tools by which an agent can restart and inspect the server; auto: only those that list and call its tools, and only for clients known not to notice new tools',
  },
  reap: {
    group: 'General',
    type: 'switch',
    default: false,
    description: 'End processes too that a server has put into sessions of their own; not on Windows',
  },
  'log-level': {
    group: 'Logging',
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'The least important lines to log',
  },
  'log-format': {
    group: 'Logging',
    type: 'choice',
    choices: ['text', 'json'],
    default: 'text',
    description: 'One line of text, or one JSON object a line',
  },
  'log-file': {
    group: 'Logging',
    type: 'text',
    placeholder: '<file>',
    description: 'Append the log to this file',
    otherwise: 'stderr',
  },
  'env-file': {
    group: 'General',
    type: 'list',
    placeholder: '<file>',
    description:
      "Add the NAME=value lines of this file to the server's environment, where that lacks them; an edit restarts the server; repeatable",
  },
  cwd: {
    group: 'General',
    type: 'text',
    placeholder: '<dir>',
    description: 'Work in this directory; all other paths are relative to it',
    otherwise: 'the current one',
  },
  'state-dir': {
    group: 'General',
    type: 'text',
    placeholder: '<dir>',
    description: 'Where to keep what must outlive a session; builds are noted down for the project, not here',
    otherwise: "a folder for this project and command in the user's state directory",
  },
  config: {
    group: 'General',
    type: 'text',
    placeholder: '<file>',
    description: 'Read this configuration file',
    otherwise: 'mcp-hotline.config.jsonc, mcp-hotline.config.json or the key "mcp-hotline" in package.json',
  },
} as const satisfies Record<string, Unnamed>;

type Table = typeof table;
type CamelCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;
type ValueOf<S> = S extends { type: 'list' }
  ? readonly string[]
  : S extends { type: 'number' }
    ? number | (S extends { bare: number } ? boolean : never)
    : S extends { type: 'text' }
      ? string | (S extends { bare: string } ? boolean : never)
      : S extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : S extends { type: 'signal' }
          ? NodeJS.Signals
          : boolean | (S extends { modes: readonly (infer M)[] } ? M | 'on' | 'off' : never);

/**
 * Every option by its name in camel case. `true` is the bare option (`--poll`), `false` the negated one (`--no-build`).
 */
export type Options = { -readonly [N in keyof Table as CamelCase<N>]?: ValueOf<Table[N]> };
type Defaulted = { [N in keyof Table]: Table[N] extends { default: unknown } ? N : never }[keyof Table];
type Defaults = { readonly [N in Defaulted as CamelCase<N>]: ValueOf<Table[N]> };

export const options: readonly OptionSpec[] = Object.entries<Unnamed>(table).map(([name, row]) =>
  Object.assign({ name }, row),
);

export function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

export const defaults = Object.fromEntries(
  options.flatMap((spec) => ('default' in spec ? [[camelCase(spec.name), spec.default]] : [])),
) as Defaults;
