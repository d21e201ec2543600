// The commands of the program: their names, what they are for, how they are typed, and which options they take. What
// each of them does is in the file of its name.

import type { OptionSpec } from '../config/option-spec.js';
import { options } from '../config/options.js';
import { smokeOptions } from '../smoke/options.js';
import { explainOptions } from './explain-options.js';
import { logOptions, statusOptions } from './report-options.js';

export interface Command {
  readonly name: 'run' | 'explain' | 'status' | 'log' | 'smoke' | 'completion';
  readonly summary: string;
  /** What follows the name. */
  readonly form: string;
  readonly options: readonly OptionSpec[];
}

const server = '[options] -- <command> [args…]';
export const shells = ['bash', 'zsh', 'fish'] as const;

export const commands: readonly Command[] = [
  { name: 'run', summary: 'Run a server behind the proxy; the word may be left out', form: server, options },
  {
    name: 'explain',
    summary: 'Show what would be watched and built for a server, and why',
    form: server,
    options: explainOptions.all,
  },
  {
    name: 'status',
    summary: 'Show the proxies that run for this directory, and their last reload and failure',
    form: '[--json]',
    options: statusOptions,
  },
  {
    name: 'log',
    summary: 'Show what happened to the servers of this directory',
    form: '[-f] [--json]',
    options: logOptions,
  },
  {
    name: 'smoke',
    summary: 'Check a server in CI: handshake, lists, schemas, calls, reload, exit',
    form: server,
    options: smokeOptions.all,
  },
  {
    name: 'completion',
    summary: 'Print a completion script for your shell',
    form: `[${shells.join('|')}]`,
    options: [],
  },
];
