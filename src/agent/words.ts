/**
 * Everything the proxy says to a client or an agent in its own name. Complete sentences: what happened, to which command or
 * file, why, and what to do next. People's log lines are written where they happen.
 */

import type { AgentTool } from './tools.js';

/** The names under which the agent's own tools are shown to it, if it has them. */
export type ToolNames = Readonly<Record<AgentTool, string>>;

export interface Failure {
  readonly kind: 'build' | 'start' | 'crash' | 'configuration';
  /** The command as a person would type it. */
  readonly command: string;
  /** How it failed, as the end of a sentence: `exited with code 1`. */
  readonly how: string;
  /** The compiler's or the server's own words. */
  readonly output: string;
}

const happened: Record<Failure['kind'], string> = {
  build: 'The build of the MCP server failed',
  start: 'The MCP server did not start with the code that is on the disk',
  crash: 'The MCP server crashed',
  configuration: 'The configuration of mcp-hotline has an error',
};

const next: Record<Failure['kind'], string> = {
  build:
    'The tool was not executed. Fix the error in the source and call the tool again: the save is noticed and the server is rebuilt before the call is executed.',
  start:
    'The tool was not executed. Fix the error in the source and call the tool again: the save is noticed and the server is started anew before the call is executed.',
  crash:
    'The tool was not executed. The server is being started again. Fix the cause in the source if there is one, then call the tool again.',
  configuration:
    'The tool was not executed. What was in force before stays so. Fix the error in the file and call the tool again: the save is noticed.',
};

export function failureText(failure: Failure, tools?: ToolNames): string {
  return `${description(failure)}\n${next[failure.kind]}${goOn(failure, tools)}`;
}

/** Which of the agent's own tools helps on, where saving a file does not. */
function goOn({ kind }: Failure, tools: ToolNames | undefined): string {
  if (tools === undefined) return '';
  switch (kind) {
    case 'build':
      return ` If the cause lies outside of the watched files, mend it and call ${tools.restart_server} with rebuild: true.`;
    case 'start':
      return ` If the cause lies outside of the watched files, mend it and call ${tools.restart_server}.`;
    case 'crash':
      return waitWith(tools, 'how the start ends');
    case 'configuration':
      return waitWith(tools, 'whether the file is in force after you have saved it');
  }
}

function waitWith(tools: ToolNames | undefined, what: string): string {
  return tools === undefined ? '' : ` Call ${tools.server_status} with wait: true to learn ${what}.`;
}

function description(failure: Failure): string {
  return `${happened[failure.kind]}: \`${failure.command}\` ${failure.how}. ${said(failure)}`;
}

function said({ output }: Failure): string {
  return output.trim() === '' ? 'It printed nothing.' : `Its output:\n\n${output.trim()}\n`;
}

/** Beside the result of a tool that old code has executed (`--on-failure serve`). */
export function servedByOldCode(failure: Failure, tools?: ToolNames): string {
  return `This result is of the code before the last edit. ${description(failure)}\nFix the error: the save is noticed, and the next call is executed by the new code.${goOn(failure, tools)}`;
}

/** For requests that are no tool calls: they have no place for a text but the error. */
export function failureMessage(failure: Failure, tools?: ToolNames): string {
  return `${happened[failure.kind]}: \`${failure.command}\` ${failure.how}. ${remedy[failure.kind]}${goOn(failure, tools)}`;
}

const fix = 'Fix the error in the source and send the request again.';
const remedy: Record<Failure['kind'], string> = {
  build: fix,
  start: fix,
  crash: 'It is being started again. Fix the cause in the source if there is one, then send the request again.',
  configuration: 'Fix the error in the file and send the request again.',
};

/** `crash`: it was the server's own end, not ours, that took the request with it. */
export function mayHaveRun(method: string, tool: string, crash?: Failure, tools?: ToolNames): string {
  const what = method === 'tools/call' ? `the tool "${tool}"` : `"${method}"`;
  const then = `It was not sent again. Check its effect before you send it again.${waitWith(tools, 'when the server serves again')}`;
  if (crash === undefined)
    return `The MCP server was replaced or ended while ${what} was running, so it may or may not have taken effect. ${then}`;
  return `The MCP server ended while ${what} was running: \`${crash.command}\` ${crash.how}. ${said(crash)}\nThe request may or may not have taken effect. ${then}`;
}

export function heldTooLong(seconds: number, tools?: ToolNames): string {
  return `The MCP server is being reloaded, and this request has waited ${seconds} s for it. It was not executed. Send it again.${waitWith(tools, 'how the reload ends')}`;
}

export function holdIsFull(limit: string, tools?: ToolNames): string {
  return `The MCP server is being reloaded, and ${limit} wait for it already. This request was not executed. Send it again when others have been answered.${waitWith(tools, 'when the reload is over')}`;
}

export function noServer(): string {
  return 'The MCP server has ended, and is not started again. This request was not executed. Reconnect to start it.';
}

export function notParsable(): string {
  return 'This line is no JSON, so it was not taken in. Send each message as one line of JSON.';
}

export function messageTooLong(bytes: number): string {
  return `This message is longer than ${bytes} bytes and was not taken in. The option --max-message of mcp-hotline raises the limit.`;
}

export function askerGone(): string {
  return 'The MCP server that asked was replaced or has ended, so no answer is needed any more.';
}
