/**
 * Everything the proxy says to a client or an agent in its own name. Complete sentences: what happened, to which
 * command or file, why, and what to do next. People's log lines are written where they happen.
 */

import { printedText, type Printed } from './excerpt.js';
import { howOf, isLate, type Failure } from './failure.js';
import { waitWith, type ToolNames } from './tool-names.js';

export type { Failure };

const happened: Record<Failure['kind'], string> = {
  build: 'The build of the MCP server failed',
  start: 'The MCP server did not start with the code that is on the disk',
  crash: 'The MCP server crashed',
  exit: 'The MCP server ended by itself',
  era: 'The MCP server started, but cannot be used on this connection',
  away: 'The MCP server cannot be used at the moment',
  configuration: 'The configuration of mcp-hotline has an error',
};

const endsProcess =
  'If the source ends the process (an exit call in a handler, a main function that returns), remove that.';

const startedByOthers =
  'mcp-hotline does not start this server: start it, or mend it, where it is started. It is noticed when it is there.';

const next: Record<Failure['kind'], string> = {
  build:
    'The tool was not executed. Fix the error in the source and call the tool again: the save is noticed and the server is rebuilt before the call is executed.',
  start:
    'The tool was not executed. Fix the error in the source and call the tool again: the save is noticed and the server is started anew before the call is executed.',
  crash:
    'The tool was not executed. The server is being started again. Fix the cause in the source if there is one, then call the tool again.',
  exit: `The tool was not executed. The server is being started again. ${endsProcess} Then call the tool again.`,
  era: 'The tool was not executed. The connection was opened before this server could be started, and only a new one can change its era: reconnect the MCP server in the client, or ask the user to do so, and call the tool again.',
  away: `The tool was not executed. ${startedByOthers} Then call the tool again.`,
  configuration:
    'The tool was not executed. What was in force before stays so. Fix the error in the file and call the tool again: the save is noticed.',
};

const ifLate =
  'If the server only needs more time, for a compilation for instance, raise --start-timeout of mcp-hotline, or give it the compilation as --build. If it hangs, fix that in the source.';
const nextIfLate = `The tool was not executed. ${ifLate} Then call the tool again.`;

export function failureText(failure: Failure, tools?: ToolNames): string {
  return `${description(failure)}\n${isLate(failure) ? nextIfLate : next[failure.kind]}${goOn(failure, tools)}${notBeside(failure)}${tryAgain(failure)}`;
}

function notBeside({ beside }: Failure): string {
  if (beside === undefined) return '';
  return ' If the server cannot run twice at a time (a port, a lock, a device), run mcp-hotline with --strategy replace: then the old server is stopped before the new one starts.';
}

/** What failed may have a cause that nobody watches: then a call after a while is enough. */
function tryAgain({ kind, tried }: Failure): string {
  if (tried === undefined || kind === 'away') return '';
  // The time is told in whole seconds, and the next try must not be told too early.
  const seconds = Math.ceil((tried.againAfterMs + (Date.parse(tried.at) % 1000)) / 1000);
  const when = `${tried.at.slice(11, 19)} UTC`;
  return ` This was last tried at ${when}. If the cause is not in a watched file (a missing package, a busy port), mend it and call the tool again: a call ${seconds} s after that time, or later, tries again before it is answered.`;
}

/** Which of the agent's own tools helps on, where saving a file does not. */
function goOn({ kind }: Failure, tools: ToolNames | undefined): string {
  if (tools === undefined) return '';
  const { restart_server: restart } = tools;
  switch (kind) {
    case 'build':
    case 'start':
      if (restart === undefined) return '';
      return ` If the cause lies outside of the watched files, mend it and call ${restart}${kind === 'build' ? ' with rebuild: true' : ''}.`;
    case 'crash':
    case 'exit':
      return waitWith(tools, 'how the start ends');
    case 'away':
      return waitWith(tools, 'when it is there');
    case 'era':
      return waitWith(tools, 'whether an edit of the source has changed that');
    case 'configuration':
      return waitWith(tools, 'whether the file is in force after you have saved it');
  }
}

function description(failure: Failure): string {
  const words = said(failure);
  return words === '' ? headline(failure) : `${headline(failure)} ${words}`;
}

