// Plans `unwrap`: which servers get their own command back, and what the files look like then. Writes nothing.

import type { Configuration } from './configurations.js';
import { decideUnwrap } from './decision.js';
import { readServers, unwrapServer, wrappedWords } from './documents.js';
import { reasonOf, type Context, type Plan, type Planned, type Request, type Step } from './plan.js';
import { serverBelonging } from './plan-wrap.js';
import { cwdOption } from './prefix.js';
import type { ServerEntry } from './shape.js';
import { readUndo } from './undo-records.js';

export async function planUnwrap(
  configurations: readonly Configuration[],
  request: Request,
  context: Context,
): Promise<Plan> {
  const texts = new Map<string, string>();
  const planned: Planned[] = [];
  for (const configuration of configurations) {
    const steps: Step[] = [];
    for (const entry of configuration.servers) {
      const isNamed = request.names.includes(entry.name);
      // Those that were never wrapped are worth a word only if they were named.
      if (!isNamed && (request.names.length > 0 || wrappedWords(entry.words ?? []) === undefined)) continue;
      steps.push(await stepOf(entry, configuration, request, context, texts));
    }
    planned.push({ configuration, steps, warnings: [] });
  }
  return { planned, texts };
}

async function stepOf(
  entry: ServerEntry,
  configuration: Configuration,
  { names, all }: Request,
  context: Context,
  texts: Map<string, string>,
): Promise<Step> {
  const { scope, shape, file } = configuration;
  const { name, words = [] } = entry;
  const wrapped = wrappedWords(words);
  const cwd = wrapped === undefined ? undefined : (cwdOption(wrapped.proxy) ?? entry.cwd);
  const belonging = wrapped && (await serverBelonging(wrapped.server, cwd, configuration, context));
  const decision = decideUnwrap(entry, belonging, { isNamed: names.includes(name), all, scope });
  if (decision.action === 'leave') return { action: 'leave', name, reason: decision.reason };
  const undo = await readUndo({ file: file.realPath, servers: shape.servers, name }, context.machine.env);
  const unwrapped = unwrapServer(texts.get(file.realPath) ?? file.text, shape, name, undo);
  if (!unwrapped.ok) return { action: 'leave', name, reason: reasonOf(unwrapped.error, name) };
  texts.set(file.realPath, unwrapped.value.text);
  const after = readServers(unwrapped.value.text, shape);
  const written = after.ok ? after.value.find((one) => one.name === name)?.words : undefined;
  return {
    action: 'unwrap',
    name,
    before: words,
    after: written ?? wrapped?.server ?? [],
    warnings: unwrapped.value.exact ? [] : [inexact(undo !== undefined)],
  };
}

function inexact(hasRecord: boolean): string {
  const why = hasRecord ? 'it was edited since it was wrapped' : 'there is no record of how it was written before';
  return `${why}: the entry means the same, and may be spelled in another way`;
}
