/*
 * The tools as one client has them: what it was served, which of them are others with the server by now, and what it was
 * told of those. Pure. Whose it is, and what serves, is known in exchange/.
 */
import { createServed, type Served } from './served.js';
import { nearestTools, outdatedTools, toolsByName, type NearTool, type OutdatedTool } from './tool-changes.js';

type Items = readonly unknown[];
type Outdated = ReadonlyMap<string, OutdatedTool>;

export interface ClientTools {
  readonly served: Served;
  /** What was described to it in full, by tool: the schema, as JSON. */
  readonly described: Map<string, string>;
  /** The last comparison: it holds as long as both lists are the same ones. */
  compared: { readonly served: Items; readonly now: Items; readonly outdated: Outdated } | undefined;
}

const NONE: Outdated = new Map();

export function createClientTools(served: Served = createServed()): ClientTools {
  return { served, described: new Map(), compared: undefined };
}

/** Those that the client has otherwise than they are now. `now`: undefined if that is not known. */
export function outdatedOf(tools: ClientTools, now: Items | undefined): Outdated {
  const served = tools.served.baseline('tools');
  if (served === undefined || now === undefined || served === now) return NONE;
  const last = tools.compared;
  if (last?.served === served && last.now === now) return last.outdated;
  const outdated = outdatedTools(toolsByName(served), toolsByName(now));
  tools.compared = { served, now, outdated };
  return outdated;
}

/** What there is now that comes near a tool that is gone, and what the client's list lacks. */
export function replacementsOf(
  { served }: ClientTools,
  items: Items,
  gone: string,
): { readonly near: readonly NearTool[]; readonly added: readonly string[] } {
  const had = toolsByName(served.baseline('tools') ?? []);
  const now = toolsByName(items);
  return { near: nearestTools(gone, had, now), added: [...now.keys()].filter((name) => !had.has(name)) };
}
