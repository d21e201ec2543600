/**
 * Notes down which requests clients of a shared server take back or leave behind while the server may be at them. Whom
 * it may still speak to then is decided in addressees.ts.
 */
import { asksForLog } from './addressees.js';
import { factsOf } from './methods.js';
import { areOne, type PendingRequest, type Upstream } from './records.js';

export function noteTakenBack(upstream: Upstream, pending: PendingRequest): void {
  const { session, key, method, message, cancelled } = pending;
  const { lineage } = session;
  if (!areOne(lineage) || cancelled || factsOf(method).isQuiet) return;
  upstream.takenBack.add(key, { session, at: lineage.ports.now(), asksForLog: asksForLog(message) });
}
