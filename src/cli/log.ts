// `mcp-hotline log`: the audit trail of a directory's servers, oldest first, for people or as data. With -f it
// continues with new events until it is ended or nobody reads any more.

import type { Result } from '../config/check.js';
import type { CommandLineOptions } from '../config/config.js';
import { readAudit, type AuditLine } from '../state/audit-trail.js';
import { followAudit } from '../state/follow.js';
import { NotRegular } from '../state/state-file.js';
import { auditText, localTime } from './audit-text.js';
import { readSince } from './since.js';
import { findStateDirs, labelsOf, nothingFound } from './state-dirs.js';

export type LogGiven = CommandLineOptions & { json?: boolean; follow?: boolean; lines?: number; since?: string };

/** A line, and the server that it is about. */
interface Labelled {
  readonly line: AuditLine;
  readonly label: string;
}

/** Where the lines go, and what is said beside them. */
interface Output {
  write(text: string): void;
  /** For people: nothing that a program reads. */
  note(text: string): void;
}

/** Writes by itself, since it may never end. `over` ends it. */
export async function log(
  { json = false, follow = false, lines: count, since, ...given }: LogGiven,
  { write, note }: Output,
  over: AbortSignal,
): Promise<Result<number>> {
  const from = since === undefined ? { ok: true as const, value: -Infinity } : readSince(since, Date.now());
  if (!from.ok) return from;
  const found = await findStateDirs(given);
  if (!found.ok) return found;
  const { cwd, dirs } = found.value;
  if (dirs.length === 0) return { ok: false, error: nothingFound(cwd) };
  const labels = labelsOf(dirs);
  const label = (at: number) => (lines: readonly AuditLine[]) =>
    lines.map((line): Labelled => ({ line, label: `${labels[at]} #${line.proxy ?? '?'}` }));
  const print = (lines: readonly Labelled[]): void => {
    const shown = lines.map(({ line, label: name }) =>
      json ? JSON.stringify({ ...line, label: name }) : auditText(line, name),
    );
    if (shown.length > 0) write(`${shown.join('\n')}\n`);
  };
  const printPast = (trails: readonly (readonly Labelled[])[]): void => {
    const past = trails.flat().sort((a, b) => a.line.time.localeCompare(b.line.time));
    const recent = past.filter(({ line }) => !(Date.parse(line.time) < from.value));
    const last = count === undefined ? recent : recent.slice(Math.max(0, recent.length - count));
    print(last);
    if (recent.length > 0) return;
    const what =
      past.length === 0
        ? `nothing has happened yet to the servers of ${cwd}`
        : `nothing has happened to the servers of ${cwd} since ${localTime(new Date(from.value).toISOString())}`;
    note(`${what}${follow ? '; waiting for what comes' : ''}`);
  };
  try {
    if (!follow) {
      printPast(await Promise.all(dirs.map(async ({ dir }, at) => label(at)(await readAudit(dir)))));
      return { ok: true, value: 0 };
    }
    const trails = dirs.map(({ dir }, at) => followAudit(dir, (lines) => print(label(at)(lines)), over));
    printPast(await Promise.all(trails.map(async (trail, at) => label(at)(await trail.past))));
    await Promise.all(trails.map((trail) => trail.follow()));
  } catch (error) {
    if (error instanceof NotRegular) return { ok: false, error: error.message };
    throw error;
  }
  return { ok: true, value: 0 };
}
