// `mcp-hotline version`, and every command with --version.

import type { Command } from '../command.js';
import { packageVersion } from '../version.js';

export const version: Command = {
  name: 'version',
  summary: 'Show the version',
  form: '',
  about: 'Prints the version of mcp-hotline, as the options --version, -v and -V do.',
  operands: { kind: 'none' },
  options: [],
  examples: [['mcp-hotline version', 'Show the version of this installation']],

  async perform({ print }) {
    await print(packageVersion());
    return { ok: true, value: 0 };
  },
};
