// Waits, never for ever, until a stream has handed on what was written to it. What to do when it has not is the
// caller's.

import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when nothing is left in the stream, when it is gone, or after `within` milliseconds. */
export async function flush(stream: Writable, within: number): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.writableLength === 0) return;
  const flushed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
  await atMost(within, flushed);
}

export async function atMost(within: number, done: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  await Promise.race([done, sleep(within, undefined, { signal: enough.signal }).catch(() => {})]);
  enough.abort();
}
