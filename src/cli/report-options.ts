// The options that all reporting commands share: how to print, and where to look.

import type { OptionSpec } from '../config/option-spec.js';
import { options } from '../config/options.js';

export const where = options.filter(({ name }) => name === 'cwd' || name === 'state-dir');

export const json = (description: string): OptionSpec => ({
  name: 'json',
  group: 'General',
  type: 'switch',
  default: false,
  description,
});
