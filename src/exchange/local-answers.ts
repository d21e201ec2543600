/**
 * The proxy's own answers where no server can give one: it crashed, it is broken, or it has never come up. A session
 * that is born broken is opened here all the same, so that a mended server needs no reconnect; what is said of the
 * server then is in opening-answers.ts. A tool's caller reads results, everybody else errors.
 */
import { failureFacts } from '../agent/failure.js';
import { failureMessage, failureText, noServer, type Failure } from '../agent/words.js';
import { listByMethod } from '../lists/lists.js';
import type { Id } from '../wire/envelope.js';
import { error, METHOD_NOT_FOUND, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { toolNames, toolsBeside, toolsWithoutServer } from './agent-calls.js';
import type { Desk } from './desk.js';
import { failureAnswer } from './failure-answers.js';
import { discoverInPlace, initializeInPlace } from './opening-answers.js';

type Members = Readonly<Record<string, unknown>>;

/** `failure`: why no server answers, if anything is wrong. */
export function standIn(desk: Desk, id: Id, method: string, message: Message, failure = desk.failure): Message {
  const { session } = desk;
  session.asked(method, message);
  if (method === 'ping' && session.era !== 'modern') return result(id, {});
  if (!desk.born) {
    const answer = unborn(desk, method, message, failure);
    if (answer !== undefined) return result(id, answer);
    // Nothing says that the server is modern. Clients open a session of the legacy era then, which servers of both eras
    // take.
    if (method === 'server/discover') return error(id, METHOD_NOT_FOUND, 'Method not found');
  }
  // The agent's own tools are there whatever the server does.
  if (method === 'tools/list' && toolsBeside(desk, message).size > 0)
    return result(id, emptyList(desk, method, message));
  const request = { id, method, message };
  if (failure === undefined) return failureAnswer(desk, request, { text: noServer() }, { noServer: true });
  const names = toolNames(desk, message);
  const words = { text: failureText(failure, names), message: failureMessage(failure, names) };
  return failureAnswer(desk, request, words, failureFacts(failure));
}

/** For a server that has never answered: what it may answer when it does. */
function unborn(desk: Desk, method: string, request: Message, failure: Failure | undefined): Members | undefined {
  const { session } = desk;
  if (method === 'initialize' || method === 'server/discover') {
    const told = method === 'initialize' ? initializeInPlace(desk, request, failure) : discoverInPlace(desk, failure);
    if (told === undefined) return undefined;
    session.vouch(method, told, request);
    desk.ports.openedInPlace(method, desk.remembered[method] === undefined, failure);
    return told;
  }
  if (['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].includes(method)) {
    session.agreed(method, request);
    return session.resultOf({});
  }
  return emptyList(desk, method, request);
}

/** A list with nothing of a server in it, and the client was served it. */
export function emptyList(desk: Desk, method: string, request: Message): Members | undefined {
  const list = listByMethod(method);
  if (list === undefined) return undefined;
  const empty: Record<string, unknown[]> = { [list.resultKey]: [] };
  desk.served.onPage(list.name, request.read(['params', 'cursor']), empty);
  if (list.name === 'tools') empty[list.resultKey] = toolsWithoutServer(desk, request);
  return desk.session.resultOf(desk.session.era === 'modern' ? { ...empty, ttlMs: 0, cacheScope: 'private' } : empty);
}
