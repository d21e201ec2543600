// `mcp-hotline smoke`.

import { smokeOptions } from '../../smoke/options.js';
import { serverForm, type Command } from '../command.js';

export const smoke: Command = {
  name: 'smoke',
  summary: 'Check a server in CI: handshake, lists, schemas, calls, reload, exit',
  form: serverForm,
  about:
    "Starts the server through the proxy, connects in each era of the protocol that it supports, fetches every list, checks every schema, and checks that it exits. Exits with 0 if all is well, 1 if a check failed, 2 if the server can't be started.",
  operands: { kind: 'server' },
  options: smokeOptions.all,
  ownOptions: smokeOptions.own,
  examples: [
    ['mcp-hotline smoke -- node server.js', 'Check handshake, lists, schemas and exit'],
    [
      `mcp-hotline smoke --call 'add={"a":1,"b":2}' --expect 3 -- node server.js`,
      'Call a tool, too, and compare its result',
    ],
    ['mcp-hotline smoke --http -- node server.js', 'Check it over HTTP, as `serve` offers it'],
    [
      'mcp-hotline smoke --reload --reporter junit -- node server.js > report.xml',
      'The same after a reload, with a report for CI',
    ],
  ],
  epilogue: 'It also takes the options of mcp-hotline itself, such as --watch, --build, --strategy and --cwd.',

  async perform({ given, typed }) {
    const { smoke: checkServer } = await import('../smoke.js');
    return checkServer(given, typed);
  },
};
