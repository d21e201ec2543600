// A text for a shell: a script of a package, the word after `sh -c`. A sequence of commands is understood: the last one
// is the server, the others are recorded. Anything else that needs a shell is not understood, and nothing is ever run.

import { resolve } from 'node:path';
import { splitCommand } from '../../process/split-command.js';
import { nothing, type Invocation, type Ran, type Search, type ResolveStep } from './discovery.js';

/** `more` are words that are passed on to the command. */
export function readShellText(text: string, at: Invocation, search: Search, more: readonly string[] = []): ResolveStep {
  const row = rowOf(text, at.cwd);
  if (row === undefined) return nothing('only a shell can tell what this command runs');
  search.before.push(...row.slice(0, -1));
  const { words = [], cwd = at.cwd } = row.at(-1) ?? {};
  return { ...at, words: [...words, ...more], cwd };
}

/** The commands of a text, each with its directory; undefined if it takes a shell to know them. */
export function rowOf(text: string, from: string): Ran[] | undefined {
  const split = splitCommand(text);
  const commands = split.ok ? inRow(split.words) : undefined;
  if (commands === undefined) return undefined;
  const row: Ran[] = [];
  let cwd = from;
  for (const words of commands) {
    if (words[0] === 'cd' && words[1] !== undefined) cwd = resolve(cwd, words[1]);
    else row.push({ words, cwd });
  }
  return row;
}

const others = new Set(['||', '|', '&', '|&', '(', ')', '{', '}', 'if', 'for', 'while', 'case']);

/** The commands between `&&` and `;`; undefined if there is more to it. */
function inRow(words: readonly string[]): string[][] | undefined {
  const commands: string[][] = [[]];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (others.has(word)) return undefined;
    if (/^\d*[<>]/.test(word)) {
      if (/[<>&]$/.test(word)) at++; // the file is a word of its own
    } else if (word === '&&' || word === ';') {
      commands.push([]);
    } else {
      commands.at(-1)!.push(word.replace(/;$/, ''));
      if (word.endsWith(';')) commands.push([]);
    }
  }
  return commands.filter((command) => command.length > 0);
}
