/**
 * Calls that a server says nothing about. The clock of a call starts when it is written to the server, progress starts
 * it anew, and it stands still while the server waits for an answer of the client's; calls that are held or wait for
 * their turn are with no server and have no clock. When to look, and who is told, is decided in lineage/call-watch.ts.
 * Pure.
 */
import { batchTimedOut, callTimedOut, cancelledBecauseSilent, type CallOutput } from '../agent/call-words.js';
import { answerTo } from '../channel/channel.js';
import { joinBatch } from '../wire/batch.js';
import { Message } from '../wire/message.js';
import { answerToBatch } from './answer-all.js';
import { giveUpPending } from './client-actions.js';
import { failureAnswer } from './failure-answers.js';
import { lastProgressOf } from './progress.js';
import { isAlive, type LineageRecord, type PendingRequest, type Session, type Upstream } from './records.js';
import { toolOf } from './retry-safety.js';

export interface UnansweredCall {
  readonly upstream: Upstream;
  readonly pending: PendingRequest;
  readonly tool: string;
  readonly silentMs: number;
  /** Its clock stands still: the server waits for its client. */
  readonly isPaused: boolean;
}

const CALL = 'tools/call';

/** Those that clients wait for. `session`: of this one alone. */
export function unansweredCalls(lineage: LineageRecord, session?: Session): UnansweredCall[] {
  const now = lineage.ports.now();
  const calls: UnansweredCall[] = [];
  for (const upstream of lineage.upstreams) {
    if (upstream.pending.count === 0 || !isAlive(lineage, upstream)) continue;
    for (const pending of upstream.pending) {
      if (pending.method !== CALL || pending.cancelled || (session ?? pending.session) !== pending.session) continue;
      const awaitedSince = upstream.serverRequests.awaitedSince(pending.session);
      const silentMs = silenceOf(pending, awaitedSince ?? now);
      const isPaused = awaitedSince !== undefined;
      calls.push({ upstream, pending, tool: toolOf(pending.message), silentMs, isPaused });
    }
  }
  return calls;
}

function silenceOf(pending: PendingRequest, until: number): number {
  const since = Math.max(pending.silentSince, lastProgressOf(pending) ?? 0);
  return Math.max(0, until - since);
}

/**
 * The call is answered with an error, and the server is told to cancel it; what it answers all the same is nobody's. A
 * batch is answered as one.
 */
export function giveUpCall({ upstream, pending }: UnansweredCall, limitMs: number): void {
  const { session, batch } = pending;
  const all = batch === undefined ? [pending] : [...upstream.pending].filter((each) => each.batch === batch);
  const owed = all.filter(({ cancelled }) => !cancelled);
  const answers = owed.map((each) => {
    const { method, message } = each;
    const text =
      method === CALL
        ? callTimedOut(toolOf(message), limitMs, outputOf(upstream, each))
        : batchTimedOut(method, limitMs);
    return failureAnswer(session, each, { text }, { method, silentMs: limitMs, mayHaveRun: true });
  });
  for (const each of owed) giveUpPending(upstream, each, cancellationOf(each, limitMs));
  const [answer] = answers;
  if (answer === undefined) return;
  if (batch === undefined) session.client.send(answer, answerTo(pending.id));
  else session.client.send(joinBatch(answers), answerToBatch(owed));
}

/** Of a server that several clients share only what can be of nobody else (P17, apart). */
function outputOf(upstream: Upstream, pending: PendingRequest): CallOutput | undefined {
  const isOnly = upstream.pending.wasAlone(pending) && upstream.tasks.openCount === 0;
  const { isShared } = pending.session.lineage;
  if (isShared && !isOnly) return undefined;
  const { text } = upstream.outputSince(pending);
  if (text !== '' || isShared) return { text, when: isOnly ? 'during' : 'meanwhile' };
  return { text: upstream.lastOutput(), when: 'before' };
}

function cancellationOf({ wireId }: PendingRequest, limitMs: number): Message {
  return Message.fromJson(
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${wireId},"reason":${JSON.stringify(cancelledBecauseSilent(limitMs))}}}`,
  );
}
