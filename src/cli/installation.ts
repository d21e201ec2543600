// The command line that starts this installation with the Node that runs it now: it works wherever a client looks for
// programs, and whichever mcp-hotline is on the PATH.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandLineOptions } from '../config/config.js';
import { withoutSecrets } from '../config/option-values.js';
import { toWords } from './words.js';

export const node = process.execPath;
export const bin = fileURLToPath(new URL('../../bin/mcp-hotline.js', import.meta.url));

/**
 * What is typed after `node` to run the same server with the same options from any directory. A token is masked: the
 * line is shown.
 */
export function startWords(given: CommandLineOptions, cwd: string): string[] {
  const { command, args = [], ...options } = given;
  const words = toWords({ ...withoutSecrets(options), cwd: resolve(cwd, options.cwd ?? '') });
  return [bin, ...words, ...(command === undefined ? [] : ['--', command, ...args])];
}
