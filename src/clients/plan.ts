// What a command is going to do to the clients' files, as data: for each server what becomes of it and why, for each
// file its new text. Made by plan-wrap.ts and plan-unwrap.ts; shown by the command line and written by apply.ts.

import type { Configuration } from './configurations.js';
import type { Installation } from './prefix.js';
import type { Machine } from './places.js';
import type { Project } from './project.js';
import type { Undo } from './shape.js';

/** Where a command is used. */
export interface Context {
  readonly machine: Machine;
  readonly cwd: string;
  readonly project: Project;
  readonly installation: Installation;
}

export interface Request {
  /** Empty: those that the command takes by itself. */
  readonly names: readonly string[];
  readonly all: boolean;
}

export type Step =
  | {
      readonly action: 'wrap' | 'unwrap';
      readonly name: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly warnings: readonly string[];
      /** What `unwrap` needs besides the file. */
      readonly undo?: Undo | undefined;
    }
  | { readonly action: 'leave'; readonly name: string; readonly reason: string };

export interface Planned {
  readonly configuration: Configuration;
  readonly steps: readonly Step[];
  /** About the file as a whole. */
  readonly warnings: readonly string[];
}

export interface Plan {
  readonly planned: readonly Planned[];
  /** The new text of each file that changes, by its real path: two clients may have links to one file. */
  readonly texts: ReadonlyMap<string, string>;
}

export function changesOf({
  planned,
}: Plan): { configuration: Configuration; step: Step & { action: 'wrap' | 'unwrap' } }[] {
  return planned.flatMap(({ configuration, steps }) =>
    steps.flatMap((step) => (step.action === 'leave' ? [] : [{ configuration, step }])),
  );
}

/** Without the name in front, since the name is shown anyway. */
export function reasonOf(error: string, name: string): string {
  const quoted = `${JSON.stringify(name)} `;
  return error.startsWith(quoted) ? `it ${error.slice(quoted.length)}` : error;
}