function headline(failure: Failure): string {
  return `${happened[failure.kind]}: \`${failure.command}\` ${howOf(failure)}.`;
}

function said({ kind, output }: Failure): string {
  return outputText(kind, output);
}

/** What a program printed; a file prints nothing, but something is wrong with it. */
export function outputText(kind: Failure['kind'], printed: Printed): string {
  if (kind === 'away') return '';
  const output = printedText(printed).trim();
  if (kind === 'configuration') return `What is wrong:\n\n${output}\n`;
  return output === '' ? 'It printed nothing.' : `Its output:\n\n${output}\n`;
}

/** Clients cut descriptions of tools and instructions after 1,000 to 2,000 characters. */
const MAX_GIST = 500;

/** For the description of a tool and for a session's instructions, while no server has ever come up. */
export function notStarted(failure: Failure, tools: ToolNames): string {
  const gist = gistOf(printedText(failure.output));
  const output = outputText(failure.kind, gist);
  const mend =
    failure.kind === 'era'
      ? remedy.era
      : failure.kind === 'away'
        ? `${startedByOthers} Its tools come into the list without a reconnect.`
        : `${isLate(failure) ? ifLate : 'Fix the error in the source.'} A save is noticed, the server is started, and its tools come into the list without a reconnect. If the cause lies elsewhere, mend it and call ${tools.call_server_tool}: that starts the server again first.`;
  const status = tools.server_status === undefined ? '' : ` ${tools.server_status} tells its present state.`;
  return `${headline(failure)} ${output}\nUntil the server is there, its own tools are missing. ${mend}${status}`;
}

/**
 * The beginning and the end of what a process printed, without the stack frames of JavaScript, which take the most
 * room.
 */
function gistOf(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  const text = lines.join('\n').trim();
  if (text.length <= MAX_GIST) return text;
  return `${text.slice(0, MAX_GIST / 2)}\n…\n${text.slice(-MAX_GIST / 2)}`;
}

/** Beside the result of a tool that old code has executed (`--on-failure serve`). */
export function servedByOldCode(failure: Failure, tools?: ToolNames): string {
  return `This result is of the code before the last edit. ${description(failure)}\nFix the error: the save is noticed, and the next call is executed by the new code.${goOn(failure, tools)}${triedInBackground(failure)}`;
}

function triedInBackground({ tried }: Failure): string {
  return tried === undefined ? '' : ` This was last tried at ${tried.at.slice(11, 19)} UTC; calls try it again.`;
}

/** For requests that are no tool calls: they have no place for a text but the error. */
export function failureMessage(failure: Failure, tools?: ToolNames): string {
  const mend = isLate(failure) ? `${ifLate} Then send the request again.` : remedy[failure.kind];
  return `${headline(failure)} ${mend}${goOn(failure, tools)}`;
}

const fix = 'Fix the error in the source and send the request again.';
const comesAgain =
  'It is being started again. Fix the cause in the source if there is one, then send the request again.';
const remedy: Record<Failure['kind'], string> = {
  away: `${startedByOthers} Then send the request again.`,
  build: fix,
  start: fix,
  crash: comesAgain,
  exit: comesAgain,
  era: 'Only a new connection can change its era: reconnect the MCP server in the client, then send the request again.',
  configuration: 'Fix the error in the file and send the request again.',
};

/**
 * `failure`: how the server came to its end, if by itself, or why none has come up since. `isRetry`: the request was
 * sent to a second server because that was safe, and that one ended too.
 */
