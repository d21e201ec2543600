/**
 * What is said of calls that a server leaves unanswered: to the agent whose call is given up (`--call-timeout`), to one
 * that asks for the status, to the server whose call is cancelled, and to people. Pure.
 */

/** What the server wrote on stderr. */
export interface CallOutput {
  readonly text: string;
  /** `during`: while it ran, and nothing else did. `meanwhile`: other requests did too. `before`: nothing since. */
  readonly when: 'during' | 'meanwhile' | 'before';
}

/** `output`: undefined if it may be of others. */
export function callTimedOut(tool: string, ms: number, output: CallOutput | undefined): string {
  const silent = `The MCP server has sent neither an answer nor progress for this call of the tool ${JSON.stringify(tool)} in ${seconds(ms)}, the limit that --call-timeout of mcp-hotline sets, so the call was given up and the server was told to cancel it.`;
  const next =
    'It may or may not have taken effect: check that before you call the tool again. If the tool hangs, find out why in the source. If it needs that long, let it report progress, which starts the time anew, or raise --call-timeout.';
  return `${silent}\n${outputText(output)}${next}`;
}

/** Of a request that is no call, and was sent together with one. */
export function batchTimedOut(method: string, ms: number): string {
  return `The MCP server has not answered the batch that this request (${method}) was sent in, and was silent about a tool call in it for ${seconds(ms)}, the limit that --call-timeout of mcp-hotline sets. So all of the batch was given up, and the server was told to cancel it.`;
}

function outputText(output: CallOutput | undefined): string {
  if (output === undefined) return '';
  const { text, when } = output;
  if (text === '') return 'It has written nothing on stderr.\n';
  const lead = {
    during: 'On stderr it has written, during this call',
    meanwhile: 'On stderr it has written meanwhile, in which it had other requests too',
    before: 'It has written nothing on stderr since the call began; its last lines before were',
  };
  return `${lead[when]}:\n\n${text}\n\n`;
}

/** To the server. */
export function cancelledBecauseSilent(ms: number): string {
  return `Neither an answer nor progress came in ${seconds(ms)}, so the client was told that the call has failed.`;
}

/** For people. `limitMs`: undefined if nothing ends such a call. */
export function silentCallWarning(tool: string, generation: number, ms: number, limitMs: number | undefined): string {
  const then =
    limitMs === undefined
      ? 'the client goes on waiting; --call-timeout <ms> ends such calls with an error'
      : `it is given up after ${seconds(limitMs)} (--call-timeout)`;
  return `generation ${generation} has been silent about a call of the tool ${JSON.stringify(tool)} for ${seconds(ms)}: ${then}`;
}

/** For people. */
export function timedOutCallWarning(tool: string, generation: number, ms: number): string {
  return `a call of the tool ${JSON.stringify(tool)} was answered with an error and cancelled: generation ${generation} was silent about it for ${seconds(ms)} (--call-timeout)`;
}

/** To an agent that asks for the status: its own calls. */
export function silentCallsText(calls: readonly { readonly tool: string; readonly silentMs: number }[]): string {
  const all = calls.map(({ tool, silentMs }) => `${JSON.stringify(tool)} for ${seconds(silentMs)}`);
  const shown = all.slice(0, MAX_CALLS).join(', ');
  const more = all.length > MAX_CALLS ? ` and ${all.length - MAX_CALLS} more` : '';
  return `The server is silent about calls of yours that are not answered: ${shown}${more}. If such a tool hangs, find out why in the source: an edit restarts the server, and the call is answered then.`;
}

const MAX_CALLS = 10;

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
