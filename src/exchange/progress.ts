/**
 * Progress must grow: a request that was sent again starts from nothing, but the client has seen more. So the last
 * value that it saw is remembered by token, for as long as the request is open, and becomes a floor when it is sent
 * again.
 */
import { keyOfValue, type Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import type { PendingRequest, Session } from './records.js';

/** A server may tell of progress on what was taken back or never asked; of so many tokens it is remembered. */
const MAX_TOKENS = 10_000;

export interface Progress {
  readonly token: Key;
  readonly value: number;
}

/** What a notification says; undefined if it says nothing that could be compared. */
export function progressIn(notification: Message): Progress | undefined {
  const token = keyOfValue(notification.read(['params', 'progressToken']));
  const value = notification.read(['params', 'progress']);
  return token === undefined || typeof value !== 'number' ? undefined : { token, value };
}

/** Whether the client has seen as much already. */
export function isStaleProgress(session: Session, { token, value }: Progress): boolean {
  const minimum = session.minimumProgress.get(token);
  return minimum !== undefined && value <= minimum;
}

/** It goes to the client, or would go if the client had not seen more: then the server is at work all the same. */
export function recordProgress(session: Session, progress: Progress): void {
  const { token } = progress;
  const minimum = session.minimumProgress.get(token);
  const value = Math.max(progress.value, minimum ?? -Infinity);
  if (minimum !== undefined) session.minimumProgress.set(token, value);
  // The one that was told of longest ago stands first.
  session.progress.delete(token);
  session.progress.set(token, { value, at: session.lineage.ports.now() });
  for (const oldest of session.progress.keys()) {
    if (session.progress.size <= MAX_TOKENS) break;
    session.progress.delete(oldest);
  }
}

/** The request is sent again: what the client has seen of it is the least that it may see. */
export function keepProgress(session: Session, pending: PendingRequest): void {
  const token = tokenOf(pending);
  const seen = token === undefined ? undefined : session.progress.get(token)?.value;
  if (token !== undefined && seen !== undefined) session.minimumProgress.set(token, seen);
}

/** When the server last told of progress of this request. */
export function lastProgressOf(pending: PendingRequest): number | undefined {
  const { progress } = pending.session;
  const token = progress.size === 0 ? undefined : tokenOf(pending);
  return token === undefined ? undefined : progress.get(token)?.at;
}

/** The request is over. */
export function forgetProgress(session: Session, pending: PendingRequest): void {
  if (session.progress.size === 0 && session.minimumProgress.size === 0) return;
  const token = tokenOf(pending);
  if (token === undefined) return;
  session.progress.delete(token);
  session.minimumProgress.delete(token);
}

function tokenOf(pending: PendingRequest): Key | undefined {
  return keyOfValue(pending.message.read(['params', '_meta', 'progressToken']));
}
