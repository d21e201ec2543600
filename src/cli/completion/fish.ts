// The completion script for fish: one line an option.

import type { Command } from '../command.js';
import { choicesOf, quoted, wordsOf, type Value } from './words.js';

export function fish(commands: readonly Command[]): string {
  const line = (condition: string, ...words: string[]): string =>
    ['complete -c mcp-hotline', `-n '__mcp_hotline_at ${condition}'`, ...words].join(' ');
  const options = commands.flatMap((command) =>
    wordsOf(command).map(({ name, alias, description, value }) =>
      line(
        command.name,
        `-l ${name}`,
        ...(alias === undefined ? [] : [`-s ${alias}`]),
        ...fishValue(value),
        `-d ${quoted(description)}`,
      ),
    ),
  );
  return [
    '# Completion of mcp-hotline for fish. In ~/.config/fish/config.fish: mcp-hotline completion fish | source',
    '# Whether the cursor is at the first word, or among the words of this command.',
    'function __mcp_hotline_at',
    '  set -l typed (commandline -poc)',
    '  contains -- -- $typed; and return 1',
    '  test $argv[1] = first; and return (test (count $typed) -eq 1)',
    `  contains -- "$typed[2]" ${commands.map(({ name }) => name).join(' ')}; or set typed[2] run`,
    '  test $typed[2] = $argv[1]',
    'end',
    'complete -c mcp-hotline -f',
    ...commands.map(({ name, summary }) => line('first', `-a ${name}`, `-d ${quoted(summary)}`)),
    ...commands.flatMap((command) => {
      const choices = choicesOf(command, commands);
      return choices.length === 0 ? [] : [line(command.name, `-a ${quoted(choices.join(' '))}`)];
    }),
    ...options,
  ].join('\n');
}

function fishValue(value: Value): string[] {
  switch (value.kind) {
    case 'none':
    case 'optional':
      return [];
    case 'file':
      return ['-r', '-F'];
    case 'directory':
      return ['-x', `-a ${quoted('(__fish_complete_directories)')}`];
    case 'choice':
      return [...(value.optional === true ? [] : ['-x']), `-a ${quoted(value.choices.join(' '))}`];
    case 'any':
      return ['-x'];
  }
}
