/**
 * What happens to messages when generations come and go: the hold begins and ends, one generation takes over from
 * another, and what a lost one owed is sent again or answered. When that is due is decided in reload/.
 */
import { askerGone, heldTooLong, type Failure } from '../agent/words.js';
import type { Key } from '../session/ids.js';
import { answerTo, SESSION } from '../channel/channel.js';
import type { Owed } from '../session/ledger.js';
import { notification } from '../wire/json-rpc.js';
import { Message } from '../wire/message.js';
import { notificationsFor } from '../lists/compare.js';
import type { ListName } from '../lists/lists.js';
import { toolNames } from './agent-calls.js';
import { joinBatch } from './batch.js';
import { isAlive, type Desk, type Introduction, type Reply } from './desk.js';
import { answerAll, forward, freeTurn, pump } from './from-client.js';
import { failureAnswer, lostAnswer } from './failure-answers.js';
import type { Held } from './hold.js';
import { ask } from './proxy-requests.js';
import { forgetProgress, keepProgress } from './progress.js';
import { maySendAgain } from './retry-safety.js';
import { standIn } from './local-answers.js';
import { goneTaskAnswer, taskOwner } from './task-messages.js';
import { answerToolLists } from './undeclared-tools.js';
import { acknowledgeStreams, keepStreams, reopenStreams, tellStreams } from './listen-streams.js';

/** The hold has ended: the messages that waited go, in order, to whoever serves now. */
export function endHold(desk: Desk): void {
  if (desk.failure !== undefined && desk.serving === undefined) acknowledgeStreams(desk);
  for (const held of desk.hold.takeAgain()) forward(desk, held);
  pump(desk);
  for (const held of desk.hold.takeAll()) forward(desk, held);
}

/** The candidate serves from now on, and the generation before, if there is one, drains. */
export function takeOver(desk: Desk, from: number | undefined, generation: number): void {
  if (from !== undefined) desk.draining.add(from);
  keepStreams(desk, from);
  desk.lacking = desk.capabilityGaps.get(generation)?.lacking ?? desk.lacking;
  // A candidate has opened the session before it takes over; the first of all has been asked nothing yet.
  if (desk.session.stands) desk.born = true;
  // The names that the client was listed for our tools were chosen without a look at those of this server.
  if (desk.standInTools !== 'unlisted') desk.named = false;
  reopenStreams(desk, generation);
}

/** The generation gets no more requests: it is to be stopped before another one starts. */
export function retire(desk: Desk, generation: number): void {
  keepStreams(desk, generation);
  desk.draining.add(generation);
}

/** What a lost generation still owed: what was answered in its place, and what is sent again. */
export interface Lost {
  readonly answered: readonly Owed[];
  readonly again: readonly Owed[];
}

/**
 * The generation is gone, or given up: nothing it says counts any more, and what it owed is settled here. `crash`: how
 * it came to its end, for those whose calls it took with it.
 */
