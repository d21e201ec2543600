// The directory that the program was started in, for every command that resolves paths: it may have been deleted since.

import { isAbsolute } from 'node:path';
import type { Result } from '../config/check.js';
import type { CommandLineOptions } from '../config/config.js';

export function currentDirectory({ cwd = '' }: CommandLineOptions): Result<string> {
  try {
    return { ok: true, value: process.cwd() };
  } catch {
    if (isAbsolute(cwd)) return { ok: true, value: cwd };
    return {
      ok: false,
      error: 'the current directory does not exist any more, give another one with --cwd <absolute path>',
    };
  }
}
