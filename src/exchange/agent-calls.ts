/**
 * Calls of the agent's own tools (`--agent-tools`, with `auto` for some clients only, or while no server has ever come
 * up): told from the server's, listed beside them, and handed to whoever can execute them. A server's tool is never
 * shadowed. What the tools do is in lineage/agent-tools.ts.
 */
import { ignoresListChanged } from '../agent/clients-without-list-changed.js';
import {
  ALL_TOOLS,
  listedTools,
  NO_TOOLS,
  shownNames,
  STAND_IN_TOOLS,
  TOOLS_OF_AUTO,
  type AgentTool,
} from '../agent/tools.js';
import type { ToolNames } from '../agent/tool-names.js';
import { notStarted } from '../agent/words.js';
import { keyOf } from '../session/ids.js';
import { answerTo } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import { result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import type { AgentCall, Desk } from './desk.js';
import type { Held } from './hold.js';
import { toolOf } from './retry-safety.js';

/**
 * Which of the agent's tools stand beside the server's in the list of the client that sent this request; without a
 * request, of the one that spoke last. With `auto` that depends on the client, and one that has not said who it is has
 * none.
 */
export function toolsBeside(desk: Desk, request?: Message): ReadonlySet<AgentTool> {
  const { agentTools } = desk.options;
  if (agentTools === 'auto') return ignoresListChanged(desk.session.clientNameOf(request)) ? TOOLS_OF_AUTO : NO_TOOLS;
  return agentTools ? ALL_TOOLS : NO_TOOLS;
}

/** Which of the agent's tools a message calls, if any. */
export function agentTool(desk: Desk, message: Message): AgentTool | undefined {
  const { envelope } = message;
  if (!mayCallOurs(desk) || envelope.kind !== 'request' || envelope.method !== 'tools/call') return undefined;
  const called = toolOf(message);
  const tool = desk.agentNames.get(called);
  if (tool === undefined || toolsBeside(desk, message).has(tool)) return tool;
  return desk.standInTools !== 'unlisted' && tool === called && STAND_IN_TOOLS.has(tool) ? tool : undefined;
}

/** Whether a client may have been listed tools of ours, or will be. */
export function mayCallOurs(desk: Desk): boolean {
  return desk.options.agentTools !== false || desk.standInTools !== 'unlisted';
}

/**
 * What those of our tools are called that the sender of this request has beside the server's; undefined if it has none.
 */
export function toolNames(desk: Desk, request?: Message): ToolNames | undefined {
  const beside = toolsBeside(desk, request);
  return beside.size === 0 ? undefined : namesOfTools(desk, beside);
}

/** Those that the sender of this request can call, be it in place of a server that had never come up. */
function callableTools(desk: Desk, request?: Message): ReadonlySet<AgentTool> {
  const beside = toolsBeside(desk, request);
  return desk.standInTools === 'unlisted' ? beside : new Set([...beside, ...STAND_IN_TOOLS]);
}

/** The same for a client that was listed the stand-ins, or is told of them. */
export function standInNames(desk: Desk, request?: Message): ToolNames {
  return namesOfTools(desk, callableTools(desk, request));
}

export function namesOfTools(desk: Desk, tools: ReadonlySet<AgentTool>): ToolNames {
  const names = [...desk.agentNames].filter(([, tool]) => tools.has(tool)).map(([shown, tool]) => [tool, shown]);
  // Who has any of them has those that the type demands.
  return Object.fromEntries(names) as ToolNames;
}

/** These are needed most while a reload is under way, and wait by themselves; the others wait for it like any call. */
export function passesHold(tool: AgentTool | undefined): boolean {
  return tool === 'restart_server' || tool === 'server_status';
}

export function callAgent(desk: Desk, tool: AgentTool, held: Held, id: Id): void {
  desk.session.asked('tools/call', held.message);
  const abort = new AbortController();
  desk.agentCalls.set(abort, keyOf(id));
  const given: unknown = held.message.read(['params', 'arguments']);
  const callersTools = callableTools(desk, held.message);
  desk.ports.agent({ id, tool, arguments: given, held, callersTools, signal: abort.signal });
}

/** The call is answered, unless the client has taken it back. */
export function answerAgent(desk: Desk, call: AgentCall, value: Readonly<Record<string, unknown>>): void {
  if (closeCall(desk, call)) desk.ports.client(result(call.id, desk.session.resultOf(value)), answerTo(call.id));
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
export function withAgentTools(desk: Desk, request: Message, answer: Message, taken: ReadonlySet<string>): Message {
  nameAgentTools(desk, taken);
  const only = toolsBeside(desk, request);
  return answer.append(['result', 'tools'], listedTools(taken, { only })) ?? answer;
}

/** What the list of tools has where no server gives it. */
export function toolsWithoutServer(desk: Desk, request: Message): unknown[] {
  const beside = toolsBeside(desk, request);
  // A server that refuses the list has come up, though nothing that it answered was a result so far.
  const isInPlace = !desk.born && desk.serving === undefined;
  if (!isInPlace && beside.size === 0) return [];
  if (isInPlace) desk.standInTools = 'listed';
  const none = new Set<string>();
  nameAgentTools(desk, none);
  const note =
    isInPlace && desk.failure !== undefined ? notStarted(desk.failure, standInNames(desk, request)) : undefined;
  const only = isInPlace ? new Set([...beside, ...STAND_IN_TOOLS]) : beside;
  const listed = listedTools(none, { only, note });
  return listed.map((tool) => JSON.parse(tool) as unknown);
}

/**
 * A server without tools gains the capability: an edit may give it the first one, and a client asks only for what was
 * declared when it connected. Where clients are never told of changed lists, only our own tools are a reason.
 */
export function withToolsCapability(desk: Desk, generation: number, request: Message, answer: Message): Message {
  const isReason = desk.options.promise || toolsBeside(desk, request).size > 0;
  if (!isReason || answer.has(['result', 'capabilities', 'tools'])) return answer;
  desk.lacking = new Set([...desk.lacking, 'tools']);
  desk.capabilityGaps.set(generation, { lacking: desk.lacking, gained: [] });
  // That the list may change is promised where it is for all lists.
  return answer.with(['result', 'capabilities', 'tools'], '{}') ?? answer;
}

/** The names of all tools that a list has. */
export function namesOf(items: readonly unknown[]): ReadonlySet<string> {
  const names = items.map((item) =>
    typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined,
  );
  return new Set(names.filter((name) => typeof name === 'string'));
}
