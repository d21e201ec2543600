// A server over HTTP that mcp-hotline does not start: the test starts it, ends it and starts it anew, as somebody in
// another terminal would. What it says is in `src/behaviour.json`.

import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';
import { newMarker, project, testEnvironment } from './harness.js';
import type { Project } from './project.js';
import { until } from './until.js';
import { kinds, unusedPort, type Kind, type Says } from './upstream-project.js';

export interface ForeignServer {
  readonly files: Project;
  readonly url: string;
  say(says: Says): void;
  /** Resolves when it listens. */
  start(): Promise<void>;
  /** Resolves when its process is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function foreignServer(t: TestContext, kind: Kind, env: NodeJS.ProcessEnv = {}): Promise<ForeignServer> {
  const files = project(t, { 'src/behaviour.json': JSON.stringify({ answer: 'one' }) });
  const port = await unusedPort();
  const { command, path, env: own } = kinds[kind];
  const [program = '', ...args] = command;
  const everything = { ...testEnvironment(newMarker()), ...own, ...env, PORT: String(port) };
  let child: ChildProcess | undefined;
  const stop: ForeignServer['stop'] = async (signal = 'SIGKILL') => {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    const exited = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(signal);
    await exited;
  };
  cleanup(t, () => stop());
  return {
    files,
    url: `http://127.0.0.1:${port}${path}`,
    say: (says) => files.write('src/behaviour.json', JSON.stringify(says)),
    async start() {
      child = spawn(program, args, { cwd: files.directory, env: everything, stdio: 'ignore' });
      await until(() => listens(port), 'a server that listens', { transcript: () => command.join(' ') });
    },
    stop,
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
