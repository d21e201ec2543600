// Reads `--env-file`: files of `NAME=value` lines for the server's environment. The syntax is the common part of dotenv
// and Node; nothing in a value is expanded. A file that is missing or can't be read is a warning, because it may be
// created later. Values reach the server only, and no log; server.ts decides which variables take precedence.

import { readFileSync } from 'node:fs';

export interface EnvFile {
  readonly variables: Readonly<Record<string, string>>;
  /** The numbers of lines that are no assignment, from 1. Never their text: it may be part of a secret. */
  readonly badLines: readonly number[];
}

export interface EnvFiles {
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** If several files set a variable, the last file counts. */
export function readEnvFiles(paths: readonly string[]): EnvFiles {
  const variables: Record<string, string> = {};
  const warnings: string[] = [];
  for (const path of paths) {
    const read = readText(path);
    if (typeof read !== 'string') {
      warnings.push(`the environment file ${path} ${read.problem}; the server starts without it until it is there`);
      continue;
    }
    const { variables: own, badLines } = parseEnvFile(read);
    Object.assign(variables, own);
    if (badLines.length > 0) {
      const lines = badLines.length === 1 ? 'line' : 'lines';
      warnings.push(`the environment file ${path} has no NAME=value in ${lines} ${badLines.join(', ')}: left out`);
    }
  }
  return { variables, warnings };
}

const NAME = /^(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/;
/** A value in quotes may go over several lines. Only double quotes have escapes. */
const QUOTED = /^(?:"((?:\\[^]|[^"\\])*)"|'([^']*)'|`([^`]*)`)[ \t]*(?:#.*)?(?:\n|$)/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

export function parseEnvFile(text: string): EnvFile {
  const variables: Record<string, string> = {};
  const badLines: number[] = [];
  let rest = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  for (let line = 1; rest !== '';) {
    const current = /^.*/.exec(rest)![0];
    const start = current.trimStart();
    const assignment = NAME.exec(start);
    let taken = `${current}\n`;
    if (assignment !== null) {
      const behind = rest.slice(current.length - start.length + assignment[0].length);
      const quoted = QUOTED.exec(behind);
      const [, double, single, backtick] = quoted ?? [];
      variables[assignment[1]!] = double === undefined ? (single ?? backtick ?? plainValue(behind)) : unescaped(double);
      if (quoted !== null) taken = rest.slice(0, rest.length - behind.length + quoted[0].length);
    } else if (start !== '' && !start.startsWith('#')) {
      badLines.push(line);
    }
    line += taken.split('\n').length - 1;
    rest = rest.slice(taken.length);
  }
  return { variables, badLines };
}

/** Also takes a value whose quotes are never closed, or are followed by more text. */
function plainValue(text: string): string {
  return /^[^#\n]*/.exec(text)![0].trim();
}

function unescaped(text: string): string {
  return text.replace(/\\([^])/g, (whole, letter: string) => ESCAPES[letter] ?? whole);
}

function readText(path: string): string | { problem: string } {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: 'does not exist' };
    return { problem: code === 'EISDIR' ? 'is a directory' : `can't be read (${message.replace(/, .*$/, '')})` };
  }
}
