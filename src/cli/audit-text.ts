// Lines of the audit trail for people: one line each in local time, and below a failure its output. log.ts and
// status.ts choose the lines.

import type { AuditLine } from '../state/audit-trail.js';
import { escapeControls } from '../sinks/escape-controls.js';

/** `label`: which server the line is about. */
export function auditText(line: AuditLine, label: string): string {
  const { time, event, generation, pid, cause, ms, phases, files = [], changes = [], how, client, output = '' } = line;
  const facts = [
    generation === undefined ? '' : `generation ${generation}`,
    pid === undefined ? '' : `pid ${pid}`,
    client === undefined ? '' : `for ${client}`,
    ms === undefined ? '' : `${ms} ms${phasesText(phases)}`,
    cause ?? (files.length === 0 ? '' : named(files)),
    how === 'undone' ? 'the files are back to the code that runs' : '',
    changes.join(', '),
  ];
  const said = facts.filter((fact) => fact !== '').join(', ');
  const first = escapeControls(`${localTime(time)}  ${label}  ${event.padEnd(17)}  ${said}`);
  return [first, ...indented(output, 4)].join('\n');
}

/** Indents several lines of a program's output, so that none of them looks like a line of ours. */
export function indented(text: string, by: number): string[] {
  if (text.trim() === '') return [];
  return text
    .trimEnd()
    .split('\n')
    .map((line) => escapeControls(`${' '.repeat(by)}${line}`));
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
