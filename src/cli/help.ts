// Makes the text of --help from what a command says about itself; yargs lays out its options. commands/help.ts prints
// it.

import yargs, { type Argv } from 'yargs';
import { groups, switchWords, takesValue, type OptionSpec } from '../config/option-spec.js';
import type { Command } from './command.js';

type Page = Argv;

/** The page of the command of this name; that of `run` is the one of the program, and lists all commands. */
export async function helpText(width: number, name: string, commands: readonly Command[]): Promise<string> {
  const command = commands.find((known) => known.name === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  const { form, about, options, ownOptions = options, examples, epilogue } = command;
  const isProgram = name === 'run';
  const page = emptyPage(width).usage(`$0 ${isProgram ? '[run]' : name} ${form}`.trimEnd() + `\n\n${about}`);
  if (isProgram) for (const each of commands) page.command(each.name, each.summary);
  addOptions(page, ownOptions);
  if (isProgram) page.option('version', { alias: 'v', group: 'General', describe: 'Show the version' });
  const parts = [await page.getHelp(), examplesText(examples)];
  if (epilogue !== undefined) parts.push(wrapped(epilogue, width));
  return parts.join('\n\n');
}

/** A line is never broken: it can be copied as it is. yargs would put it into a column, and break it there. */
function examplesText(examples: Command['examples']): string {
  return ['Examples:', ...examples.map(([line, what]) => `  ${what}:\n    ${line}`)].join('\n');
}

function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

function emptyPage(width: number): Page {
  return yargs([], '/')
    .scriptName('mcp-hotline')
    .locale('en')
    .help(false)
    .version(false)
    .exitProcess(false)
    .wrap(width);
}

function addOptions(page: Page, rows: readonly OptionSpec[]): void {
  for (const group of groups) {
    for (const spec of rows.filter((option) => option.group === group)) {
      const { name, alias, negated } = spec;
      const usual = spec.type === 'switch' && spec.default; // nobody needs to ask for what is on
      if (!usual) page.option(shown(spec), { ...(alias ? { alias } : {}), group, describe: description(spec) });
      if (negated !== undefined) page.option(`no-${name}`, { group, describe: negated });
    }
  }
  page.option('help', { alias: 'h', group: 'General', describe: 'Show this' });
}

/** The option as it is typed, with what stands for its value. */
function shown(spec: OptionSpec): string {
  if (!takesValue(spec)) return spec.name;
  if (spec.type === 'switch') return `${spec.name} [${switchWords(spec).join('|')}]`;
  const value = spec.type === 'choice' ? `<${spec.choices.join('|')}>` : (spec.placeholder ?? '<text>');
  return `${spec.name} ${value}`;
}

function description(spec: OptionSpec): string {
  const usual = spec.type === 'switch' ? undefined : 'default' in spec ? String(spec.default) : spec.otherwise;
  return usual === undefined ? spec.description : `${spec.description} (default: ${usual})`;
}
