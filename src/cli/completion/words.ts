// The words that can be typed on the command line of each command, from the tables of commands and options, for all
// shells. The files beside this one write them for their shell.

import { negatable, switchWords, takesValue, type OptionSpec } from '../../config/option-spec.js';
import type { Command } from '../command.js';

/** One thing that can be typed: an option or its negation. */
export interface Word {
  readonly name: string;
  readonly alias: string | undefined;
  readonly description: string;
  readonly value: Value;
  readonly repeatable: boolean;
}

/** What follows an option: nothing, an optional value, a path, a directory, one of a few words, or any value. */
export type Value =
  | { readonly kind: 'none' | 'optional' | 'file' | 'directory' | 'any' }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly optional?: true };

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL'];

export function wordsOf({ options }: Command): Word[] {
  const general: Word[] = [
    { name: 'help', alias: 'h', description: 'Show help', value: { kind: 'none' }, repeatable: false },
    { name: 'version', alias: 'v', description: 'Show the version', value: { kind: 'none' }, repeatable: false },
  ];
  const given = options.flatMap((spec) => {
    const usual = spec.type === 'switch' && spec.default; // as in the help: nobody asks for what is on
    const { name, alias, description } = spec;
    const positive = { name, alias, description, value: valueOf(spec), repeatable: spec.type === 'list' };
    const negated: Word = {
      ...positive,
      name: `no-${name}`,
      alias: undefined,
      description: spec.negated ?? `Switch --${name} off`,
      value: { kind: 'none' },
    };
    return [...(usual ? [] : [positive]), ...(negatable(spec) && (usual || 'bare' in spec) ? [negated] : [])];
  });
  return [...given, ...general];
}

/** The words that the command takes besides options. */
export function choicesOf({ operands }: Command, commands: readonly Command[]): readonly string[] {
  return operands.kind === 'words' ? (operands.choices?.(commands) ?? []) : [];
}

/** The options that are followed by a value, as they are typed: the word after one of them is no command. */
export function valuedOptions(commands: readonly Command[]): string[] {
  const typed = commands
    .flatMap(wordsOf)
    .filter(({ value }) => value.kind !== 'none')
    .flatMap(({ name, alias }) => (alias === undefined ? [`--${name}`] : [`--${name}`, `-${alias}`]));
  return [...new Set(typed)];
}

/** The names of the commands, and of those that are followed by the command of a server. */
export function commandNames(commands: readonly Command[]): { all: string[]; ofServers: string[] } {
  const ofServers = commands.filter(({ operands }) => operands.kind === 'server');
  return { all: commands.map(({ name }) => name), ofServers: ofServers.map(({ name }) => name) };
}

function valueOf(spec: OptionSpec): Value {
  if (!takesValue(spec)) return { kind: 'none' };
  if (spec.type === 'switch') return { kind: 'choice', choices: switchWords(spec), optional: true };
  if (spec.type === 'choice') return { kind: 'choice', choices: spec.choices };
  if (spec.type === 'signal') return { kind: 'choice', choices: signals };
  const { placeholder = '' } = spec;
  if (/\bdir\b/.test(placeholder)) return { kind: 'directory' };
  if (/\b(file|path|glob)\b/.test(placeholder)) return { kind: 'file' };
  return { kind: 'bare' in spec ? 'optional' : 'any' };
}

/** For a shell's single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
