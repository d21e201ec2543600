// `mcp-hotline completion`: a script for bash, zsh or fish that contains all words, so that a press of Tab starts no
// program. The server's own command is completed as the shell completes any command. completion/ makes the scripts.

import { basename } from 'node:path';
import type { Command } from './command.js';
import { bash } from './completion/bash.js';
import { fish } from './completion/fish.js';
import { shells } from './completion/shells.js';
import { zsh } from './completion/zsh.js';

const scripts = { bash, zsh, fish };

/** For the user's own shell if none is named. */
export function completionScript(
  shell: string | undefined,
  commands: readonly Command[],
  env: NodeJS.ProcessEnv,
): string {
  const wanted = shell ?? basename(env['SHELL'] ?? '');
  return scripts[shells.find((known) => known === wanted) ?? 'bash'](commands);
}
