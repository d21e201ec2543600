/**
 * What the agent's tools say: complete sentences that end in what to do next. The facts beside them are structured content.
 * Pure.
 */
import type { Failure, ToolNames } from './words.js';

const NEXT = 'There is nothing to wait for; do not call this again before something changes.';

export interface Reload {
  readonly generation: number;
  readonly ms: number;
  readonly changes: readonly string[];
}

export function restarted({ generation, ms, changes }: Reload): string {
  const lists =
    changes.length === 0 ? 'Its lists are the same as before.' : `Its lists changed: ${changes.join(', ')}.`;
  return `The MCP server was restarted in ${ms} ms; generation ${generation} serves now. ${lists} Go on with your work.`;
}

export function notRestarted(failure: Failure, tools: ToolNames): string {
  const said = failure.output.trim() === '' ? '' : ` Its output:\n\n${failure.output.trim()}\n`;
  return `The MCP server could not be restarted: \`${failure.command}\` ${failure.how}.${said}\nFix the error in the ${placeOf(failure)}. The save is noticed and the server is started anew by itself. Call ${tools.server_status} with wait: true to learn how that ends.`;
}

/** Where the mistake is to be looked for. */
function placeOf(failure: Failure | undefined): string {
  return failure?.kind === 'configuration' ? 'file' : 'source';
}

export function stillRestarting(seconds: number, tools: ToolNames): string {
  return `The MCP server is still restarting after ${seconds} s. Call ${tools.server_status} with wait: true to learn how it ends.`;
}

export type Verdict =
  | {
      readonly kind: 'yes';
      readonly at: string;
      readonly reason: string;
      readonly generation: number;
      readonly crash: boolean;
    }
  | { readonly kind: 'no'; readonly at: string }
  | { readonly kind: 'never' }
  | { readonly kind: 'torn' }
  | { readonly kind: 'foreign'; readonly proxy: number };

export function verified(verdict: Verdict, tools: ToolNames): string {
  switch (verdict.kind) {
    case 'yes':
      return verdict.crash
        ? `Yes, but not because anybody asked for it: the server crashed and was started again at ${verdict.at}; it was generation ${verdict.generation}. Call ${tools.server_status} to see how it is now.`
        : `Yes: the MCP server was restarted at ${verdict.at} (${verdict.reason}); that was generation ${verdict.generation}.`;
    case 'no':
      return `No: the last restart was at ${verdict.at}, before the time that you gave. If you have edited a watched file, the next tool call is executed by the new code all the same.`;
    case 'never':
      return 'No: no restart of this server is on record. If you have edited a watched file, the next tool call is executed by the new code all the same.';
    case 'torn':
      return `That can not be told: the record of the last restart is damaged. Call ${tools.restart_server} if you need to be sure; it writes a new one.`;
    case 'foreign':
      return `No: the last restart on record was that of another connection that is still open (process ${verdict.proxy}), not of the server that you are using.`;
  }
}

export interface Status {
  readonly state: 'serving' | 'reloading' | 'failed' | 'broken' | 'waiting' | 'closing';
  readonly generation: number | undefined;
  readonly failure: Failure | undefined;
  /** The question was asked with `wait`, and this is how it has settled. */
  readonly waited: boolean;
}

export function status({ state, generation, failure, waited }: Status): string {
  const why = failure === undefined ? '' : ` \`${failure.command}\` ${failure.how}. ${failure.output.trim()}`.trimEnd();
  switch (state) {
    case 'serving':
      return `The MCP server is serving, generation ${generation}. ${NEXT}`;
    case 'reloading':
      return waited
        ? 'The MCP server is still being reloaded. Calls are held until it is done, so just call the tool that you need.'
        : 'The MCP server is being reloaded. Calls are held until it is done, so just call the tool that you need; or call this with wait: true.';
    case 'failed':
      return `The ${failure?.kind === 'configuration' ? 'configuration' : 'code'} on the disk does not work, and the generation before it (${generation}) serves everything but tools.${why}\nFix the error in the ${placeOf(failure)}; the save is noticed. ${NEXT}`;
    case 'broken':
      return `No MCP server is running.${why}\nFix the error in the ${placeOf(failure)}; the save is noticed and the server started. ${NEXT}`;
    case 'waiting':
      return `No MCP server is running; it is started again after a pause.${why}\nFix the cause in the source if there is one: the save is noticed and the server started at once. ${waited ? NEXT : 'Call this with wait: true to learn how the next start ends.'}`;
    case 'closing':
      return 'The connection is being closed.';
  }
}

export function lastLines(lines: readonly string[]): string {
  if (lines.length === 0) return 'The server has printed nothing on stderr.';
  return `The server's last lines on stderr:\n${lines.join('\n')}`;
}

export function noSuchTool(name: string, near: readonly string[], tools: ToolNames): string {
  const meant =
    near.length === 0
      ? 'It has no tool with a name like it.'
      : `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
  return `The MCP server has no tool called "${name}". ${meant} ${tools.list_server_tools} gives all of them.`;
}

export function listed(names: readonly string[], tools: ToolNames): string {
  if (names.length === 0) return 'The MCP server has no tools at the moment.';
  const count = names.length === 1 ? 'one tool' : `${names.length} tools`;
  return `The MCP server has ${count}: ${names.join(', ')}. Call ${names.length === 1 ? 'it' : 'one of them'} directly, or with ${tools.call_server_tool} if your own list does not show it yet.`;
}

export function noLists(why: string, tools: ToolNames): string {
  return `The tools of the MCP server can't be listed: ${why}. Call ${tools.server_status} to see what is wrong.`;
}
