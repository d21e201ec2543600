/**
 * What a refusal says about the era of a server. A modern one answers `server/discover`, or refuses it with a code of
 * its own; any other error is that of a legacy server. A modern one refuses `initialize`. What follows from it is
 * decided in lineage/.
 */
import { answerTo } from '../channel/channel.js';
import { error, METHOD_NOT_FOUND } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import type { LineageRecord, Session, Upstream } from './records.js';

/**
 * A server process fixes its era with the first message that reveals one. A message without `_meta` would fix it to
 * legacy. A new process behind a modern client has only seen `server/discover`, which fixes nothing, so we send a
 * modern `ping` first. It is answered with "method not found", and that is enough.
 */
export function pinEra({ agreement }: LineageRecord, upstream: Upstream): void {
  if (agreement.era !== 'modern' || upstream.eraPinned) return;
  upstream.sendProxyRequest('ping', agreement.paramsFor(undefined), () => {});
}

/**
 * The server has exited. Whether it did so because the proxy had asked which era it speaks: that is an answer too, and
 * it means the legacy one. One that was modern when it last ran does not start just now; that it exits says nothing
 * else. Nor is it kept for the next run what an exit seems to say.
 */
export function refuseByExit({ cachedHandshake }: LineageRecord, upstream: Upstream): boolean {
  if (cachedHandshake['server/discover'] !== undefined) return false;
  const asked = [...upstream.pending].filter(
    ({ session, method }) => session.role === 'probe' && method === 'server/discover',
  );
  for (const pending of asked) {
    upstream.pending.remove(pending);
    pending.session.client.send(error(pending.id, METHOD_NOT_FOUND, 'Method not found'), answerTo(pending.id));
  }
  return asked.length > 0;
}

/** Header mismatch, missing client capability, unsupported protocol version. */
const MODERN_CODES: ReadonlySet<unknown> = new Set([-32020, -32021, -32022]);

/**
 * A server answered `server/discover` with an error: if that is one of the legacy era, it was the last time that we
 * took it for modern.
 */
export function noteRefusedDiscover(
  { agreement, lineage }: Pick<Session, 'agreement' | 'lineage'>,
  refusal: Message,
): void {
  // A server of both eras refuses it as well once the session is a legacy one.
  if (agreement.era !== 'legacy' && !isModernError(refusal)) lineage.ports.onDiscoverRefused();
}

export function isModernError(refusal: Message): boolean {
  return MODERN_CODES.has(codeOf(refusal));
}

/** Whether the one that refuses `initialize` like this seems to be a modern server. */
export function refusesLegacy(refusal: Message): boolean {
  return isModernError(refusal) || isMethodMissing(refusal);
}

export function isMethodMissing(refusal: Message): boolean {
  return codeOf(refusal) === METHOD_NOT_FOUND;
}

function codeOf(refusal: Message): unknown {
  return refusal.read(['error', 'code']);
}
