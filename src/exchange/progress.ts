/**
 * Progress must grow: a request that was sent again starts from nothing, but the client has seen more. So the last
 * value that it saw is remembered by token, for as long as the request is open, and becomes a floor when it is sent
 * again.
 */
import { keyOfValue, type Key } from '../session/ids.js';
import type { Owed } from '../session/ledger.js';
import type { Message } from '../wire/message.js';
import type { Desk } from './desk.js';

/** A server may tell of progress on what was taken back or never asked; of so many tokens it is remembered. */
const MAX_TOKENS = 10_000;

/** Whether the client has seen more than this notification tells; else it is what it has seen. */
export function fallsBehind(desk: Desk, notification: Message): boolean {
  const token = keyOfValue(notification.read(['params', 'progressToken']));
  const value = notification.read(['params', 'progress']);
  if (token === undefined || typeof value !== 'number') return false;
  const floor = desk.floors.get(token);
  if (floor !== undefined && value <= floor) return true;
  if (floor !== undefined) desk.floors.set(token, value);
  // The one that was told of longest ago stands first.
  desk.progress.delete(token);
  desk.progress.set(token, value);
  for (const oldest of desk.progress.keys()) {
    if (desk.progress.size <= MAX_TOKENS) break;
    desk.progress.delete(oldest);
  }
  return false;
}

/** The request is sent again: what the client has seen of it is the least that it may see. */
export function keepProgress(desk: Desk, owed: Owed): void {
  const token = tokenOf(owed);
  const seen = token === undefined ? undefined : desk.progress.get(token);
  if (token !== undefined && seen !== undefined) desk.floors.set(token, seen);
}

/** The request is over. */
export function forgetProgress(desk: Desk, owed: Owed): void {
  if (desk.progress.size === 0 && desk.floors.size === 0) return;
  const token = tokenOf(owed);
  if (token === undefined) return;
  desk.progress.delete(token);
  desk.floors.delete(token);
}

function tokenOf(owed: Owed): Key | undefined {
  return keyOfValue(owed.message.read(['params', '_meta', 'progressToken']));
}
