// `mcp-hotline explain`: one option of its own, and all of the proxy's, since those are what it explains.

import type { CommandLineOptions } from '../../config/config.js';
import type { OptionSpec } from '../../config/option-spec.js';
import { options } from '../../config/options.js';
import { serverForm, type Command, type Invocation } from '../command.js';

const ownOptions: readonly OptionSpec[] = [
  { name: 'json', group: 'General', type: 'switch', default: false, description: 'Print it as one JSON document' },
];

export const explain: Command = {
  name: 'explain',
  summary: 'Show what would be watched and built for a server, and why',
  form: serverForm,
  about:
    'Prints what mcp-hotline would do with the server, without starting it: what was found from its command, the rules with the files that they watch, builds, strategy, and where each value comes from. Exits with 0, or 1 if there is nothing to watch.',
  operands: { kind: 'server' },
  options: [...ownOptions, ...options],
  ownOptions,
  examples: [
    ['mcp-hotline explain -- npm start', 'Show what is found for the start script'],
    ['mcp-hotline explain --json -- python server.py', 'Print it as JSON'],
  ],
  epilogue: 'It also takes all options of mcp-hotline itself, and explains them.',

  async perform({ given, print }: Invocation<CommandLineOptions & { json?: boolean }>) {
    const { explain: explainServer } = await import('../explain.js');
    const outcome = await explainServer(given);
    if (!outcome.ok) return outcome;
    await print(outcome.value.text);
    return { ok: true, value: outcome.value.code };
  },
};
