// Reads the words of the command line, by the table of options, into what was asked for. It judges words only: whether
// the directory exists or the command can be started is found out by those who need it. The words are cut by yargs's own
// parser; all of yargs, which lays out help, would take longer to load than everything else at a start together.

import { Parser } from 'yargs/helpers';
import { allowed, checkTexts, checkValue } from '../config/check.js';
import type { Given } from '../config/config.js';
import { nearest } from '../config/nearest.js';
import { negatable, type OptionSpec } from '../config/option-spec.js';
import { camelCase } from '../config/options.js';
import { commands, shells, type Command } from './commands.js';

export type CommandLine =
  | { ask: 'run' | 'explain' | 'status' | 'log'; given: Given }
  | { ask: 'smoke'; given: Given; words: readonly string[] }
  | { ask: 'completion'; shell: (typeof shells)[number] | undefined }
  | { ask: 'help'; of?: Command['name'] }
  | { ask: 'version' }
  | { ask: 'nothing'; error: string };

type Parsed = Record<string, unknown> & { _: string[] };
type Options = readonly OptionSpec[];

const run = commandNamed('run') as Command;

export function readCommandLine(argv: readonly string[]): CommandLine {
  const end = argv.indexOf('--');
  const before = end < 0 ? argv : argv.slice(0, end);
  const named = commandNamed(before[0]);
  const { name, options } = named ?? run;
  const own = named === undefined ? before : before.slice(1);
  const parsed = parse(own, options);
  const typed = own.slice(0, own.length - parsed._.length);
  const dash = singleDash(typed, options);
  if (dash !== undefined) return { ask: 'nothing', error: dash };
  if (parsed['help'] === true) return name === 'run' ? { ask: 'help' } : { ask: 'help', of: name };
  if (parsed['version'] === true) return { ask: 'version' };

  const given: Record<string, unknown> = {};
  const wrong = unknownOption(parsed, options) ?? badSwitch(typed, options) ?? readOptions(parsed, options, given);
  if (wrong !== undefined) return { ask: 'nothing', error: wrong };
  if (name === 'completion') return readShell(parsed._);
  if (name === 'status' || name === 'log') {
    const [word] = end < 0 ? parsed._ : ['--'];
    if (word === undefined) return { ask: name, given };
    return { ask: 'nothing', error: `unexpected ${JSON.stringify(word)}, expected ${formOf(name)}` };
  }
  const misplaced = misplacedCommand(parsed, options, typed, end >= 0, formOf(name));
  if (misplaced !== undefined) return { ask: 'nothing', error: misplaced };
  const [command, ...args] = end < 0 ? parsed._ : argv.slice(end + 1);
  const all: Given = command === undefined ? given : { ...given, command, args };
  return name === 'smoke' ? { ask: name, given: all, words: typed } : { ask: name, given: all };
}

function commandNamed(word: string | undefined): Command | undefined {
  return commands.find(({ name }) => name === word);
}

function formOf(name: Command['name']): string {
  return `mcp-hotline ${name === 'run' ? '' : `${name} `}${commandNamed(name)?.form}`;
}

function namesOf(options: Options): string[] {
  const names = options.flatMap((spec) => (negatable(spec) ? [spec.name, `no-${spec.name}`] : [spec.name]));
  return [...names, 'help', 'version'];
}

function readShell(words: readonly string[]): CommandLine {
  const shell = shells.find((known) => known === words[0]);
  if (words.length > 1 || (shell === undefined && words.length > 0)) {
    const error = `completion: unknown shell ${JSON.stringify(words.join(' '))}, expected ${shells.join(', ')}`;
    return { ask: 'nothing', error };
  }
  return { ask: 'completion', shell };
}

