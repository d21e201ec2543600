// Reads the words of the command line by the tables of commands and options. It checks words only: whether the
// directory exists or the command can be started shows later. yargs's own parser splits the words; all of yargs, which
// lays out help, would take longer to load than everything else at a start together.

import { Parser } from 'yargs/helpers';
import { allowed, checkTexts, checkValue, type Result } from '../config/check.js';
import type { CommandLineOptions } from '../config/config.js';
import { nearest } from '../config/nearest.js';
import { negatable, switchWords, takesValue, type OptionSpec } from '../config/option-spec.js';
import { camelCase } from '../config/option-values.js';
import { usageOf, type Command, type Operands } from './command.js';

/** The result: the command that the words ask for, with its options and operands. */
export interface Asked {
  readonly command: Command;
  readonly given: CommandLineOptions;
  readonly operands: readonly string[];
  /** The words of the options as they were typed. */
  readonly typed: readonly string[];
  /** The name of a command that the first word of the server's command may be a misspelling of. */
  readonly misspelt?: string;
  /** Options of the proxy that follow `--`, where the command takes some. */
  readonly proxyOptions: readonly string[];
}

type Parsed = Record<string, unknown> & { _: string[] };
type Options = readonly OptionSpec[];
type Commands = readonly Command[];

export function readCommandLine(argv: readonly string[], commands: Commands): Result<Asked> {
  const end = argv.indexOf('--');
  const before = end < 0 ? argv : argv.slice(0, end);
  const after = end < 0 ? undefined : argv.slice(end + 1);
  const words = joinSwitchWords(before, optionsOf(commands));
  const at = commandIndex(words, commands);
  const command = commandNamed(commands, at < 0 ? 'run' : words[at]);
  const { name, options, operands } = command;
  const own = at < 0 ? words : joinSwitchWords(words.toSpliced(at, 1), options);
  const takesServer = operands.kind === 'server';
  const parsed = parse(own, options, takesServer);
  const typed = takesServer ? own.slice(0, own.length - parsed._.length) : own;
  const dash = singleDash(typed, command);
  if (dash !== undefined) return { ok: false, error: dash };
  const asked = { given: {}, operands: [], typed, proxyOptions: [] };
  if (parsed['help'] === true)
    return { ok: true, value: { ...asked, command: commandNamed(commands, 'help'), operands: [name] } };
  if (parsed['version'] === true) return { ok: true, value: { ...asked, command: commandNamed(commands, 'version') } };

  const given: Record<string, unknown> = {};
  const wrong = unknownOption(parsed, command) ?? badSwitch(typed, options) ?? readOptions(parsed, options, given);
  if (wrong !== undefined) return { ok: false, error: wrong };
  if (!takesServer) {
    const isPassed = operands.kind === 'words' && operands.proxyOptions === true;
    const proxyOptions = isPassed ? (after ?? []) : [];
    const bad = wrongProxyOption(proxyOptions, commands);
    if (bad !== undefined) return { ok: false, error: bad };
    const operandWords = [...parsed._, ...(isPassed ? [] : (after ?? []))];
    const unfit =
      operands.kind === 'none' && after !== undefined ? '--' : unfitOperand(operandWords, operands, commands);
    if (unfit === undefined)
      return { ok: true, value: { command, given, operands: operandWords, typed, proxyOptions } };
    return { ok: false, error: operandError(unfit, command, commands) };
  }
  const misplaced = misplacedCommand(parsed, command, commands, typed, after !== undefined);
  if (misplaced !== undefined) return { ok: false, error: misplaced };
  const [program, ...args] = after ?? parsed._;
  const all: CommandLineOptions = program === undefined ? given : { ...given, command: program, args };
  const misspelt = at < 0 && after === undefined ? nearest(program ?? '', namesOf(commands)) : undefined;
  return { ok: true, value: { ...asked, command, given: all, ...(misspelt && { misspelt }) } };
}

/** Checks options that are only written into a file, so that an error is reported now. */
function wrongProxyOption(words: readonly string[], commands: Commands): string | undefined {
  if (words.length === 0) return undefined;
  const misplaced = (word: string) =>
    `unexpected ${JSON.stringify(word)} after --, where only options of mcp-hotline itself may stand`;
  if (words.includes('--')) return misplaced('--');
  const read = readCommandLine(['run', ...words], commands);
  if (!read.ok) return read.error;
  const { command, given } = read.value;
  if (command.name !== 'run') return misplaced(`--${command.name}`);
  return given.command === undefined ? undefined : misplaced(given.command);
}

/** The index of the word that names a command; -1 if there is none. Options may precede it. */
function commandIndex(words: readonly string[], commands: Commands): number {
  const isName = (word: string | undefined): boolean => commands.some(({ name }) => name === word);
  if (!words.some(isName)) return -1;
  const at = words.length - parse(words, optionsOf(commands), true)._.length;
  return isName(words[at]) ? at : -1;
}

/** The options of all commands. */
function optionsOf(commands: Commands): Options {
  const byName = new Map(commands.flatMap(({ options }) => options.map((spec) => [spec.name, spec] as const)));
  return [...byName.values()];
}

function commandNamed(commands: Commands, wanted: string | undefined): Command {
  const command = commands.find(({ name }) => name === wanted);
  if (command === undefined) throw new Error(`no command ${wanted}`);
  return command;
}

function namesOf(commands: Commands): string[] {
  return commands.map(({ name }) => name);
}

function optionNames(options: Options): string[] {
  const names = options.flatMap((spec) => (negatable(spec) ? [spec.name, `no-${spec.name}`] : [spec.name]));
  return [...names, 'help', 'version'];
}