export function lose(desk: Desk, generation: number, crash?: Failure): Lost {
  desk.draining.delete(generation);
  desk.introduced.delete(generation);
  desk.settled.delete(generation);
  keepStreams(desk, generation);
  for (const listen of desk.listens) listen.told.delete(generation);
  desk.tasks.lose(generation);
  const taken = desk.ledger.take(generation);
  const waiting = taken.filter((entry) => !entry.cancelled);
  const owed = crash === undefined ? waiting : answerToolLists(desk, generation, waiting);
  desk.capabilityGaps.delete(generation);
  for (const entry of owed) freeTurn(desk, entry);
  // Before the session stands, a new process is sent what the old one owed, whatever --retry says.
  const retries = desk.options.retry === 'safe' || !desk.session.stands;
  const again = owed.filter((entry) => retries && maySendAgain(entry, desk.harmless.get(generation)));
  const answered = owed.filter((entry) => !again.includes(entry));
  answerLost(desk, answered, crash);
  desk.harmless.delete(generation);
  for (const question of desk.questions.orphan(generation)) {
    desk.ports.client(
      Message.fromJson(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${question.shown},"reason":${JSON.stringify(askerGone())}}}`,
      ),
      SESSION,
    );
  }
  for (const [key, own] of desk.own) {
    if (own.generation !== generation) continue;
    desk.own.delete(key);
    own.reply({ kind: 'gone' });
  }
  sendAgain(desk, again);
  pump(desk);
  return { answered, again };
}

function answerLost(desk: Desk, lost: readonly Owed[], crash: Failure | undefined): void {
  const batches = new Map<object, { readonly first: Owed; readonly answers: Message[] }>();
  for (const owed of lost) {
    forgetProgress(desk, owed);
    const { id, method, message, again } = owed;
    const task = taskOwner(desk, method, message);
    const isGone = task === 'lost' || task === 'over';
    const answer = isGone ? goneTaskAnswer(id, message, task) : lostAnswer(desk, owed, crash, again);
    const batch = owed.batch && batches.get(owed.batch);
    if (owed.batch === undefined) desk.ports.client(answer, answerTo(id));
    else if (batch === undefined) batches.set(owed.batch, { first: owed, answers: [answer] });
    else batch.answers.push(answer);
  }
  for (const { first, answers } of batches.values()) desk.ports.client(joinBatch(answers), answerTo(first.id));
}

function sendAgain(desk: Desk, owed: readonly Owed[]): void {
  const held = owed.map((entry): Held => {
    keepProgress(desk, entry);
    return { message: entry.message, since: desk.ports.now(), isRetry: true };
  });
  if (desk.holding) desk.hold.addFirst(held);
  else for (const entry of held) forward(desk, entry);
}

/** Answers what has waited too long. Returns when to look again. */
export function expire(desk: Desk): number | undefined {
  const { hold } = desk.options;
  if (hold === 0) return undefined;
  for (const held of desk.hold.expire(desk.ports.now() - hold)) {
    const { message, isRetry } = held;
    const text = heldTooLong(hold / 1000, toolNames(desk, message), { isRetry, isFirst: !desk.born });
    const facts = { waitedMs: hold, ...(isRetry ? { mayHaveRun: true } : {}) };
    answerAll(desk, held, (request) => failureAnswer(desk, request, { text }, facts));
  }
  const { oldest } = desk.hold;
  return oldest === undefined ? undefined : oldest + hold;
}

/**
 * The client waits too long for its session to be opened: it is answered in place of the server, be the request with
 * one or held. What a server that has it says in the end comes to us. `failure`: what is wrong with that server, if
 * anything; the client is told. `nobody`: it has been answered, or taken back.
 */
export function openInPlace(desk: Desk, key: Key, failure: Failure | undefined): Introduction | 'held' | 'nobody' {
  const held = desk.hold.remove(key);
  if (held?.message.envelope.kind === 'request') {
    const { id, method } = held.message.envelope;
    desk.ports.client(standIn(desk, id, method, held.message), answerTo(id));
    return 'held';
  }
  const owed = desk.ledger.find(key);
  if (owed === undefined || !isAlive(desk, owed.generation)) return 'nobody';
  const { id, method, message, cancelled, generation } = owed;
  if (cancelled && failure === undefined) return 'nobody';
  desk.ledger.settle(id, generation);
  if (!cancelled) desk.ports.client(standIn(desk, id, method, message, failure), answerTo(id));
  const reply = new Promise<Reply>((resolve) => void desk.own.set(key, { generation, reply: resolve }));
  if (desk.draining.has(generation) && desk.ledger.owing(generation) === 0) desk.ports.drained(generation);
  return { generation, method, reply };
}

/** Tells a generation what another one had accepted. If this one doesn't, the client can't be told. */
export function remind(desk: Desk, generation: number, method: string, params: string): void {
  ask(desk, generation, method, params, (reply) => {
    if (reply.kind === 'error')
      desk.ports.warn(`generation ${generation} refused ${method} ${params}, which the server before it had accepted`);
  });
}

/**
 * Tells the client of changed lists, and of every subscribed resource that the new code may give otherwise. Returns the
 * lists that it was told of: a modern client has to have asked.
 */
export function notifyLists(desk: Desk, lists: readonly ListName[]): readonly ListName[] {
  if (desk.session.era === 'modern') return tellStreams(desk, lists);
  for (const method of notificationsFor(lists)) desk.ports.client(notification(method), SESSION);
  for (const uri of desk.session.subscriptions.keys()) {
    desk.ports.client(notification('notifications/resources/updated', { uri }), SESSION);
  }
  return lists;
}
