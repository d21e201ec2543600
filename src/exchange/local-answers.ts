/**
 * The proxy's own answers where no server can give one: it crashed, it is broken, or it has never come up. A session
 * that is born broken is opened here all the same, so that a mended server needs no reconnect; what is said of the
 * server then is in opening-answers.ts. A tool's caller reads results, everybody else errors.
 */
import { failureFacts } from '../agent/failure.js';
import { failureMessage, failureText, noServer, type Failure } from '../agent/words.js';
import { listByMethod } from '../lists/lists.js';
import { SETTINGS } from '../session/agreement.js';
import { error, METHOD_NOT_FOUND, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { toolNames, toolsBeside, toolsWithoutServer } from './agent-calls.js';
import type { ClientRequest } from '../wire/batch.js';
import { isOpening } from './methods.js';
import { noteOpened, noteOpener, type Session } from './records.js';
import { failureAnswer } from './failure-answers.js';
import { discoverInPlace, initializeInPlace } from './opening-answers.js';

type Members = Readonly<Record<string, unknown>>;

/** `failure`: why no server answers, if anything is wrong. */
export function answerLocally(
  session: Session,
  { id, method, message }: ClientRequest,
  failure = session.lineage.failure,
): Message {
  const { agreement } = session;
  agreement.recordRequest(method, message);
  noteOpener(session);
  if (method === 'ping' && agreement.era !== 'modern') return result(id, {});
  if (!session.hasServerAnswered) {
    const answer = beforeFirstAnswer(session, method, message, failure);
    if (answer !== undefined) return result(id, answer);
    // Nothing says that the server is modern. Clients open a session of the legacy era then, which servers of both eras
    // take.
    if (method === 'server/discover') return error(id, METHOD_NOT_FOUND, 'Method not found');
  }
  // The agent's own tools are there whatever the server does.
  if (method === 'tools/list' && toolsBeside(session, message).size > 0)
    return result(id, emptyList(session, method, message));
  const request = { id, method, message };
  if (failure === undefined) return failureAnswer(session, request, { text: noServer() }, { noServer: true });
  const names = toolNames(session, message);
  const words = { text: failureText(failure, names), message: failureMessage(failure, names) };
  return failureAnswer(session, request, words, failureFacts(failure));
}

/** For a server that has never answered: what it may answer when it does. */
function beforeFirstAnswer(
  session: Session,
  method: string,
  request: Message,
  failure: Failure | undefined,
): Members | undefined {
  const { agreement, lineage } = session;
  if (isOpening(method)) {
    const told =
      method === 'initialize' ? initializeInPlace(session, request, failure) : discoverInPlace(session, failure);
    if (told === undefined) return undefined;
    agreement.recordLocalResult(method, told, request);
    noteOpened(session);
    lineage.ports.onOpenedInPlace(method, lineage.cachedHandshake[method] === undefined, failure);
    return told;
  }
  if (SETTINGS.has(method)) {
    agreement.recordSetting(method, request);
    return agreement.resultOf({});
  }
  return emptyList(session, method, request);
}

/** A list with nothing of a server in it, and the client was served it. */
export function emptyList(session: Session, method: string, request: Message): Members | undefined {
  const list = listByMethod(method);
  if (list === undefined) return undefined;
  const empty: Record<string, unknown[]> = { [list.resultKey]: [] };
  session.served.onPage(list.name, request.read(['params', 'cursor']), empty);
  if (list.name === 'tools') empty[list.resultKey] = toolsWithoutServer(session, request);
  const { agreement } = session;
  return agreement.resultOf(agreement.era === 'modern' ? { ...empty, ttlMs: 0, cacheScope: 'private' } : empty);
}
