/**
 * What the client says to a server that has asked it something: answers, and progress on them. They never wait, and go
 * to the one that asked, under the names that it used, or to nobody if it is gone.
 */
import { keyOfValue } from '../session/ids.js';
import { readAt, setAt } from '../wire/edit.js';
import type { Id } from '../wire/scan.js';
import { joinBatch, lookInside } from './batch.js';
import { isAlive, type Desk } from './desk.js';
import { settleEra } from './proxy-requests.js';

export function answer(desk: Desk, shown: Id, line: Buffer): void {
  const question = desk.questions.answer(shown);
  if (question === undefined || !isAlive(desk, question.generation)) return;
  const own = question.id === question.shown ? line : setAt(line, ['id'], question.id);
  if (own !== undefined) desk.ports.server(question.generation, own);
}

/** Answers go to whoever asked, in a batch too; the rest of it goes on as one. */
export function withoutAnswers(desk: Desk, line: Buffer): Buffer | undefined {
  const inside = lookInside(line) ?? [];
  const rest = inside.filter(({ envelope }) => envelope.kind !== 'response');
  if (rest.length === inside.length) return line;
  for (const { envelope, line: own } of inside) if (envelope.kind === 'response') answer(desk, envelope.id, own);
  return rest.length === 0 ? undefined : joinBatch(rest.map((member) => member.line));
}

export function progress(desk: Desk, line: Buffer): void {
  const token = keyOfValue(readAt(line, ['params', 'progressToken']));
  const question = token === undefined ? undefined : desk.questions.byToken(token);
  const to = question === undefined ? desk.serving : question.generation;
  if (to === undefined || !isAlive(desk, to)) return;
  const renamed = question?.token !== undefined && question.token !== question.shownToken;
  const own = renamed ? setAt(line, ['params', 'progressToken'], question.token) : line;
  if (own === undefined) return;
  settleEra(desk, to);
  desk.ports.server(to, own);
}
