// `mcp-hotline log`.

import { flush } from '../../sinks/flush.js';
import type { Command, Invocation } from '../command.js';
import type { LogGiven } from '../log.js';
import { json, where } from '../report-options.js';

export const log: Command = {
  name: 'log',
  summary: 'Show what happened to the servers of this directory',
  form: '[-f] [-n <n>] [--since <time>] [--json]',
  about:
    'Prints the audit trail of the servers that were run in this directory: starts, changes, builds, reloads, requested restarts, crashes and failures with what was printed, and when they were mended, oldest first. Each line names its server by its program and the number of its proxy, as status does.',
  operands: { kind: 'none' },
  options: [
    {
      name: 'follow',
      alias: 'f',
      group: 'General',
      type: 'switch',
      default: false,
      description: 'Go on with new events as they happen',
    },
    {
      name: 'lines',
      alias: 'n',
      group: 'General',
      type: 'number',
      min: 0,
      max: 1_000_000,
      placeholder: '<n>',
      otherwise: 'all of them',
      description: 'Only the last n of what there is',
    },
    {
      name: 'since',
      group: 'General',
      type: 'text',
      placeholder: '<time>',
      description: 'Only what happened since then: 90s, 10m, 2h or 3d ago, 14:30, or a date such as 2026-01-31T14:30',
    },
    json('Print the lines as they are, one JSON object each'),
    ...where,
  ],
  examples: [
    ['mcp-hotline log -f', 'Show what has happened, then what happens'],
    ['mcp-hotline log -n 20 --since 1h', 'Show the last 20 events of the last hour'],
    ['mcp-hotline log --json | jq .event', 'Print it as JSON, and pick a field'],
  ],

  async perform({ given }: Invocation<LogGiven>) {
    const { log: showLog } = await import('../log.js');
    const closed = new AbortController();
    process.stdout.on('error', () => closed.abort()); // nobody reads any more
    const output = {
      write: (text: string) => void process.stdout.write(text),
      note: (text: string) => void process.stderr.write(`mcp-hotline: ${text}\n`),
    };
    const outcome = await showLog(given, output, closed.signal);
    await flush(process.stdout, 2000);
    return outcome;
  },
};