/** Everything stays text, so that the checks see what was typed, and parsing stops at the first word of a command. */
function parse(words: readonly string[], options: Options): Parsed {
  const texts = options.filter(({ type }) => type !== 'switch').map(({ name }) => name);
  const alias: Record<string, string> = { help: 'h' };
  for (const spec of options) if (spec.alias !== undefined) alias[spec.name] = spec.alias;
  return Parser([...words], {
    string: texts,
    boolean: namesOf(options).filter((name) => !texts.includes(name)),
    alias,
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'halt-at-non-option': true,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  }) as Parsed;
}

function unknownOption(parsed: Parsed, options: Options): string | undefined {
  const known = new Set([...namesOf(options), ...options.map(({ alias }) => alias), 'h', '_']);
  const unknown = Object.keys(parsed).find((key) => !known.has(key));
  return unknown === undefined ? undefined : unknownName(`${unknown.length === 1 ? '-' : '--'}${unknown}`, options);
}

/** `-watch` would be taken for -w -a -t -c and, of all things, -h. */
function singleDash(typed: readonly string[], options: Options): string | undefined {
  const word = typed.find((one) => /^-[a-z]{2}/i.test(one));
  return word === undefined ? undefined : unknownName(word.replace(/=.*/, ''), options);
}

function unknownName(typed: string, options: Options): string {
  const meant = nearest(typed.replace(/^-+/, ''), namesOf(options));
  return `unknown option ${typed}; ${meant === undefined ? 'mcp-hotline --help lists them all' : `did you mean --${meant}?`}`;
}

/** The parser takes every word but "true" for false. */
function badSwitch(typed: readonly string[], options: Options): string | undefined {
  const valued = new Set(options.filter(({ type }) => type !== 'switch').map(({ name }) => name));
  const switches = new Set(namesOf(options).filter((name) => !valued.has(name)));
  for (const word of typed) {
    const [, name = '', value = ''] = /^--([^=]+)=([^]*)$/.exec(word) ?? [];
    if (!switches.has(name) || value === 'true' || value === 'false') continue;
    return `--${name}: ${JSON.stringify(value)} is not allowed, expected true or false`;
  }
  return undefined;
}

/** Fills `given`, or says what is wrong. */
function readOptions(parsed: Parsed, options: Options, given: Record<string, unknown>): string | undefined {
  for (const spec of options) {
    const { name } = spec;
    const negated = parsed[`no-${name}`] === true;
    if (parsed[name] === undefined && !negated) continue;
    if (parsed[name] !== undefined && negated) return `--${name} and --no-${name} exclude each other, give one of them`;
    const result = negated ? checkValue(spec, false) : checkGiven(spec, parsed[name]);
    if (!result.ok) return `--${name}: ${result.error}`;
    given[camelCase(name)] = result.value;
  }
  return undefined;
}

function checkGiven(spec: OptionSpec, value: unknown): ReturnType<typeof checkTexts> {
  const values = [value].flat();
  if (spec.type === 'switch') return checkValue(spec, values.at(-1));
  const texts = values.map(String);
  if (!texts.includes('')) return checkTexts(spec, texts);
  if ('bare' in spec) return checkValue(spec, true);
  return { ok: false, error: `a value is missing, expected ${allowed(spec)}` };
}

/** `mcp-hotline node server.js` is understood as long as it can mean but one thing. */
function misplacedCommand(
  parsed: Parsed,
  options: Options,
  typed: readonly string[],
  separated: boolean,
  form: string,
): string | undefined {
  const word = parsed._[0];
  if (word === undefined) return undefined;
  if (separated) {
    const meant = nearest(
      word,
      commands.map(({ name }) => name),
    );
    return `unexpected ${JSON.stringify(word)} before --; ${meant === undefined ? `expected ${form}` : `did you mean ${meant}?`}`;
  }
  const greedy = options.find(
    ({ name, ...spec }) => 'bare' in spec && typed.includes(`--${name}`) && parsed[name] !== '',
  );
  if (greedy === undefined) return undefined;
  return `--${greedy.name} leaves open where the server's command begins, expected ${form}`;
}
