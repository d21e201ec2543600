/**
 * What is added to a failed call (`--hints`): that its tool is not the one that the client was listed, and what the
 * server wrote on stderr meanwhile. Nothing is added to a result that is no error, to calls in batches or as tasks, to
 * what a client has taken back, and to the answer of a server that does not serve any more. The words are those of
 * agent/hints.ts.
 */
import { hint, shortHint, stderrHint, type ToolNews } from '../agent/hints.js';
import { isDescribed, noteDescribed, outdatedOf, type ClientTools } from '../lists/client-tools.js';
import type { OutdatedTool } from '../lists/tool-changes.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { toolNames } from './agent-calls.js';
import type { PendingRequest, Upstream } from './records.js';
import { toolOf } from './retry-safety.js';
import { toolsOfClient } from './known-tools.js';

/** How a call has failed. */
type Failed = { readonly in: 'result' } | { readonly in: 'error'; readonly code: unknown };

interface Found {
  readonly news: ToolNews;
  readonly tools: ClientTools;
  readonly outdated: OutdatedTool;
}

const CALL = 'tools/call';
/** The errors by which a server says that it has no such tool, or that it takes other arguments. */
const CAUSED_BY_SCHEMA: ReadonlySet<unknown> = new Set([INVALID_PARAMS, METHOD_NOT_FOUND]);
const MESSAGE = ['error', 'message'];

/** Whether the answer to this request has to be looked into. Most need not be, and that has to be known at once. */
export function mayGetHint(upstream: Upstream, { session, method, message }: PendingRequest, answer: Message): boolean {
  const { hints } = session.lineage.options;
  if (method !== CALL || hints === 'off') return false;
  if (hints === 'stderr') return mayHaveFailed(answer);
  const tools = toolsOfClient(session, message);
  const outdated = tools && outdatedOf(tools, upstream.tools);
  return outdated !== undefined && outdated.size > 0 && mayHaveFailed(answer) && outdated.has(toolOf(message));
}

/** A server that spells the name of this member with escapes gets no help. */
function mayHaveFailed(answer: Message): boolean {
  const { envelope } = answer;
  return (envelope.kind === 'response' && envelope.error) || answer.includes('isError');
}

/** The answer, with what helps the caller behind it. */
export function withHints(upstream: Upstream, pending: PendingRequest, answer: Message, isError: boolean): Message {
  const { message: request, batch, cancelled } = pending;
  if (cancelled || batch !== undefined || !mayGetHint(upstream, pending, answer)) return answer;
  const found = newsOf(upstream, pending);
  const stderr = stderrOf(upstream, pending);
  if ((found === undefined && stderr === undefined) || request.has(['params', 'task'])) return answer;
  const failed = failureIn(answer, isError);
  if (failed === undefined) return answer;
  const told = found !== undefined && isAbout(found.news, failed, upstream) ? found : undefined;
  const parts = [...(told === undefined ? [] : [textOf(told, pending)]), ...(stderr === undefined ? [] : [stderr])];
  const hinted = parts.length === 0 ? undefined : append(answer, failed, parts.join('\n\n'));
  if (hinted !== undefined && told !== undefined) noteDescribed(told.tools, told.news.tool, told.outdated);
  return hinted ?? answer;
}

/** Undefined: it has not failed. */
export function failureIn(answer: Message, isError: boolean): Failed | undefined {
  if (isError) return { in: 'error', code: answer.read(['error', 'code']) };
  return answer.includes('isError') && answer.read(['result', 'isError']) === true ? { in: 'result' } : undefined;
}

function newsOf(upstream: Upstream, { session, message: request }: PendingRequest): Found | undefined {
  const { lineage } = session;
  if (upstream !== lineage.serving) return undefined;
  const tools = toolsOfClient(session, request);
  const tool = toolOf(request);
  const outdated = tools && outdatedOf(tools, upstream.tools).get(tool);
  if (tools === undefined || outdated === undefined) return undefined;
  const cause = lineage.toolCauses.get(tool);
  if (outdated.kind === 'gone')
    return { news: { kind: 'gone', tool, ...outdated.replacements(), cause }, tools, outdated };
  const changes = outdated.changes();
  // It says the same in another way.
  if (changes.length === 0) return undefined;
  return { news: { kind: 'changed', tool, changes, schema: outdated.after, cause }, tools, outdated };
}

function isAbout(news: ToolNews, failed: Failed, upstream: Upstream): boolean {
  if (failed.in === 'error') return CAUSED_BY_SCHEMA.has(failed.code);
  // A server that declares no tools may have some all the same, and then this is their answer.
  return news.kind !== 'gone' || !upstream.declaresNoTools;
}

/** In full once for each tool, change and client. */
function textOf({ news, tools, outdated }: Found, { session, message }: PendingRequest): string {
  return isDescribed(tools, news.tool, outdated) ? shortHint(news) : hint(news, toolNames(session, message));
}

/** Of a server that several clients share only what can be of nobody else (P17, apart). */
function stderrOf(upstream: Upstream, pending: PendingRequest): string | undefined {
  const { lineage } = pending.session;
  if (lineage.options.hints !== 'stderr') return undefined;
  const isOnly = upstream.pending.wasAlone(pending) && upstream.tasks.openCount === 0;
  if (lineage.isShared && !isOnly) return undefined;
  const { text, isCut } = upstream.outputSince(pending);
  return text === '' ? undefined : stderrHint(text, isOnly, isCut);
}

/** One more text block, or one more sentence of the message. Undefined: there is no place for it. */
function append(answer: Message, failed: Failed, text: string): Message | undefined {
  if (failed.in === 'result') return answer.append(['result', 'content'], [JSON.stringify({ type: 'text', text })]);
  const raw = answer.raw(MESSAGE);
  if (raw?.startsWith('"') !== true) return undefined;
  // What the server wrote stays as it is spelt.
  return answer.with(MESSAGE, `${raw.slice(0, -1)}${raw === '""' ? '' : '\\n'}${JSON.stringify(text).slice(1)}`);
}
