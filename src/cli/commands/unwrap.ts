// `mcp-hotline unwrap`.

import type { EditOptions } from '../clients/edit.js';
import type { Command, Invocation } from '../command.js';
import { editOptions } from './wrap.js';

export const unwrap: Command = {
  name: 'unwrap',
  summary: "Give servers their own command back, in your client's configuration",
  form: '[server…] [options]',
  about:
    "Takes mcp-hotline out of the configurations of MCP clients again: of the project's files all servers that are wrapped, of your own those of this project. The files are byte for byte what they were, also when something else in them was edited since. Exits with 0 when it is done or there is nothing to do, else 1; without a terminal it changes nothing unless --yes is given.",
  operands: { kind: 'words', name: 'server' },
  options: editOptions,
  examples: [
    ['mcp-hotline unwrap', 'All servers of this project'],
    ['mcp-hotline unwrap mine --user --yes', 'One server, your own configurations too'],
  ],

  async perform({ given, operands, print }: Invocation<EditOptions>) {
    const { unwrap: unwrapServers } = await import('../clients/unwrap.js');
    return unwrapServers(given, operands, print);
  },
};
