// `mcp-hotline serve`: one option of its own, and all of the proxy's but --http, whose place it takes.

import type { CommandLineOptions } from '../../config/config.js';
import type { OptionSpec } from '../../config/option-spec.js';
import { options } from '../../config/options.js';
import { serverForm, type Command, type Invocation } from '../command.js';
import { run } from '../run.js';

const port: OptionSpec = {
  name: 'port',
  group: 'HTTP',
  type: 'number',
  placeholder: '<n>',
  min: 0,
  max: 65_535,
  description: 'Listen on this port; 0: any',
  otherwise: '6280, or the next free one',
};
const all: readonly OptionSpec[] = [port, ...options.filter(({ name }) => name !== 'http')];

export const serve: Command = {
  name: 'serve',
  summary: 'Serve clients over HTTP alone: a URL that stays through every edit',
  form: serverForm,
  about:
    'Runs an MCP server for clients that connect over HTTP, and reloads it when its source changes, without the clients noticing. Ends when it is stopped (Ctrl+C; a second one ends it at once), and not before.',
  operands: { kind: 'server' },
  options: all,
  ownOptions: all.filter(({ group }) => group === 'HTTP'),
  misplaced: { http: 'serve listens on HTTP anyway; name the port with --port' },
  examples: [
    ['mcp-hotline serve -- node dist/server.js', 'Serve at http://127.0.0.1:6280/mcp, or on the next free port'],
    ['mcp-hotline serve --port 8080 -- python server.py', 'Serve on this port, or not at all'],
    ['mcp-hotline serve --share -- npm start', 'Let all clients talk to one server process'],
    ['mcp-hotline serve --host 0.0.0.0 --token auto -- node server.js', 'Serve other machines too, with a token'],
  ],
  epilogue:
    'It also takes the other options of mcp-hotline itself, such as --watch, --build, --strategy and --cwd. The port can also be set by MCP_HOTLINE_HTTP, or by "http" in a configuration file.',

  async perform({ given }: Invocation<CommandLineOptions & { port?: number }>) {
    const { port: http, ...rest } = given;
    return run(http === undefined ? rest : { ...rest, http }, { isHttpOnly: true });
  },
};
