// `mcp-hotline wrap`: puts servers behind the proxy, in the configurations of MCP clients.

import { existsSync } from 'node:fs';
import type { Configuration } from '../../clients/configurations.js';
import type { Context } from '../../clients/plan.js';
import { planWrap } from '../../clients/plan-wrap.js';
import { installSkill, skillFile } from '../../clients/skill.js';
import type { Result } from '../../config/check.js';
import { edit, type EditOptions } from './edit.js';
import { pathText } from './plan-text.js';

export interface WrapOptions extends EditOptions {
  readonly portable?: boolean;
  readonly skill?: boolean;
}

/** `proxyOptions` are written in front of the server's command, as they are. */
export async function wrap(
  given: WrapOptions,
  names: readonly string[],
  proxyOptions: readonly string[],
  print: (text: string) => Promise<void>,
): Promise<Result<number>> {
  const { portable } = given;
  return edit({
    options: given,
    names,
    verb: 'wrap',
    makePlan: (configurations, request, context) =>
      planWrap(configurations, { ...request, portable, options: proxyOptions }, context),
    finish: given.skill === true ? copySkills : undefined,
    offer: given.skill === true ? undefined : offerSkills,
    print,
  });
}

/** Names the place for the skill, unless there is a file. */
function offerSkills(configurations: readonly Configuration[], { project, machine }: Context): string[] {
  const names = configurations.flatMap(({ clients: [client], scope, base }) => {
    const user = scope === 'user';
    const file = skillFile(client.id, user ? project.root : base, machine.home, { user });
    return file === undefined || existsSync(file) ? [] : [client.name];
  });
  if (names.length === 0) return [];
  return [
    `The same with --skill also gives ${[...new Set(names)].join(', ')} the skill for agents: edit, and just call.`,
  ];
}

/**
 * Copies the skill to the places where the clients with wrapped servers look for it, once for each place.
 */
function copySkills(configurations: readonly Configuration[], context: Context): string[] {
  const { project, machine } = context;
  const lines = configurations.map(({ clients: [client], scope, base }) => {
    const installed = installSkill(client.id, scope === 'user' ? project.root : base, machine.home, {
      user: scope === 'user',
    });
    if (!installed.ok) return `no skill for ${client.name}: ${installed.error}`;
    return `the skill for ${client.name} is in ${pathText(installed.value.path, context)}`;
  });
  return [...new Set(lines)];
}
