/**
 * What a server's answer to a POST means, where its status says that it is no success: an answer of MCP all the same,
 * the end of the session, a refusal that its client has to see as it is, or nothing that MCP knows. Pure; what is done
 * about it is for the peers.
 */
import type { Id } from '../../wire/envelope.js';
import { keyOf } from '../../wire/ids.js';
import { Message } from '../../wire/message.js';
import { lineOf, shown } from './body-reader.js';

export interface Refusal {
  readonly status: number;
  readonly isJson: boolean;
  readonly body: Buffer;
  /** The requests that were asked. */
  readonly owed: readonly Id[];
  /** The POST named a session. */
  readonly hasSession: boolean;
}

export type Outcome =
  | { readonly kind: 'answer'; readonly message: Message }
  /** The server does not know the session: nothing was executed. */
  | { readonly kind: 'session-gone' }
  /** Who the client is has to be said first, or is not enough. */
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'no-mcp'; readonly text: string };

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const BAD_REQUEST = 400;

export function outcomeOf({ status, isJson, body, owed, hasSession }: Refusal): Outcome {
  if (status === UNAUTHORIZED) return { kind: 'unauthorized' };
  const message = isJson ? messageIn(body) : undefined;
  if (message !== undefined && answersAny(message, owed)) return { kind: 'answer', message };
  if (hasSession && (status === NOT_FOUND || status === BAD_REQUEST)) return { kind: 'session-gone' };
  if (message?.envelope.kind === 'response' && message.envelope.error) return { kind: 'answer', message };
  if (status === FORBIDDEN) return { kind: 'unauthorized' };
  return { kind: 'no-mcp', text: statusText(status, shown(body)) };
}

/** A body that is one message. */
export function messageIn(body: Buffer): Message | undefined {
  const message = Message.of(lineOf(body));
  const { kind } = message.envelope;
  return kind === 'invalid' ? undefined : message;
}

function answersAny({ envelope }: Message, owed: readonly Id[]): boolean {
  if (envelope.kind !== 'response') return false;
  const key = keyOf(envelope.id);
  return key !== 'null' && owed.some((id) => keyOf(id) === key);
}

/** What came, in the words of people who look for the cause. */
export function statusText(status: number, body: string): string {
  return body === '' ? `HTTP ${status}` : `HTTP ${status}: ${firstLines(body)}`;
}

const MAX_LINES = 12;
const MAX_CHARACTERS = 800;

/** Markup is no help to anybody who reads a message. */
export function firstLines(body: string): string {
  const isMarkup = /^\s*<(?:!doctype|html|\?xml)/i.test(body);
  const text = isMarkup
    ? body
        .replace(/<(style|script|head)\b[^]*?<\/\1>/gi, (block) => /<title>[^<]*<\/title>/i.exec(block)?.[0] ?? '')
        .replace(/<br\s*\/?>/gi, '\n')
        .replace(/<[^>]*>/g, ' ')
    : body;
  const lines = text
    .split('\n')
    .map((line) => line.replace(/[ \t\r]+/g, ' ').trim())
    .filter((line) => line !== '');
  const excerpt = lines.slice(0, MAX_LINES).join('\n');
  return excerpt.length > MAX_CHARACTERS ? `${excerpt.slice(0, MAX_CHARACTERS)}…` : excerpt;
}
