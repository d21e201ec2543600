// The options of `mcp-hotline smoke` that are its own, as rows of the same kind as the proxy's, and their defaults. All
// others are the proxy's and go to it unseen, but for those that smoke needs for itself.

import type { OptionSpec } from '../config/option-spec.js';
import { options } from '../config/options.js';

export const reporters = ['text', 'tap', 'json', 'junit'] as const;
export type ReporterName = (typeof reporters)[number];

/** Milliseconds that a server may take for one answer. */
export const usualTimeout = 20_000;

const own: readonly OptionSpec[] = [
  {
    name: 'call',
    group: 'Checking',
    type: 'list',
    placeholder: '<name={json}>',
    description: 'Call this tool, as in --call \'add={"a":1,"b":2}\'; the call must succeed; repeatable',
  },
  {
    name: 'expect',
    group: 'Checking',
    type: 'list',
    placeholder: '<text>',
    description: 'The result of the call before it must contain this; repeatable',
  },
  {
    name: 'reload',
    group: 'Checking',
    type: 'switch',
    default: false,
    description: 'Force a reload too, and compare lists and results before and after it',
  },
  {
    name: 'http',
    group: 'Checking',
    type: 'switch',
    default: false,
    description: 'Check it over HTTP instead of stdio: both eras, and HTTP+SSE',
  },
  {
    name: 'reporter',
    group: 'Checking',
    type: 'choice',
    choices: reporters,
    default: 'text',
    description: 'The form of the report on stdout; json is one document',
  },
  {
    name: 'timeout',
    group: 'Checking',
    type: 'number',
    unit: 'milliseconds',
    placeholder: '<ms>',
    min: 1,
    max: 86_400_000,
    default: usualTimeout,
    description: 'How long the server may take for one answer',
  },
];

/** The log of the proxy is what smoke reads; whether to reload, and whether to use HTTP, are its own questions. */
const taken = new Set(['reload', 'http', 'log-level', 'log-format', 'log-file']);

export const smokeOptions: { own: readonly OptionSpec[]; all: readonly OptionSpec[] } = {
  own,
  all: [...own, ...options.filter(({ name }) => !taken.has(name))],
};
