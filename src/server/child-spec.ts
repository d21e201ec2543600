/** How the process of a generation is started: the server's command, and which generation it is. Starting it is for others. */
import type { ChildSpec } from '../process/child.js';

export type ServerCommand = Omit<ChildSpec, 'stdin'>;

export function childSpec({ command, args, cwd, env }: ServerCommand, generation: number): ChildSpec {
  return { command, args, cwd, env: { ...env, MCP_HOTLINE_GENERATION: String(generation) }, stdin: 'pipe' };
}
