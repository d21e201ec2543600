// Projects for tests of reloading: an entry file and one small module that says how the server behaves, so that a test
// changes the server by writing a file. The server itself is fixtures/servers/reloadable.mjs.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.js';

interface Named {
  name: string;
  [member: string]: unknown;
}

export interface Behaviour {
  /** What every tool of `lists.tools`, every prompt and every resource says. */
  answer: string;
  /** Beside the tools that are always there: `generation`, `effect`, `progress`, `ask`, `die`. */
  lists?: {
    tools?: readonly Named[];
    prompts?: readonly Named[];
    resources?: readonly Named[];
    resourceTemplates?: readonly Named[];
  };
  /** By the name of the tool. */
  annotations?: Record<string, { readOnlyHint?: boolean; idempotentHint?: boolean }>;
  /** Instead of tools, prompts, resources with subscribe, and logging, none of them with `listChanged`. */
  capabilities?: object;
  protocolVersion?: string;
  /** Milliseconds until `initialize` is answered. */
  handshake?: number;
  /** Asks `roots/list` as soon as it is initialized. */
  asksRoots?: boolean;
  /** Items on a page of a list. */
  pageSize?: number;
}

/** The tool that gives the behaviour's answer. */
const answerTool: Named = { name: 'answer', inputSchema: { type: 'object' } };

/** The source of `src/behaviour.mjs`. */
export function behaviour(says: Behaviour | string): string {
  const full = typeof says === 'string' ? { answer: says } : says;
  const lists = { ...full.lists, tools: full.lists?.tools ?? [answerTool] };
  return `export default ${JSON.stringify({ ...full, lists }, undefined, 2)};\n`;
}

/** The files of a project: run it with `node server.mjs`. */
export function reloadable(says: Behaviour | string): Record<string, string> {
  const server = pathToFileURL(join(root, 'fixtures/servers/reloadable.mjs')).href;
  return {
    'server.mjs': [
      `import { serve } from ${JSON.stringify(server)};`,
      `import behaviour from './src/behaviour.mjs';`,
      `await serve(behaviour);\n`,
    ].join('\n'),
    'src/behaviour.mjs': behaviour(says),
  };
}

export interface JournalEntry {
  generation: number;
  pid: number;
  line: string;
}

/** What each generation was told, in order: give the server `JOURNAL: file` in its environment. */
export function readJournal(file: string): JournalEntry[] {
  if (!existsSync(file)) return [];
  // What follows the last newline is being written, or nothing.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}
