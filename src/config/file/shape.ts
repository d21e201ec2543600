// The shape of the configuration file as data: which keys there are and which values are allowed. The options' keys
// come from the table of options. The validator (validate.ts) and the JSON schema (schema.ts) both read this shape, so
// that they agree.

import type { OptionSpec } from '../option-spec.js';
import { camelCase } from '../option-values.js';
import { options } from '../options.js';

export type Shape =
  | { readonly kind: 'option'; readonly spec: OptionSpec }
  | { readonly kind: 'text'; readonly pattern: string; readonly expected: string }
  | { readonly kind: 'then' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'list'; readonly of: Shape; readonly least: number; readonly expected: string }
  | { readonly kind: 'record'; readonly names: string; readonly of: Shape; readonly expected: string }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: 'object';
  readonly keys: Readonly<Record<string, { readonly shape: Shape; readonly description: string }>>;
  readonly required: readonly string[];
  /** The first key has no meaning without the second. */
  readonly needs: readonly (readonly [string, string])[];
  /** The two keys contradict each other. */
  readonly apart: readonly (readonly [string, string])[];
}

/**
 * Regular expressions in their `u` form. A zero byte can't be part of a path, an argument or a variable on any system.
 */
const patterns = {
  any: '^[^\\u0000]*$',
  some: '^[^\\u0000]+$',
  variable: '^[^=\\u0000]+$',
  imports: '^[^.\\u0000]+(\\.[^.\\u0000]+)*$',
};

/** The values of `then` besides signals. */
export const actions = ['restart', 'continue', 'notify'] as const;

/** The signals that a rule may send: every POSIX system has them, and a program can handle them. */
export const reloadSignals: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGTERM',
  'SIGCONT',
  'SIGTSTP',
  'SIGURG',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
];

const text = (expected: string, pattern = patterns.some): Shape => ({ kind: 'text', pattern, expected });

const rule: ObjectShape = {
  kind: 'object',
  keys: {
    name: { shape: text('a name'), description: 'What the log calls this rule.' },
    watch: {
      shape: {
        kind: 'list',
        of: text('a path or glob'),
        least: 1,
        expected: 'a list of paths or globs, as in ["src"]',
      },
      description: 'The files of this rule: files, directories and globs, relative to this file.',
    },
    build: {
      shape: option('build'),
      description: 'The package.json script, or the command, to run when a file of this rule has changed.',
    },
    then: {
      shape: { kind: 'then' },
      description:
        'What follows: restart the server (default); send it this signal, for one that re-reads its configuration (not on Windows); continue: nothing more than the build; notify: the server reloads itself, tell the client what changed.',
    },
    imports: {
      shape: text('keys separated by dots, * for any, as in import.*.path', patterns.imports),
      description:
        'Where a watched YAML or JSON file names further files to watch, relative to itself: keys separated by dots, * for any key or index.',
    },
    note: {
      shape: { kind: 'switch' },
      description: 'Whether the first tool result after a build of this rule gets a text block that says so.',
    },
  },
  required: ['watch'],
  needs: [['note', 'build']],
  apart: [],
};

/** The whole configuration file. */
export const fileShape: ObjectShape = {
  kind: 'object',
  keys: {
    $schema: { shape: text('the address of a schema', patterns.any), description: 'For editors; has no other effect.' },
    command: {
      shape: text('the name or path of a program'),
      description:
        "The server's program, unless the command line or the environment names one. It is run in cwd, which is this file's directory if not given.",
    },
    args: {
      shape: {
        kind: 'list',
        of: text('a string', patterns.any),
        least: 0,
        expected: 'a list of strings, as in ["server.js"]',
      },
      description: "The server's arguments, each one as it is.",
    },
    env: {
      shape: {
        kind: 'record',
        names: patterns.variable,
        of: text('a string', patterns.any),
        expected: 'an object of strings, as in {"NODE_ENV": "development"}',
      },
      description: "Added to the server's environment.",
    },
    rules: {
      shape: { kind: 'list', of: rule, least: 1, expected: 'a list of rules, as in [{"watch": ["src"]}]' },
      description: 'Sets of watched files, how to build each, and what to do then; checked in order.',
    },
    ...Object.fromEntries(
      options
        .filter(({ becomes }) => becomes !== 'nothing')
        .map(({ name, description }) => [camelCase(name), { shape: option(name), description: `${description}.` }]),
    ),
  },
  required: [],
  needs: [['args', 'command']],
  apart: [
    ['watch', 'rules'],
    ['build', 'rules'],
  ],
};

function option(name: string): Shape {
  const spec = options.find((one) => one.name === name);
  if (spec === undefined) throw new Error(`no option ${name}`);
  return { kind: 'option', spec };
}
