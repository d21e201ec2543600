// Turns events into lines, as text for people or as JSON for programs: one event, one line. Only the text of a failure
// has more of them: the compiler's own lines follow, indented. What is said is log-words.ts's; where the lines go is
// left to destination.ts.

import type { EventBus } from '../events/bus.js';
import type { Origin } from '../events/events.js';
import { escapeControls } from './escape-controls.js';
import { logEntry, LOGGED_KINDS, type EventName, type Fields, type Level, type LogEntry } from './log-words.js';

export interface LogOptions {
  level: Level | 'silent';
  format: 'text' | 'json';
  write: (line: string) => void;
  colour?: boolean;
}

const ranks = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;
const colours: Record<Level, string> = { debug: '\x1b[2m', info: '', warn: '\x1b[33m', error: '\x1b[31m' };

/** `isFile`: the lines go to a file. */
export function subscribeLog(events: EventBus, options: LogOptions & { isFile?: boolean }): Disposable {
  const { isFile = false } = options;
  const log = createLog(options);
  return events.subscribe(LOGGED_KINDS, (event) => log(withSession(logEntry(event, { isFile }), event)));
}

/** Where there are several sessions, people and programs have to tell them apart. */
function withSession(entry: LogEntry, { session, transport }: Origin): LogEntry {
  if (session === undefined) return entry;
  return { ...entry, session, fields: { session, transport, ...entry.fields } };
}

/**
 * Writes entries: `text` is a sentence for people, in the case of a failure followed by lines of output; `fields` are
 * the facts of the event, which only the JSON shows.
 */
export function createLog(options: LogOptions): (entry: LogEntry) => void {
  const { level: threshold, format, write, colour = false } = options;
  return ({ level, name, text, session, fields = {} }) => {
    if (ranks[level] < ranks[threshold]) return;
    write(
      format === 'json'
        ? jsonLine(level, name, text, fields)
        : textLine(level, name, session === undefined ? text : `[${session}] ${text}`, colour),
    );
  };
}

function textLine(level: Level, event: EventName, text: string, colour: boolean): string {
  const [first = '', ...more] = event === 'failed' ? text.trimEnd().split(/\r?\n/) : [text];
  // The indent shows what belongs to the event, and keeps a server from writing lines that look like ours.
  const lines = [`mcp-hotline: ${escapeControls(first)}`, ...more.map((line) => escapeControls(`  ${line}`))];
  // Each line has its own colour: a pager or a terminal that cuts the text must not leave the rest of the screen red.
  const paint = (line: string): string => (line === '' ? line : `${colours[level]}${line}\x1b[0m`);
  return `${(colour && colours[level] !== '' ? lines.map(paint) : lines).join('\n')}\n`;
}

function jsonLine(level: Level, event: EventName, text: string, fields: Fields): string {
  // Spread twice: first, so that these four stand in front, and last, so that no field can overwrite them.
  const fixed = { time: new Date().toISOString(), level, event, text };
  try {
    return `${JSON.stringify({ ...fixed, ...fields, ...fixed }, plain)}\n`;
  } catch {
    return `${JSON.stringify(fixed)}\n`; // a cycle among the fields is no reason to lose the event
  }
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === 'bigint' ? String(value) : value;
}
