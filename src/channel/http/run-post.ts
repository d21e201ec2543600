/**
 * Runs one POST to a server, from the first try to the last answer: it waits for a server that can't be reached, has a
 * lost session opened anew, and reads what comes back. What is posted, and in which order, is decided by the peers.
 */
import type { IncomingMessage } from 'node:http';
import type { Id } from '../../wire/envelope.js';
import { keyOf } from '../../wire/ids.js';
import { error, INTERNAL_ERROR, METHOD_NOT_FOUND } from '../../wire/json-rpc.js';
import { messagesIn } from '../../wire/batch.js';
import type { Message } from '../../wire/message.js';
import { isEventStream, isJson, readEvents, readWhole, shown } from './body-reader.js';
import type { Link } from './link.js';
import { messageIn, outcomeOf, statusText } from './outcome.js';
import type { Post } from './post.js';
import { endToEnd, type SentHeaders } from './request-headers.js';

/** A session of the server, as it was when something was sent. */
export type SessionAtServer = object;

/** What a POST needs of the peer that it is sent for. */
export interface PostOwner {
  readonly link: Link;
  readonly path: string;
  /** For a POST that is sent now, and the session that it is sent in; undefined: none. */
  sendWith(post: Post): { readonly headers: SentHeaders; readonly session: SessionAtServer | undefined };
  /** Its client comes by HTTP, and can send an `Authorization` of its own. */
  saysWhoItIs(post: Post): boolean;
  /** The server has accepted it: these are the headers of its answer. */
  accepted(post: Post, response: IncomingMessage): void;
  /** A message that came back. */
  message(post: Post, message: Message): void;
  /** Opens a session in place of one that the server does not know any more. False: it could not be opened. */
  renew(lost: SessionAtServer): Promise<boolean>;
  /** The stream has ended and some answers are missing, but the server knows where it was. True: it goes on. */
  resume(post: Post, lastEventId: string, retryMs: number | undefined): Promise<boolean>;
  /** Nobody knows whether these requests were executed. */
  lost(ids: readonly Id[], problem: string): void;
}

/** How many bytes of an answer are read that is no success. */
const MAX_REFUSAL = 4 * 1024 * 1024;

const UNAUTHORIZED = 401;
const NOT_BY_STDIO =
  'It wants to know who the client is, and a client on stdio has no way to say so. Start `mcp-hotline serve` with the same options, and give the client its URL: what the client sends as Authorization is passed on to the server then';

/** Said by those who stand before a server that is not there yet. */
const NOT_YET: ReadonlySet<number> = new Set([404, 502, 503, 504]);
/**
 * A framework refuses what it has no route for, as long as it starts. One that goes on refusing `server/discover` knows
 * no modern clients, who then ask as older ones do.
 */