/** The first word that is not allowed, or one too many. */
function unfitOperand(words: readonly string[], operands: Operands, commands: Commands): string | undefined {
  if (operands.kind !== 'words') return words[0];
  const choices = operands.choices?.(commands);
  return words.find((word, index) => choices?.includes(word) === false || index >= (operands.max ?? Infinity));
}

function operandError(word: string, command: Command, commands: Commands): string {
  const { name, operands } = command;
  const choices = operands.kind === 'words' ? operands.choices?.(commands) : undefined;
  if (operands.kind !== 'words' || choices === undefined || choices.includes(word))
    return `unexpected ${JSON.stringify(word)}, expected ${usageOf(command)}`;
  const meant = nearest(word, choices);
  const advice = meant === undefined ? `expected ${choices.join(', ')}` : `did you mean ${meant}?`;
  return `${name}: unknown ${operands.name} ${JSON.stringify(word)}; ${advice}`;
}

/**
 * `--agent-tools auto` becomes `--agent-tools=auto`. Any other word after such a switch is the server's command, and
 * what follows the command is not looked at.
 */
function joinSwitchWords(words: readonly string[], options: Options): readonly string[] {
  const switches = options.filter((spec) => switchWords(spec).length > 0);
  if (!switches.some(({ name }) => words.includes(`--${name}`))) return words;
  const at = words.length - parse(words, options, true)._.length;
  const [option, word] = [words[at - 1], words[at]];
  const spec = switches.find(({ name }) => option === `--${name}`);
  if (spec === undefined || word === undefined || !switchWords(spec).includes(word)) return words;
  return joinSwitchWords([...words.slice(0, at - 1), `${option}=${word}`, ...words.slice(at + 1)], options);
}

/** Everything stays text, so that the checks see what was typed. `halts`: stops at the first word of a command. */
function parse(words: readonly string[], options: Options, halts: boolean): Parsed {
  const texts = options.filter(takesValue).map(({ name }) => name);
  const bare = new Set(options.filter((spec) => switchWords(spec).length > 0).map(({ name }) => `--${name}`));
  const alias: Record<string, string[]> = { help: ['h'], version: ['v', 'V'] };
  for (const spec of options) if (spec.alias !== undefined) alias[spec.name] = [spec.alias];
  // With an empty value the parser does not take the next word for one.
  const ended = words.map((word) => (bare.has(word) ? `${word}=` : word));
  const parsed = Parser(ended, {
    string: texts,
    boolean: optionNames(options).filter((name) => !texts.includes(name)),
    alias,
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'halt-at-non-option': halts,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  }) as Parsed;
  // The words of the server's command as they were typed.
  return halts ? { ...parsed, _: words.slice(words.length - parsed._.length) } : parsed;
}

function unknownOption(parsed: Parsed, command: Command): string | undefined {
  const { options } = command;
  const known = new Set([...optionNames(options), ...options.map(({ alias }) => alias), 'h', 'v', 'V', '_']);
  const unknown = Object.keys(parsed).find((key) => !known.has(key));
  return unknown === undefined ? undefined : unknownName(`${unknown.length === 1 ? '-' : '--'}${unknown}`, command);
}

/** The parser would take `-watch` for -w -a -t -c and -h. */
function singleDash(typed: readonly string[], command: Command): string | undefined {
  const word = typed.find((one) => /^-[a-z]{2}/i.test(one));
  return word === undefined ? undefined : unknownName(word.replace(/=.*/, ''), command);
}

function unknownName(typed: string, { name, options, misplaced = {} }: Command): string {
  const bare = typed.replace(/^--(no-)?/, '');
  if (Object.hasOwn(misplaced, bare)) return `${typed}: ${misplaced[bare]}`;
  const meant = nearest(typed.replace(/^-+/, ''), optionNames(options));
  if (meant !== undefined) return `unknown option ${typed}; did you mean --${meant}?`;
  // Another command may have this option.
  if (name !== 'run') return `${name} has no option ${typed}; mcp-hotline ${name} --help lists those it has`;
  return `unknown option ${typed}; mcp-hotline --help lists them all`;
}

/** Finds the value of a switch that is not true or false: the parser takes any other word for false. */
function badSwitch(typed: readonly string[], options: Options): string | undefined {
  const valued = new Set(options.filter(takesValue).map(({ name }) => name));
  const switches = new Set(optionNames(options).filter((name) => !valued.has(name)));
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
  if (!takesValue(spec)) return checkValue(spec, values.at(-1));
  const texts = spec.type === 'list' ? values.map(String) : [String(values.at(-1))];
  if (!texts.includes('')) return checkTexts(spec, texts);
  if ('bare' in spec || spec.type === 'switch') return checkValue(spec, true);
  return { ok: false, error: `a value is missing, expected ${allowed(spec)}` };
}

/** Without `--`, the server's command is understood only where it is certain at which word it begins. */
function misplacedCommand(
  parsed: Parsed,
  command: Command,
  commands: Commands,
  typed: readonly string[],
  separated: boolean,
): string | undefined {
  const word = parsed._[0];
  if (word === undefined) return undefined;
  if (separated) {
    const meant = nearest(word, namesOf(commands));
    return `unexpected ${JSON.stringify(word)} before --; ${meant === undefined ? `expected ${usageOf(command)}` : `did you mean ${meant}?`}`;
  }
  const greedy = command.options.find(
    ({ name, ...spec }) => 'bare' in spec && typed.includes(`--${name}`) && parsed[name] !== '',
  );
  if (greedy === undefined) return undefined;
  return `--${greedy.name} leaves open where the server's command begins, expected ${usageOf(command)}`;
}
