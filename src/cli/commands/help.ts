// `mcp-hotline help [command]`, and every command with --help.

import type { Command } from '../command.js';

export const help: Command = {
  name: 'help',
  summary: 'Show this, or the help of a command',
  form: '[command]',
  about: 'Prints how a command is used, or all commands and the options of the proxy.',
  operands: { kind: 'words', name: 'command', max: 1, choices: (commands) => commands.map(({ name }) => name) },
  options: [],
  examples: [
    ['mcp-hotline help', 'The same as mcp-hotline --help'],
    ['mcp-hotline help smoke', 'The same as mcp-hotline smoke --help'],
  ],

  async perform({ operands: [name = 'run'], commands, print }) {
    const { helpText } = await import('../help.js');
    await print(await helpText(Math.min(process.stdout.columns ?? 100, 120), name, commands));
    return { ok: true, value: 0 };
  },
};
