/**
 * What the client says to a server that has asked it something: answers, and progress on them. They never wait, and go
 * to the one that asked, under the names that it used, or to nobody if it is gone.
 */
import { answerTo, SESSION } from '../channel/channel.js';
import { keyOfValue } from '../session/ids.js';
import type { Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';
import { joinBatch, messagesIn } from './batch.js';
import { isAlive, type Desk } from './desk.js';
import { settleEra } from './proxy-requests.js';

export function answer(desk: Desk, shown: Id, response: Message): void {
  const question = desk.questions.answer(shown);
  if (question === undefined || !isAlive(desk, question.generation)) return;
  const own = question.id === question.shown ? response : response.with(['id'], question.id);
  if (own !== undefined) desk.ports.server(question.generation, own, answerTo(question.id));
}

/** Answers go to whoever asked, in a batch too; the rest of it goes on as one. */
export function withoutAnswers(desk: Desk, batch: Message): Message | undefined {
  const inside = messagesIn(batch) ?? [];
  const rest = inside.filter(({ envelope }) => envelope.kind !== 'response');
  if (rest.length === inside.length) return batch;
  for (const message of inside) {
    const { envelope } = message;
    if (envelope.kind === 'response') answer(desk, envelope.id, message);
  }
  return rest.length === 0 ? undefined : joinBatch(rest);
}

export function progress(desk: Desk, message: Message): void {
  const token = keyOfValue(message.read(['params', 'progressToken']));
  const question = token === undefined ? undefined : desk.questions.byToken(token);
  const to = question === undefined ? desk.serving : question.generation;
  if (to === undefined || !isAlive(desk, to)) return;
  const renamed = question?.token !== undefined && question.token !== question.shownToken;
  const own = renamed ? message.with(['params', 'progressToken'], question.token) : message;
  if (own === undefined) return;
  settleEra(desk, to);
  desk.ports.server(to, own, question === undefined ? SESSION : { kind: 'about', request: question.id });
}
