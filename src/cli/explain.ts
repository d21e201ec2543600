// `mcp-hotline explain`: what would be done with a server, without starting it, for people or as data. explanation.ts
// finds it out, main.ts prints it.

import type { Result } from '../config/check.js';
import { resolveConfig, type CommandLineOptions } from '../config/config.js';
import { completeIfResolved } from '../config/discovery/complete.js';
import { currentDirectory } from './current-directory.js';
import { explanationText } from './explain-text.js';
import { explanationOf } from './explanation.js';
import { node, startWords } from './installation.js';

/** What to print, and the exit code. */
export async function explain(
  given: CommandLineOptions & { json?: boolean },
): Promise<Result<{ text: string; code: number }>> {
  const { json = false, ...rest } = given;
  const cwd = currentDirectory(given);
  if (!cwd.ok) return cwd;
  const resolved = await completeIfResolved(resolveConfig(rest, { cwd: cwd.value, env: process.env }));
  if (!resolved.ok) return resolved;
  const explanation = await explanationOf(resolved.value, [node, ...startWords(rest, cwd.value)]);
  const text = json ? JSON.stringify(explanation, undefined, 2) : explanationText(explanation);
  return {
    ok: true,
    value: { text, code: explanation.rules.length > 0 || explanation.upstream?.starts === false ? 0 : 1 },
  };
}
