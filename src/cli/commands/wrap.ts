// `mcp-hotline wrap`: its options, some of which `unwrap` has too.

import type { OptionSpec } from '../../config/option-spec.js';
import type { Command, Invocation } from '../command.js';
import type { WrapOptions } from '../clients/wrap.js';
import { json, where } from '../report-options.js';

const general = { group: 'General', type: 'switch', default: false } as const;

/** Which servers, and how to go about it: the same for `unwrap`. */
export const editOptions: readonly OptionSpec[] = [
  {
    name: 'client',
    group: 'General',
    type: 'text',
    placeholder: '<name>',
    description:
      'Only the configurations of this client, as in claude-code or vscode; "mcp-hotline clients" lists them',
  },
  {
    name: 'file',
    group: 'General',
    type: 'text',
    placeholder: '<file>',
    description: 'Only this file, of any client',
  },
  { ...general, name: 'user', description: 'Your own configurations too, which count for all projects' },
  { ...general, name: 'all', description: 'All servers, not only those of this project' },
  { ...general, name: 'dry-run', description: 'Show what would change, and change nothing' },
  { ...general, name: 'yes', alias: 'y', description: 'Do not ask' },
  json('Print what was done as one JSON document; asks nothing'),
  ...where.filter(({ name }) => name === 'cwd'),
];

export const wrap: Command = {
  name: 'wrap',
  summary: "Put servers of this project behind the proxy, in your client's configuration",
  form: '[server…] [options] [-- <options of mcp-hotline>]',
  about:
    'Finds the configurations of MCP clients that name servers of this project, shows what it would change, asks, and writes it: the client then starts the servers through mcp-hotline. Nothing else in the files changes, and unwrap gives them back byte for byte. Servers whose command leads to no file of this project, such as published packages, are left alone unless they are named. A name that several clients have means the server in each of them; choose one with --client or --file. Exits with 0 when it is done or there is nothing to do, else 1; without a terminal it changes nothing unless --yes is given.',
  operands: { kind: 'words', name: 'server', proxyOptions: true },
  options: [
    ...editOptions,
    {
      ...general,
      name: 'portable',
      description: 'Write no path of this machine, for files that others use too',
      negated: 'Write paths of this machine, even where mcp-hotline is among the dependencies of the project',
    },
    { ...general, name: 'skill', description: 'Also copy the skill for agents to where the client looks for it' },
  ],
  examples: [
    ['mcp-hotline wrap', 'All servers of this project'],
    ['mcp-hotline wrap mine --client vscode', 'One server of one client'],
    ['mcp-hotline wrap mine -- --watch src --build build', 'With options of mcp-hotline'],
    ['mcp-hotline wrap --user --dry-run', 'What would change in your own configurations too'],
  ],
  epilogue:
    'What follows -- is written in front of the server as it is. --agent-tools auto is written too, and --cwd where the client does not start servers in the project.',

  async perform({ given, operands, proxyOptions, print }: Invocation<WrapOptions>) {
    const { wrap: wrapServers } = await import('../clients/wrap.js');
    return wrapServers(given, operands, proxyOptions, print);
  },
};
