// What the tests of this folder share: reading the failure that a call is answered with, and looking at what only the
// disk or the system can tell, and a server that dies on demand. What fails, and how, is each test's own.

import assert from 'node:assert/strict';
import type { ReloadProject } from '../../support/reload-project.js';
import { built as builtProject, script, scripted } from '../../support/reloadable.js';
import type { Message } from '../../support/message.js';

/** The failure that a tool call is answered with, without having been executed. */
export async function failureOf(proxy: ReloadProject, name = 'answer'): Promise<string> {
  return failureIn(await proxy.request('tools/call', { name }), proxy.transcript);
}

/** The text of a tool result that is one text and an error. */
export function failureIn({ result, error }: Message, story: () => string): string {
  assert.equal(error, undefined, story());
  assert.equal(result.isError, true, story());
  assert.equal(result.content.length, 1);
  assert.equal(result.content[0].type, 'text');
  return result.content[0].text as string;
}

/** A project with a build (see `built` in watched.ts), and the option that runs it. */
export const builtFiles = (): Record<string, string> => builtProject().files;
export const build = ['--build', 'node build.mjs'];

/** How many lines of the log, or of the server's stderr, match. */
export function countLog(proxy: ReloadProject, pattern: RegExp): number {
  return proxy
    .stderr()
    .split('\n')
    .filter((line) => pattern.test(line)).length;
}

/**
 * A server that can be told to die. Its tools: `which`, `die` with a code or a signal and last words (on stderr, or on
 * `fd`), `slow` until there is a file `gate`.
 */
export const mortal = (more = ''): string =>
  script(`import { writeSync } from 'node:fs';
  export const tools = {
    which: () => generation,
    die: ({ code, signal, words = '', fd = 2 }) => {
      writeSync(fd, words);
      if (signal) process.kill(process.pid, signal);
      else process.exit(code);
      return never;
    },
    slow: async () => (await appears('gate'), generation),
  };${more}`);
export const mortalFiles = (): Record<string, string> => ({ ...scripted(''), 'src/script.mjs': mortal() });

/** A state directory that holds what the command said of itself when it ran before, and the option that names it. */
export const memory = (said: object): Record<string, string> => ({ 'state/introductions.json': JSON.stringify(said) });
export const withMemory = ['--state-dir', 'state'];

/** What the list of tools has while no server has ever come up. */
export const standInTools = ['server_status', 'list_server_tools', 'call_server_tool'];

export const namesIn = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);
