// `mcp-hotline smoke`.

import { smokeOptions } from '../../smoke/options.js';
import { serverForm, type Command } from '../command.js';

export const smoke: Command = {
  name: 'smoke',
  summary: 'Check a server in CI: handshake, lists, schemas, calls, reload, exit',
  form: serverForm,
  about:
    "Starts the server through the proxy, opens it in each era of the protocol that it speaks, fetches every list, checks every schema, and sees it end. Exits with 0 if all is well, 1 if a check failed, 2 if the server can't be started.",
  operands: { kind: 'server' },
  options: smokeOptions.all,
  ownOptions: smokeOptions.own,
  examples: [
    ['mcp-hotline smoke -- node server.js', 'Handshake, lists, schemas, exit'],
    [`mcp-hotline smoke --call 'add={"a":1,"b":2}' --expect 3 -- node server.js`, 'A tool, too'],
    ['mcp-hotline smoke --reload --reporter junit -- node server.js > report.xml', 'Over a reload, for CI'],
  ],
  epilogue: 'The options of mcp-hotline itself, such as --watch, --build, --strategy or --cwd, go to the proxy.',

  async perform({ given, typed }) {
    const { smoke: checkServer } = await import('../smoke.js');
    return checkServer(given, typed);
  },
};
