// The log of a proxy that writes JSON (`--log-format json`), out of what came on stderr: events, and nothing of what
// the server printed there.

import type { Json } from './message.js';

export interface LogEvent {
  readonly event: string;
  readonly level: string;
  readonly text: string;
  readonly [field: string]: Json;
}

/** The event that a line is, if it is one. */
export function eventOf(line: string): LogEvent | undefined {
  return line.startsWith('{"time"') ? (JSON.parse(line) as LogEvent) : undefined;
}

/** Whole lines only: what follows the last newline is still being written. */
export function readLog(stderr: string): LogEvent[] {
  return stderr
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => eventOf(line) ?? []);
}
