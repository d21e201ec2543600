// Decides whether a server belongs to a project: whether its command leads to files of the project, by discovery. Reads
// files, runs nothing.

import { resolve } from 'node:path';
import { discover } from '../config/discovery/discover.js';
import { isDirectory, isFile, isInside, realOf, shown } from '../config/discovery/disk.js';

export type Belonging =
  | { readonly kind: 'project' }
  /** It can be reloaded, and is developed elsewhere. */
  | { readonly kind: 'elsewhere'; readonly reason: string }
  /** There is nothing to watch. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** `words` as the client will start them, in `cwd`. */
export async function belongingOf(
  words: readonly string[],
  { cwd, env, project }: { cwd: string; env: NodeJS.ProcessEnv; project: string },
): Promise<Belonging> {
  const [command = '', ...args] = words;
  const found = await discover({ command, args, cwd, env });
  const server = found.rules.at(-1);
  if (server === undefined && isLine(command, cwd)) {
    return {
      kind: 'nothing',
      reason: 'its command is a whole line, expected the program alone and the rest in "args"',
    };
  }
  if (server === undefined) return { kind: 'nothing', reason: found.reason ?? found.why };
  const places = server.watch.map((pattern) => realOf(placeOf(pattern, cwd)));
  if (places.some((place) => isInside(place, realOf(project)))) return { kind: 'project' };
  return { kind: 'elsewhere', reason: `its files are in ${shown(places[0] ?? cwd, cwd)}, outside of this project` };
}

/** Whether what stands for the program is a program with arguments, which few clients can start. */
function isLine(command: string, cwd: string): boolean {
  const [program = '', rest] = command.trim().split(/\s+/);
  return rest !== undefined && (!/[\\/]/.test(program) || isFile(resolve(cwd, program)));
}

/** The path that a pattern names, or the directory that it looks through. */
function placeOf(pattern: string, cwd: string): string {
  const whole = resolve(cwd, pattern);
  if (isFile(whole) || isDirectory(whole)) return whole; // its own name may look like a pattern
  const segments = pattern.split('/');
  const end = segments.findIndex((segment) => /[*?[\]{}()!]/.test(segment));
  return end < 0 ? whole : resolve(cwd, segments.slice(0, end).join('/') || (pattern.startsWith('/') ? '/' : ''));
}
