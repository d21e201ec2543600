// Lines of the audit trail as people read them: one line each, the time in theirs. Which lines is for log.ts and status.ts.

import type { AuditLine } from '../log/audit.js';
import { escapeControls } from '../log/log.js';

export function auditText(line: AuditLine): string {
  const { time, event, generation, pid, cause, ms, phases, files = [], changes = [] } = line;
  const facts = [
    generation === undefined ? '' : `generation ${generation}`,
    pid === undefined ? '' : `pid ${pid}`,
    ms === undefined ? '' : `${ms} ms${phasesText(phases)}`,
    cause ?? (files.length === 0 ? '' : named(files)),
    changes.join(', '),
  ];
  const said = facts.filter((fact) => fact !== '').join(', ');
  return escapeControls(`${localTime(time)}  ${event.padEnd(17)}  ${said}`);
}

/** ` (build 210, start 180)`, or nothing. */
export function phasesText(phases: Readonly<Record<string, number>> | undefined): string {
  const all = Object.entries(phases ?? {}).map(([name, ms]) => `${name} ${ms}`);
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (n: number): string => String(n).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

function named(files: readonly string[]): string {
  return files.length > 3 ? `${files.slice(0, 3).join(', ')} and ${files.length - 3} more` : files.join(', ');
}
