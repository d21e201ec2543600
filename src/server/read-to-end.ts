/**
 * The end of a server: its process has exited, and what it had written by then is read before anybody is told. Over
 * what it has written, pipes or connections, is the caller's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Exit } from '../process/child.js';
import type { ServerProcess } from './server-process.js';

/** How long a process that has exited is still read: only a stranger can hold its pipes and connections. */
const READ_AFTER_EXIT_MS = 250;

export interface Output {
  /** Reads on, even if the client is slow: what is left is little, and nobody adds to it. */
  resume(): void;
  /** Resolves when nothing more can come. */
  readonly ended: () => Promise<unknown>;
  /** Takes what has been read for all there is. */
  finish(): void;
}

export async function readToEnd(process: ServerProcess, output: Output, onExit: (exit: Exit) => void): Promise<void> {
  const exit = await process.exited;
  output.resume();
  process.readRest();
  const over = new AbortController();
  await Promise.race([
    Promise.all([output.ended(), process.stderrEnded]),
    delay(READ_AFTER_EXIT_MS, undefined, { signal: over.signal }),
  ]).catch(() => {});
  over.abort();
  output.finish();
  process.finish(exit);
  onExit(exit);
}
