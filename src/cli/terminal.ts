// The messages for a person who starts the proxy by hand on a terminal: that it waits for a client, and how to
// configure a client. They are not shown to programs.

import { basename, resolve } from 'node:path';
import type { CommandLineOptions } from '../config/config.js';
import { bin, node, startWords } from './installation.js';
import { shellLine } from './shell-line.js';
import { toWords } from './words.js';

/** For a proxy that runs and waits for a client. */
export function waitingNotice(given: CommandLineOptions, cwd: string): string {
  const { command, args = [], upstream } = given;
  const server = [
    ...toWords(upstream === undefined ? {} : { upstream }),
    ...(command === undefined ? [] : ['--', command, ...args]),
  ];
  const directory = resolve(cwd, given.cwd ?? '');
  return `mcp-hotline: waiting for an MCP client on stdin, which is a terminal here.
It is meant to be started by a client, by a configuration such as:

${configuration(startWords(given, cwd), basename(directory))}

To try the server without a client: ${shellLine([node, bin, 'smoke', ...server])}
Ctrl+D or Ctrl+C ends it; the option --help tells more.
`;
}

/** For a start without a server command. */
export function usageNotice(): string {
  return `
It stands between an MCP client and the command that starts a server, in the client's configuration:

${configuration([bin, '--', 'node', 'server.js'], 'my-server')}

The option --help tells more.
`;
}

/** In the form that most clients share. */
function configuration(args: readonly string[], name: string): string {
  const shown = args.map((word) => `\n        ${JSON.stringify(word)}`).join(',');
  const entry = `"command": ${JSON.stringify(node)},\n      "args": [${shown}\n      ]`;
  return `{\n  "mcpServers": {\n    ${JSON.stringify(name)}: {\n      ${entry}\n    }\n  }\n}`;
}
