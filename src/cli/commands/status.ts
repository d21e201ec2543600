// `mcp-hotline status`.

import type { CommandLineOptions } from '../../config/config.js';
import type { Command, Invocation } from '../command.js';
import { json, where } from '../report-options.js';

export const status: Command = {
  name: 'status',
  summary: 'Show the proxies that run for this directory, how their servers are, and what failed',
  form: '[--json]',
  about:
    'Prints, for each server command that was run in this directory, the proxies that run now: for which client, how the server is, which generation serves, the last reload with the duration of each phase, and the failure that stands or was the last. Arguments that look like keys are masked. Exits with 0 if a proxy runs, else 1.',
  operands: { kind: 'none' },
  options: [json('Print it as one JSON document'), ...where],
  examples: [
    ['mcp-hotline status', 'Show what runs for this directory'],
    ['mcp-hotline status --json', 'Print it as JSON'],
  ],

  async perform({ given, print }: Invocation<CommandLineOptions & { json?: boolean }>) {
    const { status: statusOf } = await import('../status.js');
    const outcome = await statusOf(given);
    if (!outcome.ok) return outcome;
    await print(outcome.value.text);
    return { ok: true, value: outcome.value.code };
  },
};
