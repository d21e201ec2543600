/**
 * How the process of a generation is started: the server's command, and which generation of which proxy it is. Starting
 * it is for others.
 */
import type { ChildSpec } from '../process/child.js';
import { MARK, markValue } from '../process/mark.js';

export type ServerCommand = Omit<ChildSpec, 'stdin'>;

/** `mark`: the proxy's, by which the server's descendants are known. */
export function childSpec({ command, args, cwd, env }: ServerCommand, generation: number, mark: string): ChildSpec {
  const added = { MCP_HOTLINE_GENERATION: String(generation), [MARK]: markValue(env[MARK], mark, generation) };
  return { command, args, cwd, env: { ...env, ...added }, stdin: 'pipe' };
}
