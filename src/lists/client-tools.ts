/*
 * The tools as one client has them: what it was served, which of them are others with the server by now, and what it
 * was told of those. Pure. Whose it is, and what serves, is known in exchange/.
 */
import { equalJson } from './compare.js';
import { isRecord } from './lists.js';
import { createServed, type Served } from './served.js';
import { outdatedTools, toolsByName, type OutdatedTool } from './tool-changes.js';

type Items = readonly unknown[];
type Outdated = ReadonlyMap<string, OutdatedTool>;
type Change = Pick<OutdatedTool, 'kind' | 'before' | 'after'>;

export interface ClientTools {
  readonly served: Served;
  /** What was described to it in full, by tool. */
  readonly described: Map<string, Change>;
  /** The last comparison: it holds as long as both lists are the same ones. */
  compared: { readonly served: Items; readonly now: Items; readonly outdated: Outdated } | undefined;
}

const NONE: Outdated = new Map();

export function createClientTools(served: Served = createServed()): ClientTools {
  return { served, described: new Map(), compared: undefined };
}

/** Those that the client has otherwise than they are now. `now`: undefined if that is not known. */
export function outdatedOf(tools: ClientTools, now: Items | undefined): Outdated {
  const served = tools.served.items('tools');
  if (served === undefined || now === undefined || served === now) return NONE;
  const last = tools.compared;
  if (last?.served === served && last.now === now) return last.outdated;
  const outdated = outdatedTools(toolsByName(served), toolsByName(now));
  tools.compared = { served, now, outdated };
  return outdated;
}

/** Whether this very change was described to the client before. */
export function isDescribed({ described }: ClientTools, tool: string, { kind, before, after }: Change): boolean {
  const last = described.get(tool);
  return last?.kind === kind && equalJson(last.after, after) && equalJson(last.before, before);
}

export function noteDescribed({ described }: ClientTools, tool: string, { kind, before, after }: Change): void {
  described.set(tool, { kind, before, after });
}

/**
 * The client was shown these tools in another way than by a list of its own: it has the same list, but knows better.
 */
export function noteShown(tools: ClientTools, shown: Items): void {
  const has = toolsByName(tools.served.items('tools') ?? []);
  for (const [name, { inputSchema: after }] of toolsByName(shown.filter(isRecord)))
    if (has.has(name)) noteDescribed(tools, name, { kind: 'changed', before: has.get(name)?.['inputSchema'], after });
}
