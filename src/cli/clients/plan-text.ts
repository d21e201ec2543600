// A plan as text for people: for each file a short diff, what is left alone and why; afterwards what was done, and what
// to do next. Values of variables are never shown.

import type { Client } from '../../clients/client.js';
import type { Context, Plan, Planned, Step } from '../../clients/plan.js';
import { shownPath } from '../../clients/shown-path.js';
import { shownCommand } from '../../clients/shown-words.js';
import { escapeControls } from '../../sinks/escape-controls.js';

type Shown = Pick<Context, 'cwd' | 'machine'>;

export function planText({ planned }: Plan, context: Shown): string {
  return planned
    .filter(({ steps }) => steps.length > 0)
    .map((one) => configurationLines(one, context).map(escapeControls).join('\n'))
    .join('\n\n');
}

function configurationLines({ configuration, steps, warnings }: Planned, context: Shown): string[] {
  return [
    `${pathText(configuration.path, context)} (${namesText(configuration.clients)})`,
    ...steps.flatMap(stepLines),
    ...warnings.map((warning) => `  ! ${warning}`),
  ];
}

function stepLines(step: Step): string[] {
  if (step.action === 'leave') return [`  ${step.name}: left alone: ${step.reason}`];
  return [
    `  ${step.name}`,
    `    - ${shownCommand(step.before)}`,
    `    + ${shownCommand(step.after)}`,
    ...step.warnings.map((warning) => `    ! ${warning}`),
  ];
}

export function doneText(plan: Plan, written: readonly string[], context: Shown): string[] {
  return plan.planned
    .filter(({ configuration }) => written.includes(configuration.file.realPath))
    .flatMap(({ configuration: { path }, steps }) => {
      const changed = steps.filter(({ action }) => action !== 'leave');
      if (changed.length === 0) return [];
      const what = changed[0]?.action === 'wrap' ? 'wrapped' : 'unwrapped';
      return [escapeControls(`${what} ${changed.map(({ name }) => name).join(', ')} in ${pathText(path, context)}`)];
    });
}

export function pathText(path: string, { cwd, machine }: Shown): string {
  return shownPath(path, { cwd, home: machine.home });
}

export function namesText(clients: readonly Client[]): string {
  return clients.map(({ name }) => name).join(', ');
}

/** One line a client: what to do now. */
export function nextText(clients: readonly Client[]): string[] {
  return clients.map(({ name, afterWrap }) => `${name}: ${afterWrap}`);
}