export function mayHaveRun(
  method: string,
  tool: string,
  failure?: Failure,
  tools?: ToolNames,
  isRetry = false,
): string {
  const what = method === 'tools/call' ? `the tool "${tool}"` : `"${method}"`;
  const wait = waitWith(tools, 'when the server serves again');
  const isEnd = failure?.kind === 'crash' || failure?.kind === 'exit';
  const end = isEnd ? ` \`${failure.command}\` ${howOf(failure)}. ${said(failure)}` : '';
  if (isRetry) {
    const twice = `The MCP server ended twice while ${what} was running: it was sent again once, because that is safe, and the second server ended too.${end}`;
    return `${twice}\nThe request may or may not have taken effect. It is not sent a third time. This request, or another one that ran at the same time, may be the cause: look at what it executes before you send it again.${wait}`;
  }
  const then = `It was not sent again. Check its effect before you send it again.${wait}`;
  // Exit code 0 looks like a mistake: nobody who leaves on purpose does so in the middle of a call.
  const mend = failure?.kind === 'exit' ? ` ${endsProcess}` : '';
  if (isEnd)
    return `The MCP server ended while ${what} was running:${end}\nThe request may or may not have taken effect.${mend} ${then}`;
  const since = failure === undefined ? '' : ` Since then no server has come up. ${description(failure).trimEnd()}\n`;
  return `The MCP server was replaced or ended while ${what} was running, so it may or may not have taken effect.${since} ${then}`;
}

/** `problem`: what became of the connection. The server itself is there. */
export function connectionLost(method: string, tool: string, problem: string): string {
  const what = method === 'tools/call' ? `the tool "${tool}"` : `"${method}"`;
  return `The connection to the MCP server was lost while ${what} was running (${problem}), so it may or may not have taken effect. It was not sent again. Check its effect before you send it again.`;
}

/**
 * `isRetry`: it was with a server before, which ended, and waits for another one. `isFirst`: no server has come up yet.
 */
export function heldTooLong(seconds: number, tools?: ToolNames, { isRetry = false, isFirst = false } = {}): string {
  const what = isFirst ? 'started' : 'reloaded';
  const waited = `The MCP server is being ${what}, and this request has waited ${Math.round(seconds * 10) / 10} s for it.`;
  const slow = ' If it takes this long to start, raise --hold and --start-timeout of mcp-hotline.';
  const then = isRetry
    ? 'It was with a server that ended, so it may or may not have taken effect. Check its effect before you send it again.'
    : 'It was not executed. Send it again.';
  return `${waited} ${then}${slow}${waitWith(tools, isFirst ? 'how the start ends' : 'how the reload ends')}`;
}

export function holdIsFull(limit: string, tools?: ToolNames): string {
  return `The MCP server is being reloaded, and ${limit} wait for it already. This request was not executed. Send it again when others have been answered.${waitWith(tools, 'when the reload is over')}`;
}

export function noServer(): string {
  return 'The MCP server has ended, and is not started again. This request was not executed. Reconnect to start it.';
}

export function notParsable(): string {
  return 'This line is not JSON, so it was not taken in. Send each message as one line of JSON.';
}

export function requestWithoutId(): string {
  return 'This request has an id that is neither a string nor a number, so it could never be answered and was not executed. Send it with such an id.';
}

export function lostTask(id: string): string {
  return `The task "${id}" was lost: the MCP server that ran it was replaced after an edit, or has ended, before the task was over or its result was fetched. It may or may not have taken effect. Check that, then start it again if it is still needed.`;
}

export function endedTask(id: string): string {
  return `The task "${id}" is over, and nothing more is known of it: the MCP server that ran it has been replaced after an edit, or has ended, since its end was told.`;
}

export function messageTooLong(bytes: number): string {
  return `This message is longer than ${bytes} bytes and was not taken in. The option --max-message of mcp-hotline raises the limit.`;
}

export function askerGone(): string {
  return 'The MCP server that asked was replaced or has ended, so no answer is needed any more.';
}

/** To a server that asks one of its clients something. */
export function askedAmongSeveral(method: string, running: number): string {
  const why = running === 0 ? 'none of them has a request running' : 'more than one may have a request running';
  return `Several clients share this server, and ${why}, so it can't be told which of them ${method} is meant for. It was passed on to nobody.`;
}

/** To a server whose client is gone. */
export function clientLeft(): string {
  return 'The client that this was asked has left, so there will be no answer.';
}

/** To a client that asks about a task which is not its own. */
export function unknownTask(id: string): string {
  return `No task "${id}" is known. Ask for a task that this client has started.`;
}

/** To one of several clients that share a server. */
export function notForSharedServer(): string {
  return 'This line is not a JSON-RPC message, and the server is shared with other clients, so it was not passed on. Send each message as one line of JSON.';
}
