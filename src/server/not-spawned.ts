/**
 * The failure of a server that could not even be spawned. The system names the program whatever is missing, be it the
 * directory to run it in.
 */
import { existsSync } from 'node:fs';
import type { Failure } from '../agent/words.js';

/** Undefined if the directory is there. */
export function directoryGone(command: string, cwd: string): Failure | undefined {
  if (existsSync(cwd)) return undefined;
  const how = `can't be started, because its directory ${cwd} does not exist any more`;
  return { kind: 'start', command, how, output: '' };
}

export function notSpawned(command: string, cwd: string, error: Error): Failure {
  return directoryGone(command, cwd) ?? { kind: 'start', command, how: `can't be run: ${error.message}`, output: '' };
}
