// `mcp-hotline clients`.

import type { CommandLineOptions } from '../../config/config.js';
import type { Command, Invocation } from '../command.js';
import { json, where } from '../report-options.js';

export const clients: Command = {
  name: 'clients',
  summary: 'Show the MCP clients on this machine, their servers, and which are wrapped',
  form: '[--json]',
  about:
    'Prints the MCP clients that are used on this machine or in this project, the files that they read, the servers in them and whether they run behind mcp-hotline, whether the client shows new tools after an edit and how that is known, and the one thing to know about each.',
  operands: { kind: 'none' },
  options: [json('Print it as one JSON document'), ...where.filter(({ name }) => name === 'cwd')],
  examples: [
    ['mcp-hotline clients', 'What is here'],
    ['mcp-hotline clients --json', 'The same as data, all known clients included'],
  ],

  async perform({ given, print }: Invocation<CommandLineOptions & { json?: boolean }>) {
    const { clientsReport } = await import('../clients/clients.js');
    const outcome = await clientsReport(given);
    if (!outcome.ok) return outcome;
    await print(outcome.value);
    return { ok: true, value: 0 };
  },
};
