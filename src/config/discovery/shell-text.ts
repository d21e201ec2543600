// What a text runs that is meant for a shell: a script of a package, the word after `sh -c`. Commands in a row are understood,
// of which the last one is the server; anything else that takes a shell is not, and nothing is ever run.

import { resolve } from 'node:path';
import { splitCommand } from '../../process/split-command.js';
import { nothing, type Invocation, type Step } from './found.js';

/** `more` are words that are passed on to the command. */
export function readShellText(text: string, at: Invocation, more: readonly string[] = []): Step {
  const split = splitCommand(text);
  const commands = split.ok ? inRow(split.words) : undefined;
  if (commands === undefined) return nothing('it takes a shell to know what is run');
  let { cwd } = at;
  for (const [word, directory] of commands.slice(0, -1)) {
    if (word === 'cd' && directory !== undefined) cwd = resolve(cwd, directory);
  }
  return { ...at, words: [...(commands.at(-1) ?? []), ...more], cwd };
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
