/**
 * The form of an answer that the proxy gives because it, or a server's process, failed. A `tools/call` gets a tool
 * result with
 * `isError`, since its caller reads results. Everything else gets a JSON-RPC error with the facts in `data`; so does a
 * task-augmented call, because clients expect a task there and can't read a plain result. The words come from agent/.
 */
import { failureFacts } from '../agent/failure.js';
import { connectionLost, mayHaveRun, type Failure } from '../agent/words.js';
import { error, INTERNAL_ERROR, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { toolNames } from './agent-calls.js';
import type { ClientRequest } from '../wire/batch.js';
import type { Session } from './records.js';
import { toolOf } from './retry-safety.js';

/** `text`: for a tool's caller. `message`: for everybody else, if it differs. */
export interface FailureWords {
  readonly text: string;
  readonly message?: string;
}

export function failureAnswer(session: Session, request: ClientRequest, words: FailureWords, facts: object): Message {
  const { text, message = text } = words;
  if (!isPlainCall(request)) return error(request.id, INTERNAL_ERROR, message, facts);
  return result(request.id, session.agreement.resultOf({ content: [{ type: 'text', text }], isError: true }));
}

/**
 * The answer to a request that was with a server when that server ended, so that nobody knows whether it was executed
 * (P8).
 * `isRetry`: it was sent a second time, and lost a second time. `crash`: how
 * the server came to its end, or why no other one has come up since.
 */
export function lostAnswer(
  session: Session,
  request: ClientRequest,
  crash: Failure | undefined,
  isRetry: boolean,
): Message {
  const { method, message } = request;
  const tool = method === 'tools/call' ? toolOf(message) : '';
  const text = mayHaveRun(method, tool, crash, toolNames(session, message), isRetry);
  return failureAnswer(session, request, { text }, { ...(crash && failureFacts(crash)), method, mayHaveRun: true });
}

/** The connection to the server was lost before its answer, and the server lives on. */
export function unansweredAnswer(session: Session, request: ClientRequest, problem: string): Message {
  const { method, message } = request;
  const tool = method === 'tools/call' ? toolOf(message) : '';
  const text = connectionLost(method, tool, problem);
  return failureAnswer(session, request, { text }, { problem, method, mayHaveRun: true });
}

function isPlainCall({ method, message }: ClientRequest): boolean {
  return method === 'tools/call' && !message.has(['params', 'task']);
}
