// What the projects of tests are made of: an entry file and one small module that says how the server behaves, so that
// a test changes the server by writing a file. The servers themselves are reloadable.mjs and scripted.mjs in
// fixtures/servers; the proxy on such a project is reload-project.ts's.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.js';

const scriptedServer = pathToFileURL(join(root, 'fixtures/servers/scripted.mjs')).href;

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

/** The files of a project whose server is made of functions: exports `capabilities`, `methods` and `tools`. */
export function scripted(body: string): Record<string, string> {
  return {
    'server.mjs': [
      `import { serve } from ${JSON.stringify(scriptedServer)};`,
      `import * as given from './src/script.mjs';`,
      `await serve(given);\n`,
    ].join('\n'),
    'src/script.mjs': script(body),
  };
}

/** The source of `src/script.mjs`. */
export function script(body: string): string {
  return `import { appears, ask, generation, never, send } from ${JSON.stringify(scriptedServer)};\n${body}\n`;
}

/** A project whose server has read its sources and serves only while there is no file `hold-start`. */
export function gated(): { files: Record<string, string> } {
  const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
  const wait = `
    import { existsSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    if (existsSync('hold-start')) console.error('generation', process.env.MCP_HOTLINE_GENERATION, 'waits');
    while (existsSync('hold-start')) await delay(5);
    await serve(`;
  return { files: { 'server.mjs': server.replace('await serve(', wait) } };
}

/**
 * A project whose server runs what `node build.mjs` has made of the sources. The build reads them, notes itself down,
 * goes on only when there is no file `hold-build`, prints what the file `build-says` holds, and fails on a source that
 * says `wrong`.
 */
export function built(): { files: Record<string, string> } {
  const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
  return {
    files: {
      'server.mjs': server.replace('./src/', './dist/'),
      'build.mjs': `
        import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
        import { setTimeout as delay } from 'node:timers/promises';
        const source = readFileSync('src/behaviour.mjs', 'utf8');
        appendFileSync('builds.txt', process.pid + '\\n');
        while (existsSync('hold-build')) await delay(5);
        if (existsSync('build-says')) process.stdout.write(readFileSync('build-says'));
        if (source.includes('wrong')) {
          console.error('src/behaviour.mjs(1,9): error: this is wrong');
          process.exit(2);
        }
        mkdirSync('dist', { recursive: true });
        writeFileSync('dist/behaviour.mjs', source);
      `,
    },
  };
}
