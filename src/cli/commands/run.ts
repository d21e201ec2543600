// `mcp-hotline run`, and `mcp-hotline` without a command. The only command that is loaded at once, because a client
// waits for its start.

import { isatty } from 'node:tty';
import { noCommand } from '../../config/config.js';
import { options } from '../../config/options.js';
import { serverForm, type Command } from '../command.js';
import { run as perform } from '../run.js';

export const run: Command = {
  name: 'run',
  summary: 'Run a server behind the proxy; "run" may be left out',
  form: serverForm,
  about: 'Runs an MCP server and reloads it when its source changes, without the client noticing.',
  operands: { kind: 'server' },
  options,
  misplaced: { port: 'it belongs to mcp-hotline serve; beside a client on stdio it is --http [port]' },
  examples: [
    ['mcp-hotline -- node dist/server.js', 'Find from the command what to watch and to build'],
    ['mcp-hotline --watch src -- node src/server.js', 'Reload when a file in src changes'],
    ['mcp-hotline -w src --build -- node dist/server.js', 'Run the build script first'],
    ['mcp-hotline -w server -e py -- python server/main.py', 'Watch the Python files only'],
    ['mcp-hotline --no-reload -- npx some-server', 'Pass everything through and reload nothing'],
  ],
  epilogue:
    'Every option can also be set in the environment (MCP_HOTLINE_LOG_LEVEL=debug for --log-level debug) and in a configuration file, mcp-hotline.config.jsonc ({"logLevel":"debug"}).',

  async perform({ given }) {
    const outcome = await perform(given);
    if (outcome.ok || outcome.error !== noCommand || !isatty(0)) return outcome;
    const { usageNotice } = await import('../terminal.js');
    return { ...outcome, notice: usageNotice() };
  },
};
