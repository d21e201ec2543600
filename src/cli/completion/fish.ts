// The completion script for fish: one line an option.

import type { Command } from '../command.js';
import { choicesOf, commandNames, quoted, valuedOptions, wordsOf, type Value } from './words.js';

export function fish(commands: readonly Command[]): string {
  const { all, ofServers } = commandNames(commands);
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
    '# Where the cursor is: where a command may stand (first), among the words of a command, or at the command of the',
    '# server, which begins with the word of this number.',
    'function __mcp_hotline_place',
    '  set -l typed (commandline -poc)',
    '  set -l place first',
    '  set -l command run',
    '  set -l i 2',
    '  while test $i -le (count $typed)',
    '    switch $typed[$i]',
    "      case '--'",
    '        echo server (math $i + 1)',
    '        return',
    `      case ${valuedOptions(commands).join(' ')}`,
    "        string match -q -- '-*' $typed[(math $i + 1)]; or set i (math $i + 1)",
    "      case '-*'",
    "      case '*'",
    `        if test $place = first; and contains -- $typed[$i] ${all.join(' ')}`,
    '          set command $typed[$i]',
    '          set place $command',
    `        else if contains -- $command ${ofServers.join(' ')}`,
    '          echo server $i',
    '          return',
    '        end',
    '    end',
    '    set i (math $i + 1)',
    '  end',
    '  test $i -gt (math (count $typed) + 1); and set place $command',
    '  echo $place',
    'end',
    'function __mcp_hotline_at',
    "  set -l place (string split ' ' (__mcp_hotline_place))[1]",
    '  test $place = $argv[1]; or test $place = first -a $argv[1] = run',
    'end',
    'function __mcp_hotline_server',
    "  set -l place (string split ' ' (__mcp_hotline_place))",
    '  set -l typed (commandline -poc)',
    '  set -l words (string escape -- $typed[$place[2]..-1]) (commandline -ct)',
    '  test $place[2] -gt (count $typed); and set words (commandline -ct)',
    '  test $place[2] -gt (count $typed); and __fish_complete_path (commandline -ct)',
    "  complete -C (string join ' ' -- $words)",
    'end',
    'complete -c mcp-hotline -f',
    ...commands.map(({ name, summary }) => line('first', `-a ${name}`, `-d ${quoted(summary)}`)),
    line('server', "-x -a '(__mcp_hotline_server)'"),
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
