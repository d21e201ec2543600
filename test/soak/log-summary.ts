// What a proxy of the soak says on stderr: events counted by name, the process that serves, warnings by their first
// words. The servers' own lines are passed over, but the last lines of all are kept for the story of a fault.

import { eventOf } from '../support/proxy-log.js';

export interface LogSummary {
  push(line: string): void;
  /** How often each event was told. */
  readonly events: ReadonlyMap<string, number>;
  readonly warnings: ReadonlyMap<string, number>;
  /** The process id of the server that serves, as far as it was told. */
  readonly serving: number | undefined;
  /**
   * It has lately said of files that it can't keep up with them, or takes them for outputs: old code may answer then.
   */
  waives(): boolean;
  last(count: number): string;
}

const KEPT = 200;
/** Milliseconds. What was said holds until the files are seen at rest, which is not said. */
const WAIVED = 30_000;

export function createLogSummary(): LogSummary {
  const events = new Map<string, number>();
  const warnings = new Map<string, number>();
  const recent: string[] = [];
  let serving: number | undefined;
  let waivedAt = -Infinity;
  const add = (map: Map<string, number>, key: string) => void map.set(key, (map.get(key) ?? 0) + 1);
  const push = (line: string): void => {
    recent.push(line.slice(0, 500));
    if (recent.length > KEPT) recent.shift();
    const said = eventOf(line);
    if (said === undefined) return;
    const { event, level, text, pid } = said;
    add(events, event);
    if (['starting', 'ready', 'reloaded'].includes(event) && pid !== undefined) serving = Number(pid);
    if (event === 'crashed') serving = undefined;
    if (/taken for an output|changes faster than/.test(text)) waivedAt = performance.now();
    if (event === 'warning' || level === 'error') add(warnings, general(text));
  };
  return {
    push,
    events,
    warnings,
    get serving() {
      return serving;
    },
    waives: () => performance.now() - waivedAt < WAIVED,
    last: (count) => recent.slice(-count).join('\n'),
  };
}

/** Without what is different each time. */
function general(text: string): string {
  return text
    .split('\n')[0]!
    .replaceAll(/part-\d/g, 'part-n')
    .replaceAll(/\d+/g, 'n')
    .slice(0, 120);
}
