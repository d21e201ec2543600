/**
 * `tools/list` of a server that declares no tools. The proxy declares them in its place, because an edit may add a
 * first one, so clients ask a server that need not know the method. It is asked all the same: some have tools that they
 * do not declare. If it refuses, does not answer soon, or dies of the question, the list is empty, and this session
 * asks no such server again.
 */
import { answerTo } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import { keyOf } from '../wire/ids.js';
import { result } from '../wire/json-rpc.js';
import { emptyList } from './local-answers.js';
import type { PendingRequest, Session, Upstream } from './records.js';

const ANSWERS_WITHIN_MS = 1000;

/** The list was asked of a server that declares none. */
export function watchToolList(session: Session, id: Id, upstream: Upstream): void {
  session.lineage.ports.later(ANSWERS_WITHIN_MS, () => {
    const pending = upstream.pending.findOf(session, keyOf(id));
    if (pending?.method !== 'tools/list' || pending.cancelled) return;
    answerEmpty(pending);
    upstream.pending.remove(pending);
  });
}

/** A generation is gone: of what it owed, the lists of tools that it never declared are answered. Returns the rest. */
export function answerToolLists(upstream: Upstream, owed: readonly PendingRequest[]): readonly PendingRequest[] {
  return owed.filter((pending) => {
    const { session, method, batch } = pending;
    const isUndeclared = upstream.capabilityGaps.get(session)?.promisedButMissing.has('tools') === true;
    if (!isUndeclared || method !== 'tools/list' || batch !== undefined) return true;
    answerEmpty(pending);
    return false;
  });
}

function answerEmpty({ session, id, method, message }: PendingRequest): void {
  session.ignoresToolList = true;
  session.client.send(result(id, emptyList(session, method, message) ?? {}), answerTo(id));
}
