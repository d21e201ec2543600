/**
 * Notes down which requests clients of a shared server take back or leave behind while the server may be at them. Whom
 * it may still speak to then is decided in addressees.ts.
 */
import { asksForLog, isQuiet } from './addressees.js';
import { areOne, type PendingRequest, type Upstream } from './records.js';

export function noteTakenBack(upstream: Upstream, pending: PendingRequest): void {
  const { session, key, method, message, cancelled } = pending;
  const { lineage } = session;
  if (!areOne(lineage) || cancelled || isQuiet(method)) return;
  upstream.takenBack.add(key, { session, at: lineage.ports.now(), asksForLog: asksForLog(message) });
}
