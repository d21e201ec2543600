/**
 * The names under which an agent has our tools, and sentences that are said only if it has the tool that they name.
 * Which tools a client has is decided in exchange/agent-calls.ts. Pure.
 */
import type { AgentTool } from './tools.js';

/** An agent that has any of our tools has these. */
type AlwaysThere = 'list_server_tools' | 'call_server_tool';

/** Without those that the agent does not have. */
export type ToolNames = Readonly<Record<AlwaysThere, string> & Partial<Record<AgentTool, string>>>;

/** `what`: what can be learnt, as the end of a sentence. Empty without `server_status`. */
export function waitWith(tools: ToolNames | undefined, what: string): string {
  return callStatus(tools, `with wait: true to learn ${what}`);
}

export function callStatus(tools: ToolNames | undefined, rest: string): string {
  const status = tools?.server_status;
  return status === undefined ? '' : ` Call ${status} ${rest}.`;
}
