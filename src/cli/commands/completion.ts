// `mcp-hotline completion`.

import type { Command } from '../command.js';
import { shells } from '../completion/shells.js';

export const completion: Command = {
  name: 'completion',
  summary: 'Print a completion script for your shell',
  form: `[${shells.join('|')}]`,
  about: 'Prints a script that completes commands, options and their values; for the shell in $SHELL if none is named.',
  operands: { kind: 'words', name: 'shell', max: 1, choices: () => shells },
  options: [],
  examples: [
    ['source <(mcp-hotline completion bash)', 'For bash, in ~/.bashrc'],
    ['source <(mcp-hotline completion zsh)', 'For zsh, in ~/.zshrc after compinit'],
    ['mcp-hotline completion fish | source', 'For fish, in ~/.config/fish/config.fish'],
  ],

  async perform({ operands: [shell], commands, print }) {
    const { completionScript } = await import('../completion.js');
    await print(completionScript(shell, commands, process.env));
    return { ok: true, value: 0 };
  },
};
