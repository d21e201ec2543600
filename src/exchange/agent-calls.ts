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
import { keyOf } from '../wire/ids.js';
import { answerTo } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import { result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import type { AgentCall, Arrival, Session, Upstream } from './records.js';
import { toolOf } from './retry-safety.js';

/**
 * Which of the agent's tools stand beside the server's in the list of the client that sent this request; without a
 * request, of the one that spoke last. With `auto` that depends on the client, and one that has not said who it is has
 * none.
 */
export function toolsBeside(session: Session, request?: Message): ReadonlySet<AgentTool> {
  const { agentTools } = session.lineage.options;
  if (agentTools === 'auto')
    return ignoresListChanged(session.agreement.clientNameOf(request)) ? TOOLS_OF_AUTO : NO_TOOLS;
  return agentTools ? ALL_TOOLS : NO_TOOLS;
}

/** Which of the agent's tools a message calls, if any. */
export function agentTool(session: Session, message: Message): AgentTool | undefined {
  const { envelope } = message;
  if (!mayCallOurs(session) || envelope.kind !== 'request' || envelope.method !== 'tools/call') return undefined;
  const called = toolOf(message);
  const tool = session.agentToolNames.get(called);
  if (tool === undefined || toolsBeside(session, message).has(tool)) return tool;
  return session.memory.standInTools !== 'unlisted' && tool === called && STAND_IN_TOOLS.has(tool) ? tool : undefined;
}

/** Whether a client may have been listed tools of ours, or will be. */
export function mayCallOurs(session: Session): boolean {
  return session.lineage.options.agentTools !== false || session.memory.standInTools !== 'unlisted';
}

/**
 * What those of our tools are called that the sender of this request has beside the server's; undefined if it has none.
 */
export function toolNames(session: Session, request?: Message): ToolNames | undefined {
  const beside = toolsBeside(session, request);
  return beside.size === 0 ? undefined : namesOfTools(session, beside);
}

/** Those that the sender of this request can call, be it in place of a server that had never come up. */
function callableTools(session: Session, request?: Message): ReadonlySet<AgentTool> {
  const beside = toolsBeside(session, request);
  return session.memory.standInTools === 'unlisted' ? beside : new Set([...beside, ...STAND_IN_TOOLS]);
}

/** The same for a client that was listed the stand-ins, or is told of them. */
export function standInNames(session: Session, request?: Message): ToolNames {
  return namesOfTools(session, callableTools(session, request));
}

export function namesOfTools(session: Session, tools: ReadonlySet<AgentTool>): ToolNames {
  const names = [...session.agentToolNames].filter(([, tool]) => tools.has(tool)).map(([shown, tool]) => [tool, shown]);
  // Who has any of them has those that the type demands.
  return Object.fromEntries(names) as ToolNames;
}

/** These are needed most while a reload is under way, and wait by themselves; the others wait for it like any call. */
export function passesHold(tool: AgentTool | undefined): boolean {
  return tool === 'restart_server' || tool === 'server_status';
}

export function callAgent(session: Session, tool: AgentTool, arrival: Arrival, id: Id): void {
  // A server without tools has none whose names ours could be taken for.
  if (!session.areToolNamesKnown && session.lineage.serving !== undefined && session.promisedButMissing.has('tools'))
    nameAgentTools(session, new Set());
  session.agreement.recordRequest('tools/call', arrival.message);
  const abort = new AbortController();
  session.agentCalls.set(abort, keyOf(id));
  const given: unknown = arrival.message.read(['params', 'arguments']);
  const callersTools = callableTools(session, arrival.message);
  session.lineage.ports.runAgentTool({
    session,
    id,
    tool,
    arguments: given,
    arrival,
    callersTools,
    signal: abort.signal,
  });
}

/** The call is answered, unless the client has taken it back. */
export function answerAgent(call: AgentCall, value: Readonly<Record<string, unknown>>): void {
  const { session } = call;
  if (closeCall(call)) session.client.send(result(call.id, session.agreement.resultOf(value)), answerTo(call.id));
}

/** The call is over. False if it was before: answered, or taken back. */
export function closeCall({ session, signal }: AgentCall): boolean {
  const abort = [...session.agentCalls.keys()].find((open) => open.signal === signal);
  return abort !== undefined && session.agentCalls.delete(abort);
}

/** From now on the names of our tools avoid those. */
function nameAgentTools(session: Session, taken: ReadonlySet<string>): void {
  if (!mayCallOurs(session)) return;
  session.agentToolNames = shownNames(taken);
  session.areToolNamesKnown = true;
}

/** A client that has never asked for the list may mean a tool of the server. */
export function mustLearnToolNames(session: Session): boolean {
  return (
    !session.areToolNamesKnown && session.lineage.serving !== undefined && !session.promisedButMissing.has('tools')
  );
}

/** `known` comes when it is clear which names are the server's, unless the client has taken the call back. */
export function learnToolNames(session: Session, serving: Upstream, id: Id, known: () => void): void {
  // The client can take it back meanwhile.
  const abort = new AbortController();
  session.agentCalls.set(abort, keyOf(id));
  session.lineage.ports.fetchAllTools(serving, (items) => {
    nameAgentTools(session, namesOf(items ?? []));
    if (session.agentCalls.delete(abort)) known();
  });
}

/** The first page of the server's tools with ours behind them; its own stay as they are. */
export function withAgentTools(
  session: Session,
  request: Message,
  answer: Message,
  taken: ReadonlySet<string>,
): Message {
  nameAgentTools(session, taken);
  const only = toolsBeside(session, request);
  return answer.append(['result', 'tools'], listedTools(taken, { only })) ?? answer;
}

/** What the list of tools has where no server gives it. */
export function toolsWithoutServer(session: Session, request: Message): unknown[] {
  const beside = toolsBeside(session, request);
  // A server that refuses the list has come up, though nothing that it answered was a result so far.
  const { serving, failure } = session.lineage;
  const isInPlace = !session.hasServerAnswered && serving === undefined;
  if (!isInPlace && beside.size === 0) return [];
  if (isInPlace) session.memory.standInTools = 'listed';
  const none = new Set<string>();
  nameAgentTools(session, none);
  const note = isInPlace && failure !== undefined ? notStarted(failure, standInNames(session, request)) : undefined;
  const only = isInPlace ? new Set([...beside, ...STAND_IN_TOOLS]) : beside;
  const listed = listedTools(none, { only, note });
  return listed.map((tool) => JSON.parse(tool) as unknown);
}

/**
 * A server without tools gains the capability: an edit may give it the first one, and a client asks only for what was
 * declared when it connected. Where clients are never told of changed lists, only our own tools are a reason.
 */
export function withToolsCapability(session: Session, upstream: Upstream, request: Message, answer: Message): Message {
  const isReason = session.lineage.options.promise || toolsBeside(session, request).size > 0;
  if (!isReason || answer.has(['result', 'capabilities', 'tools'])) return answer;
  const promisedButMissing = new Set([...session.promisedButMissing, 'tools']);
  session.promisedButMissing = promisedButMissing;
  upstream.capabilityGaps.set(session, { promisedButMissing, gained: [] });
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
