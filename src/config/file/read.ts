// Finds the configuration file and reads it: the one that is named, else one of three candidates in the working
// directory. Directories above are not searched, because what runs must not depend on a file that nobody sees. Values
// are returned as they are written; resolve-paths.ts resolves the paths among them, config.ts decides which values take
// precedence.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Result } from '../check.js';
import type { Rule } from '../rule.js';
import type { Options } from '../option-values.js';
import { validate } from './validate.js';
import { membersOf, parseJsonc, positionAt, type Node, type Problem } from './jsonc.js';
import { fileShape } from './shape.js';

export interface FromFile {
  /** Absolute. */
  readonly path: string;
  readonly options: Options;
  readonly command: string | undefined;
  readonly args: readonly string[];
  /** To be added to the server's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly rules: readonly Rule[] | undefined;
  /** Key → its position as file:line:column. */
  readonly at: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

const manifest = 'package.json';
const key = 'mcp-hotline';
const names = ['mcp-hotline.config.jsonc', 'mcp-hotline.config.json', manifest];

/** Every file that is, or could become, the configuration file. */
export function configFileCandidates(cwd: string, named: string | undefined): string[] {
  return named === undefined ? names.map((name) => path.join(cwd, name)) : [path.resolve(cwd, named)];
}

/** Undefined if there is none. The error has a line for each problem. */
export function readConfigFile(cwd: string, named: string | undefined): Result<FromFile | undefined> {
  const candidates = configFileCandidates(cwd, named);
  const present = candidates.flatMap((file) => {
    const text = read(file);
    return text === undefined || (named === undefined && !isConfiguration(file, text)) ? [] : [{ file, text }];
  });
  const [first, ...others] = present;
  if (first === undefined) {
    if (named === undefined) return { ok: true, value: undefined };
    return { ok: false, error: `the configuration file ${candidates.join()} does not exist` };
  }
  const { file, text } = first;
  const shown = shownAs(file, cwd);
  if (!text.ok) return { ok: false, error: `${shown} can't be read: ${text.error}` };
  const warnings = others.map((other) => `${shownAs(other.file, cwd)} is not read, because there is ${shown}`);
  return parse(file, shown, text.value, warnings);
}

type Text = Result<string> | undefined;

function read(file: string): Text {
  try {
    // Reading a pipe would block.
    if (!statSync(file).isFile()) return { ok: false, error: 'it is not a file' };
    return { ok: true, value: readFileSync(file, 'utf8').replace(/^\uFEFF/, '') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { ok: false, error: message };
  }
}

/** A package.json counts only if it has our key. Any other problem in it is not reported here. */
function isConfiguration(file: string, text: Result<string>): boolean {
  if (path.basename(file) !== manifest) return true;
  if (!text.ok || !text.value.includes(`"${key}"`)) return false;
  // Usually our name is just a dependency in it, so first try without loading the parser.
  return hasKey(text.value) ?? ownPart(parseJsonc(text.value).root) !== undefined;
}

/** Undefined if the text is no plain JSON, so that the lenient parser has to decide. */
function hasKey(text: string): boolean | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null && Object.hasOwn(data, key);
  } catch {
    return undefined;
  }
}

function ownPart(root: Node | undefined): Node | undefined {
  if (root?.type !== 'object') return undefined;
  return membersOf(root).find(({ name }) => name === key)?.value;
}

function parse(file: string, shown: string, text: string, warnings: readonly string[]): Result<FromFile> {
  const at = (offset: number): string => {
    const { line, column } = positionAt(text, offset);
    return `${shown}:${line}:${column}`;
  };
  const fail = (problems: readonly Problem[]): Result<never> => ({
    ok: false,
    error: problems.map((problem) => `${at(problem.offset)}: ${problem.text}`).join('\n'),
  });

  const tree = parseJsonc(text);
  if (!tree.ok) return fail(tree.problems);
  const root = path.basename(file) === manifest ? ownPart(tree.root) : tree.root;
  if (root === undefined) return fail([{ offset: 0, text: `there is no key ${JSON.stringify(key)} in it` }]);
  const { value, problems } = validate(fileShape, root);
  if (problems.length > 0) return fail([...problems].sort((a, b) => a.offset - b.offset));

  const { $schema: _, command, args, env, rules, ...options } = value as Options & Data;
  return {
    ok: true,
    value: {
      path: file,
      options,
      command,
      args: args ?? [],
      env: env ?? {},
      rules: rules === undefined ? undefined : rulesOf(rules),
      at: Object.fromEntries(membersOf(root).map((member) => [member.name, at(member.key.offset)])),
      warnings,
    },
  };
}

interface Data {
  $schema?: string;
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  rules?: readonly RuleData[];
}

interface RuleData {
  name?: string;
  watch: readonly string[];
  build?: string | false;
  then?: Rule['then'];
  imports?: string;
  note?: boolean;
}

/** Each rule gets a unique name, because rules are identified by their names. */
function rulesOf(data: readonly RuleData[]): Rule[] {
  const taken = new Set<string>();
  return data.map(({ name, watch, build, then = 'restart', imports, note }, index) => {
    const wanted = name ?? `rule ${index + 1}`;
    let own = wanted;
    for (let count = 2; taken.has(own); count++) own = `${wanted} (${count})`;
    taken.add(own);
    // oxlint-disable-next-line unicorn/no-thenable -- the word of the configuration file
    const rule: Rule = { name: own, watch, then };
    return Object.assign(
      rule,
      typeof build === 'string' && { build },
      imports !== undefined && { imports },
      note === true && { note },
    );
  });
}

/** The path as a person in `cwd` would write it. */
function shownAs(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
