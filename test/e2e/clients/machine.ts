// A machine of its own for a test of the commands on clients' files: a home, a project with a server, and the built bin
// run there.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { newMarker, project, testEnvironment } from '../../support/harness.js';
import { bin, root } from '../../support/paths.js';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Machine {
  readonly home: string;
  readonly project: string;
  /** Neither: where clients start servers that do not start them in the project. */
  readonly elsewhere: string;
  readonly env: NodeJS.ProcessEnv;
  write(path: string, text: string | Buffer): void;
  read(path: string): Buffer;
  /** In the project; `path` from there. */
  run(...words: string[]): Promise<Outcome>;
  runIn(directory: string, ...words: string[]): Promise<Outcome>;
}

export function machine(t: TestContext, more: NodeJS.ProcessEnv = {}): Machine {
  const { directory } = project(t, {
    'home/.keep': '',
    'project/package.json': '{ "name": "mine" }\n',
    'elsewhere/.keep': '',
  });
  const [home, own, elsewhere] = ['home', 'project', 'elsewhere'].map((name) => join(directory, name));
  const paths = { home: home!, project: own!, elsewhere: elsewhere! };
  const env = {
    HOME: paths.home,
    XDG_CONFIG_HOME: undefined,
    CODEX_HOME: undefined,
    CLAUDE_CONFIG_DIR: undefined,
    XDG_STATE_HOME: join(directory, 'state'),
    ...more,
  };
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(join(paths.project, 'src'));
  for (const name of ['tools.mjs', 'lines.mjs']) {
    copyFileSync(join(root, 'fixtures/servers', name), join(paths.project, 'src', name));
  }
  const runIn = (cwd: string, ...words: string[]) => runBin(words, cwd, env);
  return {
    ...paths,
    env,
    write,
    read: (path) => readFileSync(path),
    run: (...words) => runIn(paths.project, ...words),
    runIn,
  };
}

async function runBin(words: readonly string[], cwd: string, more: NodeJS.ProcessEnv): Promise<Outcome> {
  const env = testEnvironment(newMarker(), more);
  const child = spawn(process.execPath, [bin, ...words], {
    cwd,
    env,
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

export const mine = { command: 'node', args: ['src/tools.mjs'] };

/** A machine whose project has a .mcp.json with these servers. */
export function withServers(t: TestContext, servers: object): Machine & { file: string } {
  const here = machine(t);
  const file = join(here.project, '.mcp.json');
  here.write(file, `${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`);
  return { ...here, file };
}
