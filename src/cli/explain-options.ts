// The options of `mcp-hotline explain`: one of its own, and all of the proxy's, since those are what it explains.

import type { OptionSpec } from '../config/option-spec.js';
import { options } from '../config/options.js';

const own: readonly OptionSpec[] = [
  { name: 'json', group: 'General', type: 'switch', default: false, description: 'Print it as one JSON document' },
];

export const explainOptions: { own: readonly OptionSpec[]; all: readonly OptionSpec[] } = {
  own,
  all: [...own, ...options],
};
