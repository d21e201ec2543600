// The options of `mcp-hotline status` and `mcp-hotline log`: how to print it, and where to look.

import type { OptionSpec } from '../config/option-spec.js';
import { options } from '../config/options.js';

const where = options.filter(({ name }) => name === 'cwd' || name === 'state-dir');

const json = (description: string): OptionSpec => ({
  name: 'json',
  group: 'General',
  type: 'switch',
  default: false,
  description,
});

export const statusOptions: readonly OptionSpec[] = [json('Print it as one JSON document'), ...where];

export const logOptions: readonly OptionSpec[] = [
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
];
