// The common part of `wrap` and `unwrap`: finds the configurations, makes the plan, shows it, asks, and writes the
// files. clients/ makes the plans.

import { existsSync } from 'node:fs';
import { applyPlan, overwritten } from '../../clients/apply.js';
import type { Client } from '../../clients/client.js';
import type { Configuration } from '../../clients/configurations.js';
import { signsOf } from '../../clients/places.js';
import { changesOf, type Context, type Plan, type Request } from '../../clients/plan.js';
import type { Result } from '../../config/check.js';
import type { CommandLineOptions } from '../../config/config.js';
import { ask, canAsk } from './ask.js';
import { contextOf } from './context.js';
import { find } from './find.js';
import { reportJson, type Report } from './plan-json.js';
import { doneText, nextText, pathText, planText } from './plan-text.js';

/** The options that both commands have. */
export interface EditOptions extends CommandLineOptions {
  readonly client?: string;
  readonly file?: string;
  readonly user?: boolean;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export interface Edit {
  readonly options: EditOptions;
  readonly names: readonly string[];
  readonly verb: 'wrap' | 'unwrap';
  makePlan(configurations: readonly Configuration[], request: Request, context: Context): Promise<Plan>;
  /** Further work for the clients of these configurations; returns lines that report it. Not called with --dry-run. */
  readonly finish?: ((configurations: readonly Configuration[], context: Context) => string[]) | undefined;
  /** Further work that the user could ask for, in lines for people. */
  readonly offer?: ((configurations: readonly Configuration[], context: Context) => string[]) | undefined;
  print(text: string): Promise<void>;
}

export async function edit(command: Edit): Promise<Result<number>> {
  const { options, names, verb, makePlan, finish, offer, print } = command;
  const isJson = options.json === true;
  const nothingDone = { next: [], written: [], warnings: [], skills: [] };
  const failed = async (failure: { ok: false; error: string }): Promise<Result<number>> => {
    const plan: Plan = { planned: [], texts: new Map() };
    if (isJson) await print(reportJson({ ...nothingDone, plan, problems: [failure.error] }));
    return failure;
  };
  const where = contextOf(options);
  if (!where.ok) return failed(where);
  const context = where.value;
  const found = await find(options, names, context);
  if (!found.ok) return failed(found);
  const { usable, unusable } = found.value;
  const plan = await makePlan(usable, { names, all: options.all === true }, context);
  const broken = unusable.map(({ problem }) => problem);
  const nothingYet: Report = { ...nothingDone, plan, problems: broken };

  if (plan.texts.size === 0 || options.dryRun === true) {
    const skills = options.dryRun === true ? [] : (finish?.(usable, context) ?? []);
    const text = planText(plan, context) || nothingToDo(verb, usable, context);
    await print(isJson ? reportJson({ ...nothingYet, skills }) : [text, ...skills].join('\n'));
    return ended(broken);
  }
  if (!isJson) await print([planText(plan, context), ...severalPlaces(names, plan, context)].join('\n\n'));
  const refusal = options.yes === true ? undefined : await refusalOf(plan, isJson);
  if (refusal !== undefined) {
    const problems = [...broken, refusal];
    if (isJson) await print(reportJson({ ...nothingYet, problems }));
    return ended(problems);
  }
  const { written, problems, warnings } = await carryOut(plan, context);
  const done = usable.filter(({ file }) => written.includes(file.realPath));
  const next = clientsOf(done, plan, context);
  const skills = done.length === 0 ? [] : (finish?.(done, context) ?? []);
  const all = [...broken, ...problems];
  if (isJson) await print(reportJson({ plan, next, written, problems: all, warnings, skills }));
  else if (written.length + warnings.length > 0) {
    const lines = [...doneText(plan, written, context), ...warnings, ...skills, ...nextText(next), ...careful(done)];
    if (done.length > 0) lines.push(...(offer?.(done, context) ?? []));
    await print(['', ...lines].join('\n'));
  }
  return ended(all);
}

function ended(problems: readonly string[]): Result<number> {
  return problems.length === 0 ? { ok: true, value: 0 } : { ok: false, error: problems.join('\n') };
}

/** Why the plan is not carried out; undefined if the user has agreed to it. */
async function refusalOf({ texts }: Plan, isJson: boolean): Promise<string | undefined> {
  if (isJson || !canAsk()) return 'nothing was changed: add --yes to do it';
  const agreed = await ask(`Change ${texts.size === 1 ? 'this file' : `these ${texts.size} files`}?`);
  return agreed ? undefined : 'nothing was changed';
}

async function carryOut(plan: Plan, context: Context): ReturnType<typeof applyPlan> {
  const { written, problems, warnings } = await applyPlan(plan, context);
  const gone = await overwritten(plan, written);
  const lost = gone.map(
    (path) =>
      `${pathText(path, context)} was written by its client again, and the change is gone: quit the client and try again`,
  );
  return { written: written.filter((path) => !gone.includes(path)), problems: [...problems, ...lost], warnings };
}

function careful(done: readonly Configuration[]): string[] {
  if (!done.some(({ rewritten }) => rewritten)) return [];
  return [
    'Claude Code writes ~/.claude.json while it runs. The change was still there after a second; if it is gone later, quit Claude Code and try again.',
  ];
}

/** For each changed file its own client, and the other clients on this machine that read it. */
function clientsOf(configurations: readonly Configuration[], plan: Plan, { machine }: Context): Client[] {
  const changed = new Set(changesOf(plan).map(({ configuration }) => configuration));
  const all = configurations
    .filter((configuration) => changed.has(configuration))
    .flatMap(({ clients: [first, ...others] }) => [
      first,
      ...others.filter((client) => signsOf(client, machine).some((sign) => existsSync(sign))),
    ]);
  return [...new Set(all)];
}

/** Warns that a name stands in several files: the server is changed in each of them. */
function severalPlaces(names: readonly string[], plan: Plan, context: Context): string[] {
  return names.flatMap((name) => {
    const own = changesOf(plan).filter(({ step }) => step.name === name);
    if (own.length < 2) return [];
    const places = own.map(
      ({ configuration: { path, clients } }) => `${pathText(path, context)} (--client ${clients[0].id})`,
    );
    return [
      `${name} is in ${own.length} places: ${places.join(', ')}. To change one of them alone, add --client or --file.`,
    ];
  });
}

function nothingToDo(verb: string, usable: readonly Configuration[], context: Context): string {
  return `nothing to ${verb} in ${[...new Set(usable.map(({ path }) => pathText(path, context)))].join(', ')}`;
}
