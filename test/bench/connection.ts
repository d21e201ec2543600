// A client as light as can be: it runs one way to the server, writes bytes and counts the lines that come back. What to
// send and what to time is left to measure.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Way } from './ways.js';

export interface Connection {
  readonly pid: number;
  /** From the start of the process to the answer to `initialize`, in milliseconds. */
  readonly startUp: number;
  /** Writes the pieces at once. */
  send(pieces: readonly Buffer[]): void;
  /** Who is told of each chunk, as the number of lines that it ends and of its bytes. */
  listener: (lines: number, bytes: number) => void;
  close(): Promise<void>;
}

export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } },
};
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

const patience = 30_000;

export async function connect(way: Way): Promise<Connection> {
  const begin = performance.now();
  const child = spawn(process.execPath, way.args, { env: way.env, cwd: way.cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const connection: Connection = {
    pid: child.pid ?? 0,
    startUp: 0,
    send(pieces) {
      child.stdin.cork();
      for (const piece of pieces) child.stdin.write(piece);
      child.stdin.uncork();
    },
    listener: () => {},
    async close() {
      child.stdin.end();
      await exited;
    },
  };
  child.stdout.on('data', (chunk: Buffer) => connection.listener(countLines(chunk), chunk.length));
  const answered = untilBack(connection, 1);
  connection.send([line(initialize)]);
  await Promise.race([
    answered,
    exited.then(() => Promise.reject(new Error(`${way.args.join(' ')}: ended before it answered`))),
  ]);
  const startUp = performance.now() - begin;
  connection.send([line(initialized)]);
  return Object.assign(connection, { startUp });
}

/** Settles when so many lines have come back, with their bytes. Fails when nothing has come for half a minute. */
export function untilBack(connection: Connection, lines: number, onLines?: (arrived: number) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let left = lines;
    let total = 0;
    const deadline = setTimeout(() => reject(new Error(`${left} of ${lines} answers are missing`)), patience);
    connection.listener = (arrived, bytes) => {
      left -= arrived;
      total += bytes;
      if (arrived > 0) onLines?.(arrived);
      if (left > 0) return;
      clearTimeout(deadline);
      connection.listener = () => {};
      resolve(total);
    };
  });
}

function line(message: object): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}
