/**
 * `tools/list` of a server that declares no tools. The proxy declares them in its place, because an edit may add a first one, so clients ask
 * a server that need not know the method. It is asked all the same: some have tools that they do not declare. If it
 * refuses, does not answer soon, or dies of the question, the list is empty, and this session asks no such server
 * again.
 */
import { answerTo } from '../channel/channel.js';
import type { Owed } from '../session/ledger.js';
import { keyOf } from '../session/ids.js';
import type { Id } from '../wire/envelope.js';
import { result } from '../wire/json-rpc.js';
import { type Desk } from './desk.js';
import { emptyList } from './local-answers.js';

const ANSWERS_WITHIN_MS = 1000;

/** The list was asked of a server that declares none. */
export function watchToolList(desk: Desk, id: Id, generation: number): void {
  desk.ports.later(ANSWERS_WITHIN_MS, () => {
    const owed = desk.ledger.find(keyOf(id), generation);
    if (owed?.method !== 'tools/list' || owed.cancelled) return;
    answerEmpty(desk, owed);
    desk.ledger.settle(id, generation);
  });
}

/** A generation is gone: of what it owed, the lists of tools that it never declared are answered. Returns the rest. */
export function answerToolLists(desk: Desk, generation: number, owed: readonly Owed[]): readonly Owed[] {
  if (desk.capabilityGaps.get(generation)?.lacking.has('tools') !== true) return owed;
  const [lists, rest] = [true, false].map((isList) =>
    owed.filter(({ method, batch }) => (method === 'tools/list' && batch === undefined) === isList),
  );
  for (const list of lists ?? []) answerEmpty(desk, list);
  return rest ?? [];
}

function answerEmpty(desk: Desk, owed: Owed): void {
  desk.ignoresToolList = true;
  desk.ports.client(result(owed.id, emptyList(desk, owed.method, owed.message) ?? {}), answerTo(owed.id));
}
