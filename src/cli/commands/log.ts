// `mcp-hotline log`.

import type { Given } from '../../config/config.js';
import { flush } from '../../log/flush.js';
import type { Command, Invocation } from '../command.js';
import { json, where } from '../report-options.js';

export const log: Command = {
  name: 'log',
  summary: 'Show what happened to the servers of this directory',
  form: '[-f] [--json]',
  about:
    'Prints the audit trail of the servers that were run in this directory: starts, changes, builds, reloads, requested restarts, crashes and failures, oldest first.',
  operands: { kind: 'none' },
  options: [
    {
      name: 'follow',
      alias: 'f',
      group: 'General',
      type: 'switch',
      default: false,
      description: 'Go on with what happens from now on',
    },
    json('Print the lines as they are, one JSON object each'),
    ...where,
  ],
  examples: [
    ['mcp-hotline log -f', 'And go on as things happen'],
    ['mcp-hotline log --json | jq .event', 'As data'],
  ],

  async perform({ given }: Invocation<Given & { json?: boolean; follow?: boolean }>) {
    const { log: showLog } = await import('../log.js');
    const closed = new AbortController();
    process.stdout.on('error', () => closed.abort()); // nobody reads any more
    const outcome = await showLog(given, (text) => void process.stdout.write(text), closed.signal);
    await flush(process.stdout, 2000);
    return outcome;
  },
};
