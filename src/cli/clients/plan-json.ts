// A plan and its outcome as data for programs. Commands appear as they are shown to people, without values that may be
// secret.

import type { Client } from '../../clients/client.js';
import type { Plan, Step } from '../../clients/plan.js';
import { hidden } from '../../clients/shown-words.js';

export interface Report {
  readonly plan: Plan;
  readonly written: readonly string[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly next: readonly Client[];
  readonly skills: readonly string[];
}

export function reportJson({ plan, written, problems, warnings, next, skills }: Report): string {
  const files = plan.planned.map(({ configuration, steps, warnings: own }) => ({
    path: configuration.path,
    clients: configuration.clients.map(({ id }) => id),
    scope: configuration.scope,
    servers: steps.map((step) => ({ ...stepData(step), written: isWritten(step, configuration.file.realPath) })),
    warnings: own,
  }));
  function isWritten({ action }: Step, path: string): boolean {
    return action !== 'leave' && written.includes(path);
  }
  return JSON.stringify(
    {
      changed: written.length > 0,
      files,
      problems,
      warnings,
      skills,
      next: next.map(({ id, afterWrap }) => ({ client: id, do: afterWrap })),
    },
    undefined,
    2,
  );
}

function stepData(step: Step): object {
  const { action, name } = step;
  if (step.action === 'leave') return { name, action, reason: step.reason };
  return { name, action, before: hidden(step.before), after: hidden(step.after), warnings: step.warnings };
}
