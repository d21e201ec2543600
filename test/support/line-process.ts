// A process with pipes whose output is cut into lines: what every client of the tests, the soak and the benchmark
// starts. It keeps nothing and understands nothing; that is for those who are handed the lines.

import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { splitLines } from './lines.js';
import type { LineSplitter } from './lines.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LineProcessOptions {
  cwd?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** In a process group of its own, which a signal to the tests does not reach. */
  detached?: boolean;
  /** With a channel for messages of Node's own. */
  ipc?: boolean;
  /** Without it, stdout stays unread. */
  onLine?: (line: Buffer) => void;
  onLogLine: (line: Buffer) => void;
}

export interface LineProcess {
  readonly child: ChildProcess & Pick<ChildProcessWithoutNullStreams, 'stdin' | 'stdout' | 'stderr'>;
  /** On exit, whatever its pipes do. Rejects if it could not be started. */
  readonly exited: Promise<Exit>;
  /** What follows the last newline on stderr. */
  readonly log: LineSplitter;
  /** Writes a message as a line. False: the pipe is full. */
  write(message: object): boolean;
}

export function startLineProcess(argv: readonly string[], options: LineProcessOptions): LineProcess {
  const { cwd, env, detached = false, ipc = false, onLine, onLogLine } = options;
  const stdio = ['pipe', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])] as const;
  const child = spawn(argv[0]!, argv.slice(1), { cwd, env, stdio: [...stdio], detached }) as LineProcess['child'];
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // Whoever does not ask need not be told that it could not be started.
  exited.catch(() => {});
  child.stdin.on('error', () => {});
  if (onLine !== undefined) {
    const lines = splitLines(onLine);
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  }
  const log = splitLines(onLogLine);
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk));
  return { child, exited, log, write: (message) => child.stdin.write(`${JSON.stringify(message)}\n`) };
}
