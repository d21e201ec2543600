// Decides which rules apply: those of the configuration file, or the one that --watch and --build make. Pure. file/
// reads rules, project/ and lineage/ carry them out.

import type { Options } from './option-values.js';
import type { Rule } from './rule.js';

export interface Choice {
  /** The options of the command line and the environment. */
  readonly explicit: Options;
  /** The same options, and those of the file where they leave one open. */
  readonly all: Options;
  readonly fromFile: readonly Rule[] | undefined;
}

export function chooseRules({ explicit, all, fromFile }: Choice): { rules: readonly Rule[]; warnings: string[] } {
  if (fromFile === undefined) return { rules: ruleOf(all), warnings: [] };
  if (explicit.watch !== undefined) {
    const warning =
      'the rules of the configuration file have no effect, because --watch or its variable says what to watch';
    return { rules: ruleOf(all), warnings: [warning] };
  }
  const { build } = explicit;
  if (typeof build !== 'string') {
    return { rules: build === false ? fromFile.map(withoutBuild) : fromFile, warnings: [] };
  }
  if (fromFile.length === 1) return { rules: fromFile.map((rule) => ({ ...rule, build })), warnings: [] };
  const warning = `--build has no effect, because the configuration file has ${fromFile.length} rules with builds of their own`;
  return { rules: fromFile, warnings: [warning] };
}

/**
 * Adds files to the rule of the server: the one of that name, or the last that restarts it. If there is none, the files
 * get a rule of their own.
 */
export function withMore(rules: readonly Rule[], more: readonly string[], build?: string): readonly Rule[] {
  if (more.length === 0) return rules;
  const server = serverRule(rules);
  if (server !== undefined)
    return rules.map((rule) => (rule === server ? { ...rule, watch: [...new Set([...rule.watch, ...more])] } : rule));
  const name = rules.some((rule) => rule.name === 'server') ? 'also-watch' : 'server';
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the configuration file
  return [...rules, { name, watch: more, then: 'restart', ...(build !== undefined && { build }) }];
}

/** The rule that the server itself belongs to. */
export function serverRule(rules: readonly Rule[]): Rule | undefined {
  const restarting = rules.filter(({ then }) => then === 'restart');
  return restarting.find(({ name }) => name === 'server') ?? restarting.at(-1);
}

/** Whether something has to be built before a server is started. */
export function hasBuild(rules: readonly Rule[]): boolean {
  return rules.some(({ build }) => build !== undefined);
}

function ruleOf({ watch, build }: Options): Rule[] {
  if (watch === undefined || watch.length === 0) return [];
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the configuration file
  const rule: Rule = { name: 'default', watch, then: 'restart' };
  return [typeof build === 'string' ? { ...rule, build } : rule];
}

function withoutBuild(rule: Rule): Rule {
  const { build: _, ...rest } = rule;
  return rest;
}
