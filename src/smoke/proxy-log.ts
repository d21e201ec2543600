// Reads the proxy's own log, as JSON lines in a file: what it noticed about the server, and when a reload is over. A
// file and not stderr, because stderr is also the server's and may contain any lines.

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../lists/lists.js';
import type { EventName } from '../sinks/log-words.js';

export interface LogEvent extends Readonly<Record<string, unknown>> {
  readonly event: EventName;
  readonly text: string;
}

/** How often a file is read while an event is awaited. */
const CHECK_EVERY_MS = 25;

/** A server's process was started. */
export function isStart({ event, pid }: LogEvent): boolean {
  return event === 'starting' && pid !== undefined;
}

/** Everything logged so far; a line that is still being written does not count yet. */
export async function readLog(file: string): Promise<LogEvent[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      try {
        const parsed: unknown = JSON.parse(line);
        return isEvent(parsed) ? [parsed] : [];
      } catch {
        return [];
      }
    });
}

function isEvent(line: unknown): line is LogEvent {
  return isRecord(line) && typeof line['event'] === 'string' && typeof line['text'] === 'string';
}

/** The first event that is looked for, or nothing once the signal has come. */
export async function logged(
  file: string,
  wanted: (event: LogEvent) => boolean,
  signal: AbortSignal,
): Promise<LogEvent | undefined> {
  for (;;) {
    const found = (await readLog(file)).find(wanted);
    if (found !== undefined || signal.aborted) return found;
    await delay(CHECK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
