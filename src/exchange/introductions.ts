/**
 * How clients that share a legacy server open their sessions. A process takes one `initialize`: that of the first
 * client. Later clients get the answer that it gave (verdict-on-client.ts), or wait here until it is known. What a
 * client is told in place of a server is in opening-answers.ts.
 */
import type { Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { forward } from './client-actions.js';
import type { LineageRecord, Upstream } from './records.js';

/** The server has answered `initialize`. */
export function noteIntroduction(lineage: LineageRecord, upstream: Upstream, answer: Message): void {
  upstream.introduction = answer.copy();
  startWaitingOpenings(lineage);
}

/** The client whose `initialize` the server has is gone: the answer is for those that come after it. */
export function adoptIntroduction(lineage: LineageRecord, upstream: Upstream, wireId: Key): void {
  upstream.isIntroducing = true;
  upstream.proxyRequests.set(wireId, (reply) => {
    upstream.isIntroducing = false;
    if (reply.kind === 'result') {
      lineage.ports.onIntroduced('initialize', reply.message);
      noteIntroduction(lineage, upstream, reply.message);
    } else if (reply.kind === 'error') startWaitingOpenings(lineage);
  });
}

/** The answer that they wait for is there, or will not come. */
export function startWaitingOpenings(lineage: LineageRecord): void {
  if (lineage.waitingOpenings.length === 0) return;
  const waiting = lineage.waitingOpenings.splice(0);
  if (lineage.isHolding) lineage.hold.addFirst(waiting);
  else for (const arrival of waiting) forward(arrival);
}
