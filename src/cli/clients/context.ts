// The context of a command on clients' files: this machine, this directory and its project, this installation of the
// program.

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Context } from '../../clients/plan.js';
import { projectOf } from '../../clients/project.js';
import type { Result } from '../../config/check.js';
import type { CommandLineOptions } from '../../config/config.js';
import { isDirectory, realOf } from '../../config/discovery/disk.js';
import { currentDirectory } from '../current-directory.js';
import { bin, node } from '../installation.js';

export function contextOf(given: CommandLineOptions): Result<Context> {
  const here = currentDirectory(given);
  if (!here.ok) return here;
  const cwd = realOf(resolve(here.value, given.cwd ?? ''));
  if (!isDirectory(cwd)) return { ok: false, error: `the directory ${cwd} does not exist` };
  const machine = { platform: process.platform, home: homedir(), env: process.env };
  return { ok: true, value: { machine, cwd, project: projectOf(cwd), installation: { node, bin } } };
}