const MAY_COME_UP_MS = 1_500;
const speaksNoModern = (status: number): boolean => status >= 400 && status < 500 && !COMES_LATER.has(status);
const COMES_LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/** Resolves when the server has taken it, or won't. What comes back may still be on its way then. */
export async function runPost(owner: PostOwner, post: Post): Promise<'accepted' | 'refused'> {
  const { link } = owner;
  const since = performance.now();
  let refusedSince: number | undefined;
  for (;;) {
    if (link.ended.aborted || post.isAborted) return 'refused';
    const { headers, session } = owner.sendWith(post);
    const { path } = owner;
    const reply = await link.client.send({ method: 'POST', path, headers, body: post.body, asker: post });
    link.met(reply);
    if (post.isAborted || link.ended.aborted) return 'refused';
    if (reply.kind === 'elsewhere')
      return fail(owner, post, `HTTP ${reply.status} points to ${originOf(reply.location)}, where nothing is sent`);
    if (reply.kind === 'failed') {
      post.wasSent ||= reply.wasSent;
      if (!reply.wasSent || (!link.isUp && post.isOpening)) {
        link.note(reply.problem);
        if (await link.waitToRetry(since, post.signal, { isPatient: post.isListening })) continue;
        if (post.isAborted || link.ended.aborted) return 'refused';
        return answerAll(owner, post, (id) => notReached(id, reply.problem, performance.now() - since));
      }
      return lose(owner, post, reply.problem);
    }
    post.wasSent = true;
    const { response } = reply;
    const status = response.statusCode ?? 0;
    const read =
      status >= 200 && status < 300
        ? await accept(owner, post, response)
        : await refusal(owner, post, response, session);
    switch (read.kind) {
      case 'accepted':
      case 'refused':
        return read.kind;
      case 'session-gone':
        if (post.wasRefused) return fail(owner, post, 'the server does not know the session that it has just opened');
        post.wasRefused = true;
        if (session === undefined || !(await owner.renew(session))) return 'refused';
        // An answer is to what was asked in the session that is gone: the id may be that of another question by now.
        if (post.message.envelope.kind === 'response') return 'refused';
        continue;
      case 'no-mcp':
        if (!link.isUp && (post.isOpening || NOT_YET.has(status))) {
          link.note(read.text);
          if (post.asksWhoIsThere && speaksNoModern(status)) {
            refusedSince ??= performance.now();
            if (performance.now() - refusedSince > MAY_COME_UP_MS)
              return fail(owner, post, read.text, METHOD_NOT_FOUND);
          }
          if (await link.waitToRetry(since, post.signal)) continue;
          return 'refused';
        }
        return fail(owner, post, read.text);
      case 'broken':
        return lose(owner, post, 'the connection was lost');
    }
  }
}

type Read =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'session-gone' }
  | { readonly kind: 'no-mcp'; readonly text: string }
  | { readonly kind: 'broken' };

const ACCEPTED: Read = { kind: 'accepted' };

async function accept(owner: PostOwner, post: Post, response: IncomingMessage): Promise<Read> {
  const { link } = owner;
  if (isEventStream(response)) {
    link.markUp();
    owner.accepted(post, response);
    follow(owner, post, response);
    return ACCEPTED;
  }
  const reading = readWhole(response, link.maxMessage);
  link.reads(response);
  const body = await reading;
  if (body === 'too-long') {
    link.tooLong();
    return ACCEPTED;
  }
  if (body === 'broken') return { kind: 'broken' };
  const message = body.length === 0 || !isJson(response) ? undefined : messageIn(body);
  if (message === undefined && (!post.isDone || (body.length > 0 && !link.isUp && !isJson(response)))) {
    const status = response.statusCode ?? 0;
    const text = body.length === 0 ? `HTTP ${status} with no answer in it` : statusText(status, shown(body));
    return { kind: 'no-mcp', text };
  }
  link.markUp();
  owner.accepted(post, response);
  if (message !== undefined) take(owner, post, message);
  if (!post.isDone) fail(owner, post, 'the server has left it out of its answer');
  return ACCEPTED;
}

/** Reads a stream that was opened by the POST, or that continues it. */
export function follow(owner: PostOwner, post: Post, response: IncomingMessage, lastId?: string): void {
  const { link } = owner;
  let lastEventId = lastId;
  let retryMs: number | undefined;
  readEvents(response, link.maxMessage, {
    message: (message) => take(owner, post, message),
    id: (id) => (lastEventId = id),
    retry: (ms) => (retryMs = ms),
    noise: (text) => link.warn(`the server has sent an event that is no message: ${text.slice(0, 200)}`),
    tooLong: () => link.tooLong(),
    end: () => {
      if (post.isDone || post.isAborted || link.ended.aborted) return;
      const giveUp = (): void => owner.lost(post.ids, 'the stream of its answer was lost');
      if (lastEventId === undefined) return giveUp();
      void owner.resume(post, lastEventId, retryMs).then((goesOn) => {
        if (!goesOn && !post.isDone && !link.ended.aborted) giveUp();
      });
    },
  });
  link.reads(response);
}

