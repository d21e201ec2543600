/**
 * The proxy's own requests to one generation: under ids that no client uses, their answers kept from the client. What
 * is asked, and when, others decide; only what keeps a server in the connection's era is asked from here.
 */
import { keyOf, type Key } from '../session/ids.js';
import { request } from '../wire/json-rpc.js';
import type { Desk, Reply } from './desk.js';

/** `params` is JSON. */
export function ask(
  desk: Desk,
  generation: number,
  method: string,
  params: string | undefined,
  reply: (reply: Reply) => void,
): Key {
  const id = `"mcp-hotline:${desk.options.nonce}:${++desk.ownCount}"`;
  const key = keyOf(id);
  desk.own.set(key, { generation, reply });
  if (method !== 'server/discover') desk.settled.add(generation);
  desk.ports.server(generation, request(id, method, params));
  return key;
}

/**
 * For a message that doesn't say which era it belongs to. The first server has been asked something modern before it,
 * or the connection were another; a new one that has seen only a discover would take it for the legacy era, and never
 * leave that. So it is asked something first: what nobody serves any more costs it nothing.
 */
export function settleEra(desk: Desk, generation: number): void {
  if (desk.session.era !== 'modern' || desk.settled.has(generation)) return;
  ask(desk, generation, 'ping', desk.session.paramsFor(undefined), () => {});
}
