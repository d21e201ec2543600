/**
 * The verdict on a client's message. What it is decides who decides: answers and progress (client-responses.ts),
 * cancellations (cancellation.ts), and here requests and notifications: they go to the generation that serves, to the
 * one that runs the task they are about, to the hold, to the queue of `--concurrency`, or to the proxy itself, which
 * answers where no server can. Nothing is done here: client-actions.ts does it.
 */
import { notForSharedServer, notParsable } from '../agent/words.js';
import { answerTo, SESSION } from '../channel/channel.js';
import { listByMethod } from '../lists/lists.js';
import { error, PARSE_ERROR, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { agentTool, mustLearnToolNames, passesHold, toolsBeside } from './agent-calls.js';
import { messagesIn, requestsAmong, type ClientRequest } from '../wire/batch.js';
import { cancellationVerdict } from './cancellation.js';
import { progressVerdict, responseVerdict, splitVerdict } from './client-responses.js';
import { lostAnswer } from './failure-answers.js';
import { malformedAnswer } from './malformed.js';
import { areOne, replayedAfter, type Arrival, type LineageRecord, type Session, type Upstream } from './records.js';
import { isSetForOthers } from './settings.js';
import { taskAnswer, taskOwner } from './task-messages.js';
import type { ClientVerdict } from './verdicts.js';

/** Of a message that has just come. */
export function clientVerdict(arrival: Arrival): ClientVerdict {
  const { session, message } = arrival;
  const { envelope } = message;
  if (envelope.kind === 'response') return responseVerdict(session, envelope.id, message);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/cancelled')
    return cancellationVerdict(session, message);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/progress')
    return progressVerdict(session, message);
  const ofParts = envelope.kind === 'batch' ? splitVerdict(session, message) : undefined;
  return ofParts ?? holdOrForward(arrival);
}

/** It waits while a reload runs, unless it needs no newer code. */
export function holdOrForward(arrival: Arrival): ClientVerdict {
  const { session, message } = arrival;
  const { envelope } = message;
  if (!session.lineage.isHolding || passesHold(agentTool(session, message))) return forwardVerdict(arrival);
  if (envelope.kind === 'request') {
    const { id, method } = envelope;
    const ofTask = taskVerdict(session, { id, method, message });
    if (ofTask !== undefined) return ofTask;
    if (isPing(session, method)) return answerVerdict(id, result(id, {}));
  }
  return { do: 'hold' };
}

/** To the serving generation; if there is none, or a failure stands in the way, an answer says so. */
export function forwardVerdict(arrival: Arrival): ClientVerdict {
  const { session, message } = arrival;
  const { envelope } = message;
  switch (envelope.kind) {
    case 'request':
      return requestVerdict(arrival, { id: envelope.id, method: envelope.method, message });
    case 'batch':
      return batchVerdict(arrival);
    case 'notification':
      return { do: 'tell', to: serversToTell(session, envelope.method), method: envelope.method };
    default:
      return malformedVerdict(session, message);
  }
}

function requestVerdict(arrival: Arrival, request: ClientRequest): ClientVerdict {
  const { session, isRetry } = arrival;
  const { lineage } = session;
  const { serving } = lineage;
  const { id, method, message } = request;
  if (method === 'subscriptions/listen') return { do: 'listen', request };
  const tool = agentTool(session, message);
  if (tool !== undefined) {
    const isUnsure = serving !== undefined && mustLearnToolNames(session);
    return isUnsure ? { do: 'learn-names', from: serving, id } : { do: 'call-agent', tool, id };
  }
  const ofTask = taskVerdict(session, request);
  if (ofTask !== undefined) return ofTask;
  const calls = method === 'tools/call';
  if (serving === undefined || (calls && isRefused(lineage))) {
    // A call that has been with a server before may have been executed there: nothing may be said to the contrary.
    if (isRetry && (calls || (session.hasServerAnswered && lineage.failure === undefined)))
      return answerVerdict(id, lostAnswer(session, request, lineage.failure, false));
    return unlessMended(lineage, calls, { do: 'answer-in-place', request });
  }
  if (session.promisedButMissing.size > 0 && isEmptyForSure(session, method, message))
    return { do: 'answer-empty', request };
  if (calls && lineage.runningCalls >= (lineage.options.concurrency ?? Infinity)) return { do: 'queue' };
  if (method === 'initialize' && areOne(lineage)) return openingVerdict(serving, request);
  return isSetForOthers(session, request) ? { do: 'set-beside-others', request } : { do: 'ask', to: serving, request };
}

/**
 * A request about a task goes to the generation that runs it, be it draining; it needs no newer code, so no hold keeps
 * it.
 */
function taskVerdict(session: Session, request: ClientRequest): ClientVerdict | undefined {
  const { id, method, message } = request;
  const owner = taskOwner(session, method, message);
  if (owner === undefined) return undefined;
  return typeof owner === 'string'
    ? answerVerdict(id, taskAnswer(id, message, owner))
    : { do: 'ask', to: owner, request };
}

/** A process takes one `initialize`. The next client gets the same answer, or waits for it. */
function openingVerdict(serving: Upstream, request: ClientRequest): ClientVerdict {
  const { introduction, isIntroducing, pending } = serving;
  if (introduction !== undefined) return { do: 'introduce', by: serving, as: introduction, request };
  const isAsked = isIntroducing || [...pending].some(({ method }) => method === 'initialize');
  return isAsked ? { do: 'await-introduction' } : { do: 'ask', to: serving, request };
}

function batchVerdict(arrival: Arrival): ClientVerdict {
  const { session, message } = arrival;
  const { lineage } = session;
  const { serving } = lineage;
  const inside = messagesIn(message);
  const requests = requestsAmong(inside ?? []);
  const calls = requests.some((request) => request.method === 'tools/call');
  if (serving === undefined || (calls && isRefused(lineage))) {
    const isJson = inside !== undefined;
    return unlessMended(lineage, calls, isJson ? { do: 'answer-batch-in-place', requests } : notJson);
  }
  if (inside === undefined && lineage.isShared) return notJson;
  return { do: 'ask-batch', to: serving, inside: inside ?? [], requests };
}

const notJson: ClientVerdict = { do: 'answer', answer: error('null', PARSE_ERROR, notParsable()), route: SESSION };

function malformedVerdict(session: Session, line: Message): ClientVerdict {
  const { serving, isShared } = session.lineage;
  // Nobody can say what a server takes it for, and whom it would answer.
  const to = isShared ? undefined : serving;
  const words = isShared ? notForSharedServer() : notParsable();
  const answer = malformedAnswer(line) ?? (to === undefined ? error('null', PARSE_ERROR, words) : undefined);
  return { do: 'take-malformed', to: answer === undefined ? to : undefined, answer };
}

function answerVerdict(id: ClientRequest['id'], answer: Message): ClientVerdict {
  return { do: 'answer', answer, route: answerTo(id) };
}

/**
 * A tool call that meets a failure triggers one more attempt, or joins the one under way, and waits for its end (P7).
 */
function unlessMended({ failure }: LineageRecord, calls: boolean, otherwise: ClientVerdict): ClientVerdict {
  return calls && failure !== undefined ? { do: 'repeat-attempt', otherwise } : otherwise;
}

/**
 * A server may have tools that it doesn't declare: unless ours are to be listed in any case, it is asked; see
 * undeclared-tools.ts.
 */
function isEmptyForSure(session: Session, method: string, message: Message): boolean {
  const capability = listByMethod(method)?.capability;
  if (capability === undefined || !session.promisedButMissing.has(capability)) return false;
  if (session.agreement.isLocalResult || (session.ignoresToolList && capability === 'tools')) return true;
  return toolsBeside(session, message).size > 0;
}

/** While a failure stands, old code executes no tool, unless that was asked for. */
function isRefused({ failure, options }: LineageRecord): boolean {
  return failure !== undefined && options.onFailure === 'report';
}

/** The modern era has no ping: there a server is left to say so. */
function isPing({ agreement }: Session, method: string): boolean {
  return method === 'ping' && agreement.era !== 'modern';
}

/** The server that serves is told what the client says; a newer one may have to know as well. */
function serversToTell(session: Session, method: string): readonly Upstream[] {
  const { serving } = session.lineage;
  const servers = serving === undefined ? [] : [serving];
  return [...servers, ...newerToTell(session, method)].filter((upstream) => concerns(session, upstream, method));
}

export function newerToTell(session: Session, method: string): readonly Upstream[] {
  if (!session.agreement.concernsEveryServer(method)) return [];
  return replayedAfter(session, session.lineage.serving);
}

/** A server that clients share is told once that the session stands, and knows the roots of the first client alone. */
export function concerns(session: Session, upstream: Upstream, method: string): boolean {
  const { sessions } = session.lineage;
  if (!areOne(session.lineage)) return true;
  if (method === 'notifications/initialized') return !upstream.isInitialized;
  const [opener] = sessions;
  return method !== 'notifications/roots/list_changed' || session === opener;
}
