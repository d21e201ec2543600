/**
 * Calls of the agent's own tools (`--agent-tools`, or while no server has ever come up): told from the server's, listed beside
 * them, and handed to whoever can execute them. A server's tool is never shadowed. What the tools do is in reload/agent-tools.ts.
 */
import { listedTools, shownNames, STAND_IN_TOOLS, type AgentTool } from '../agent/tools.js';
import { notStarted, type ToolNames } from '../agent/words.js';
import { keyOf } from '../session/ids.js';
import { appendAt, locate, readAt, setAt } from '../wire/edit.js';
import { result } from '../wire/message.js';
import type { Envelope, Id } from '../wire/scan.js';
import type { AgentCall, Desk } from './desk.js';
import type { Held } from './hold.js';
import { toolOf } from './safe.js';

/** Which of the agent's tools a message calls, if any. */
export function agentTool(desk: Desk, envelope: Envelope, line: Buffer): AgentTool | undefined {
  if (!mayCallOurs(desk) || envelope.kind !== 'request' || envelope.method !== 'tools/call') return undefined;
  const called = toolOf(line);
  const tool = desk.agentNames.get(called);
  if (desk.options.agentTools || tool === undefined) return tool;
  return tool === called && STAND_IN_TOOLS.has(tool) ? tool : undefined;
}

/** Whether the client has been listed tools of ours, or will be. */
export function mayCallOurs(desk: Desk): boolean {
  return desk.options.agentTools || desk.standInTools !== 'unlisted';
}

/** What our tools are called at the moment; undefined if the agent has none. */
export function toolNames(desk: Desk): ToolNames | undefined {
  return desk.options.agentTools ? namesShown(desk) : undefined;
}

export function namesShown(desk: Desk): ToolNames {
  return Object.fromEntries([...desk.agentNames].map(([shown, tool]) => [tool, shown])) as ToolNames;
}

/** These are needed most while a reload is under way, and wait by themselves; the others wait for it like any call. */
export function passesHold(tool: AgentTool | undefined): boolean {
  return tool === 'restart_server' || tool === 'server_status';
}

export function callAgent(desk: Desk, tool: AgentTool, held: Held, id: Id): void {
  desk.session.asked('tools/call', held.line);
  const abort = new AbortController();
  desk.agentCalls.set(abort, keyOf(id));
  desk.ports.agent({ id, tool, arguments: readAt(held.line, ['params', 'arguments']), held, signal: abort.signal });
}

/** The call is answered, unless the client has taken it back. */
export function answerAgent(desk: Desk, call: AgentCall, value: Readonly<Record<string, unknown>>): void {
  if (closeCall(desk, call)) desk.ports.client(result(call.id, desk.session.resultOf(value)));
}

/** The call is over. False if it was before: answered, or taken back. */
export function closeCall(desk: Desk, { signal }: AgentCall): boolean {
  const abort = [...desk.agentCalls.keys()].find((open) => open.signal === signal);
  return abort !== undefined && desk.agentCalls.delete(abort);
}

/** From now on the names of our tools avoid those. */
function nameAgentTools(desk: Desk, taken: ReadonlySet<string>): void {
  if (!mayCallOurs(desk)) return;
  desk.agentNames = shownNames(taken);
  desk.named = true;
}

/** A client that has never asked for the list may mean a tool of the server: `known` comes when that is clear. */
export function mustLearnNames(desk: Desk, id: Id, known: () => void): boolean {
  if (desk.named || desk.serving === undefined) return false;
  if (desk.lacking.has('tools')) {
    nameAgentTools(desk, new Set());
    return false;
  }
  // The client can take it back meanwhile.
  const abort = new AbortController();
  desk.agentCalls.set(abort, keyOf(id));
  desk.ports.allTools(desk.serving, (items) => {
    nameAgentTools(desk, namesOf(items ?? []));
    if (desk.agentCalls.delete(abort)) known();
  });
  return true;
}

/** The first page of the server's tools with ours behind them; its own stay as they are. */
export function withAgentTools(desk: Desk, line: Buffer, taken: ReadonlySet<string>): Buffer {
  nameAgentTools(desk, taken);
  return appendAt(line, ['result', 'tools'], listedTools(taken)) ?? line;
}

/** What the list of tools has where no server gives it. */
export function toolsWithoutServer(desk: Desk): unknown[] {
  const { agentTools } = desk.options;
  // A server that refuses the list has come up, though nothing that it answered was a result so far.
  const isInPlace = !desk.born && desk.serving === undefined;
  if (!isInPlace && !agentTools) return [];
  if (isInPlace) desk.standInTools = 'listed';
  const none = new Set<string>();
  nameAgentTools(desk, none);
  const note = isInPlace && desk.failure !== undefined ? notStarted(desk.failure, namesShown(desk)) : undefined;
  const listed = listedTools(none, { only: agentTools ? undefined : STAND_IN_TOOLS, note });
  return listed.map((tool) => JSON.parse(tool) as unknown);
}

/**
 * A server without tools gains the capability: an edit may give it the first one, and a client asks only for what was declared when it
 * connected. Where clients are never told of changed lists, only our own tools are a reason.
 */
export function withToolsCapability(desk: Desk, generation: number, line: Buffer): Buffer {
  const { agentTools, promise } = desk.options;
  if (!(agentTools || promise) || locate(line, ['result', 'capabilities', 'tools']) !== undefined) return line;
  desk.lacking = new Set([...desk.lacking, 'tools']);
  desk.capabilityGaps.set(generation, { lacking: desk.lacking, gained: [] });
  // That the list may change is promised where it is for all lists.
  return setAt(line, ['result', 'capabilities', 'tools'], '{}') ?? line;
}

/** The names of all tools that a list has. */
export function namesOf(items: readonly unknown[]): ReadonlySet<string> {
  const names = items.map((item) =>
    typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined,
  );
  return new Set(names.filter((name) => typeof name === 'string'));
}
