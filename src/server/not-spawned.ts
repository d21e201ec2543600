/**
 * The failure of a server that could not even be spawned. The system names the program whatever is missing, be it the
 * directory to run it in.
 */
import { existsSync } from 'node:fs';
import type { Failure, SpawnProblem } from '../agent/failure.js';

/** Undefined if the directory is there. */
export function directoryGone(command: string, cwd: string): Failure | undefined {
  if (existsSync(cwd)) return undefined;
  return failureOf(command, { kind: 'no-directory', directory: cwd });
}

export function notSpawned(command: string, cwd: string, error: Error): Failure {
  return directoryGone(command, cwd) ?? failureOf(command, { kind: 'system', message: error.message });
}

function failureOf(command: string, problem: SpawnProblem): Failure {
  return { kind: 'start', command, cause: { kind: 'not-spawned', problem }, output: '' };
}
