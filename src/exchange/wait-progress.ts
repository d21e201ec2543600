/**
 * Progress of requests that wait with the proxy: in the hold, or for their turn under `--concurrency`. The client hears
 * why, so that a time-out which progress resets does not end the wait. When to say it is decided in
 * lineage/wait-ticker.ts.
 *
 * Progress must grow, and servers begin with 0 or more. So a request that no server has seen has negative values, which
 * near 0 as it waits. They follow from the time alone: nothing has to be remembered of a request, whatever becomes of
 * it.
 */
import { keyOf } from '../wire/ids.js';
import { SESSION } from '../channel/channel.js';
import { Message } from '../wire/message.js';
import { requestsIn } from '../wire/batch.js';
import type { Arrival, LineageRecord } from './records.js';

/** A request that has waited for less is likely to be answered soon: it hears nothing yet. */
const SILENT_MS = 500;
/** How much closer to 0 the values of a request are that was sent before: above all that it heard in its first wait. */
const SECOND_WAIT = 1e-9;
/** How much the progress of a server's own grows while its request waits to be sent again, in relation to its value. */
const SMALL_STEP = 1e-9;

const TOKEN = ['params', '_meta', 'progressToken'];

/** Tells the client of every request that waits and carries a progress token. */
export function tellWaiting(lineage: LineageRecord, whyHeld: string, whyQueued: string): void {
  const now = lineage.ports.now();
  for (const arrival of lineage.hold) tell(arrival, now, whyHeld);
  for (const arrival of lineage.queuedCalls) tell(arrival, now, lineage.isHolding ? whyHeld : whyQueued);
}

function tell(arrival: Arrival, now: number, message: string): void {
  const { session } = arrival;
  // A client that reads slower than it is written to gets nothing that it can do without.
  if (session.client.full) return;
  const { envelope } = arrival.message;
  const waited = now - arrival.since;
  if (waited < SILENT_MS) return;
  for (const token of tokensOf(arrival)) {
    const floor = session.minimumProgress.get(keyOf(token));
    const progress = valueOfWait(waited, arrival.isRetry, floor);
    // What the server says of a request that is sent again has to be more than this, too.
    if (floor !== undefined) session.minimumProgress.set(keyOf(token), progress);
    session.client.send(
      Message.fromJson(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${progress},"message":${JSON.stringify(message)}}}`,
      ),
      envelope.kind === 'request' ? { kind: 'about', request: envelope.id } : SESSION,
    );
  }
}

/** `floor`: the last value that the client has seen, of a request that was sent before. */
export function valueOfWait(waitedMs: number, again: boolean, floor: number | undefined): number {
  if (floor !== undefined) return floor + Math.max(1, Math.abs(floor)) * SMALL_STEP;
  return (-1000 / waitedMs) * (again ? SECOND_WAIT : 1);
}

/** The progress tokens of a request, or of those in a batch, as they are spelt. Looked for once: lines may be long. */
function tokensOf(arrival: Arrival): readonly string[] {
  return (arrival.progressTokens ??= findTokens(arrival));
}

function findTokens({ message }: Arrival): readonly string[] {
  if (!message.includes('"progressToken"')) return [];
  const { kind } = message.envelope;
  if (kind === 'request') return tokenIn(message);
  return kind === 'batch' ? requestsIn(message).flatMap((request) => tokenIn(request.message)) : [];
}

function tokenIn(request: Message): string[] {
  const token = request.raw(TOKEN) ?? '';
  return /^["\d-]/.test(token) ? [token] : [];
}