async function refusal(
  owner: PostOwner,
  post: Post,
  response: IncomingMessage,
  session: SessionAtServer | undefined,
): Promise<Read> {
  const { link } = owner;
  const status = response.statusCode ?? 0;
  const read = await readWhole(response, MAX_REFUSAL);
  const body = typeof read === 'string' ? Buffer.alloc(0) : read;
  const hasSession = session !== undefined && post.message.envelope.kind !== 'invalid';
  const outcome = outcomeOf({ status, isJson: isJson(response), body, owed: post.ids, hasSession });
  switch (outcome.kind) {
    case 'answer':
      link.markUp();
      answerWith(owner, post, outcome.message);
      return { kind: 'refused' };
    case 'unauthorized':
      link.markUp();
      for (const id of post.ids) take(owner, post, answerIn(id, response, status, body, owner.saysWhoItIs(post)));
      return { kind: 'refused' };
    case 'session-gone':
      return outcome;
    case 'no-mcp':
      return outcome;
  }
}

/** An answer in which the server's refusal is passed on as it was, to a client that can say who it is. */
export function answerIn(
  id: Id,
  response: IncomingMessage,
  status: number,
  body: Buffer,
  saysWhoItIs: boolean,
): Message {
  const said = statusText(status, shown(body));
  const advice = status === UNAUTHORIZED && !saysWhoItIs ? `. ${NOT_BY_STDIO}` : '';
  const answer = error(id, INTERNAL_ERROR, `The server refuses the request: ${said}${advice}`, { status });
  if (saysWhoItIs) answer.beside = { reply: { status, headers: endToEnd(response.headersDistinct), body } };
  return answer;
}

/** The same refusal for another request. */
export function refusalFor(id: Id, refused: Message): Message {
  return refused.with(['id'], id) ?? refused;
}

/** An error that names no request is the answer to the one that was asked. */
function answerWith(owner: PostOwner, post: Post, message: Message): void {
  const { envelope } = message;
  const isNamed = envelope.kind === 'response' && envelope.id !== 'null';
  if (isNamed || post.isDone) return take(owner, post, message);
  for (const id of post.ids) take(owner, post, message.with(['id'], id) ?? message);
}

function take(owner: PostOwner, post: Post, message: Message): void {
  const { envelope } = message;
  if (envelope.kind === 'response') post.complete(keyOf(envelope.id));
  if (envelope.kind === 'batch')
    for (const { envelope: inner } of messagesIn(message) ?? [])
      if (inner.kind === 'response') post.complete(keyOf(inner.id));
  owner.message(post, message);
}

function fail(owner: PostOwner, post: Post, problem: string, code = INTERNAL_ERROR): 'refused' {
  const { ids, message } = post;
  if (ids.length === 0 && message.envelope.kind !== 'invalid')
    owner.link.warn(`the server has not taken a message: ${problem}`);
  return answerAll(owner, post, (id) => noAnswer(id, problem, code));
}

function answerAll(owner: PostOwner, post: Post, answer: (id: Id) => Message): 'refused' {
  for (const id of post.ids) take(owner, post, answer(id));
  return 'refused';
}

/** The server is not there, and this was never sent. */
export function notReached(id: Id, problem: string, waitedMs: number): Message {
  const seconds = Math.round(waitedMs / 100) / 10;
  const text = `The MCP server can't be reached (${problem}), and this request has waited ${seconds} s for it. It was not executed. Send it again when the server is there.`;
  return error(id, INTERNAL_ERROR, text, { problem });
}

/** An error in place of an answer that will not come. */
export function noAnswer(id: Id, problem: string, code = INTERNAL_ERROR): Message {
  return error(id, code, `The server gave no answer of MCP: ${problem}`, { problem });
}

function lose(owner: PostOwner, post: Post, problem: string): 'refused' {
  if (post.isDone) owner.link.warn(`a message to the server may be lost: ${problem}`);
  else owner.lost(post.ids, problem);
  return 'refused';
}

function originOf(location: string): string {
  try {
    return new URL(location).origin;
  } catch {
    return 'another path';
  }
}
