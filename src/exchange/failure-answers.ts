/**
 * The form of an answer that the proxy gives because it, or a server's process, failed. A `tools/call` gets a tool
 * result with
 * `isError`, since its caller reads results. Everything else gets a JSON-RPC error with the facts in `data`; so does a
 * task-augmented call, because clients expect a task there and can't read a plain result. The words come from agent/.
 */
import { mayHaveRun, type Failure } from '../agent/words.js';
import { locate } from '../wire/edit.js';
import { error, INTERNAL_ERROR, result } from '../wire/json-rpc.js';
import type { Id } from '../wire/scan.js';
import { toolNames } from './agent-calls.js';
import type { Desk } from './desk.js';
import { toolOf } from './retry-safety.js';

/** A request of the client, wherever it was kept. */
export interface FailedRequest {
  readonly id: Id;
  readonly method: string;
  readonly line: Buffer;
}

/** `text`: for a tool's caller. `message`: for everybody else, if it differs. */
export interface FailureWords {
  readonly text: string;
  readonly message?: string;
}

export function failureAnswer(desk: Desk, request: FailedRequest, words: FailureWords, facts: object): Buffer {
  const { text, message = text } = words;
  if (!isPlainCall(request)) return error(request.id, INTERNAL_ERROR, message, facts);
  return result(request.id, desk.session.resultOf({ content: [{ type: 'text', text }], isError: true }));
}

/**
 * The answer to a request that was with a server when that server ended, so that nobody knows whether it was executed
 * (P8).
 * `isRetry`: it was sent a second time, and lost a second time. `crash`: how
 * the server came to its end, or why no other one has come up since.
 */
export function lostAnswer(desk: Desk, request: FailedRequest, crash: Failure | undefined, isRetry: boolean): Buffer {
  const { method, line } = request;
  const tool = method === 'tools/call' ? toolOf(line) : '';
  const text = mayHaveRun(method, tool, crash, toolNames(desk, line), isRetry);
  return failureAnswer(desk, request, { text }, { ...crash, method, mayHaveRun: true });
}

function isPlainCall({ method, line }: FailedRequest): boolean {
  return method === 'tools/call' && locate(line, ['params', 'task']) === undefined;
}
