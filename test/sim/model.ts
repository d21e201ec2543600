/**
 * What must be true, kept apart from the program: it is told what client, servers, disk and log have seen, and hands
 * each of it to those who check one promise or another. It knows nothing of desks or states.
 */
import { CrossTalk } from './cross-talk.js';
import {
  isOwn,
  keyOf,
  markOf,
  membersOf,
  opensSession,
  parse,
  type Facts,
  type Life,
  type Mark,
  type Message,
} from './facts.js';
import { ListNews } from './list-news.js';
import type { Lists } from './lists.js';
import { Order } from './order.js';
import { Requests } from './requests.js';

const LIST_NAMES = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

export class Model {
  readonly facts: Facts;
  readonly requests: Requests;
  readonly news: ListNews;
  readonly #order: Order;
  /** Generations whose start was logged before they were ready. */
  readonly #started = new Set<number>();
  readonly #crossTalk: CrossTalk;
  readonly #written = new Map<string, readonly Message[]>();

  constructor(facts: Facts) {
    this.facts = facts;
    this.requests = new Requests(facts);
    this.news = new ListNews(facts);
    this.#order = new Order(facts);
    this.#crossTalk = new CrossTalk(facts);
  }

  /** The client has written a line. */
  sent(line: string): void {
    this.facts.note(`client → ${line}`);
    for (const message of parse(line) ?? []) {
      if (!this.facts.isHttp) this.#order.sent(message.method);
      if (message.method === undefined) this.#crossTalk.answers(message);
      this.requests.sent(message, line);
    }
  }

  /** Over HTTP the program says so that it has what asks for no answer. */
  accepted(line: string): void {
    for (const message of parse(line) ?? []) this.#order.sent(message.method);
  }

  /** The client's session is gone, and it opens another one. */
  reopened(): void {
    this.facts.note('the session is gone');
    this.facts.leave?.();
    this.#order.reopened();
    this.news.missed();
  }

  booted(generation: number, code: string, lists: Lists): void {
    this.facts.note(`generation ${generation} runs ${code}`);
    const life = this.facts.life(generation);
    life.code = code;
    life.lists = lists;
  }

  reread(generation: number, lists: Lists): void {
    this.facts.note(`generation ${generation} has read its settings again`);
    this.facts.life(generation).lists = lists;
  }

  gone(generation: number): void {
    this.facts.note(`generation ${generation} is gone`);
    const life = this.facts.life(generation);
    life.alive = false;
    life.endedAt = this.facts.kernel.time;
  }

  /** The program has written a line to a server's pipe. */
  written(generation: number, line: string): void {
    this.facts.note(`${generation} ← ${line}`);
    const messages = parse(line);
    if (messages === undefined) return;
    this.#written.set(`${generation} ${line}`, messages);
    const life = this.facts.life(generation);
    for (const message of messages) {
      if (this.facts.isShared) life.heard.add(keyOf(message.params?.['requestId'] ?? message.id));
      if (message.method === 'initialize') {
        if (life.introduced && !this.facts.isApart)
          this.facts.fail('P10', `generation ${generation} is opened once more`);
        life.opened = true;
      }
      if (this.facts.isShared && !this.facts.isOwn(undefined, uidOf(message))) continue;
      if (this.facts.isApart && isOfAnother(message, this.facts.client)) continue;
      this.#isApart(message, `generation ${generation} is given`);
      if (message.method === undefined) this.#crossTalk.answerWritten(life, message);
      else if (message.id === undefined) this.#toldWritten(life, message);
      else this.#requestWritten(life, message);
    }
  }

  #requestWritten(life: Life, message: Message): void {
    const { setting } = this.facts;
    if (isOwn(message.id) || isProbe(message)) return;
    const asked = this.facts.askedIn(message);
    if (asked === undefined)
      return this.facts.fail('P10', `generation ${life.generation} is sent a request that the client never made`);
    life.heard.add(asked.key);
    if (setting.era === 'modern' && asked.method !== 'server/discover') this.facts.sessionStands = true;
    const isStream = asked.method === 'subscriptions/listen';
    if (asked.with.length === 0 && !isStream)
      this.#order.written(asked.uid, asked.method === 'tools/call' && !asked.batch);
    this.requests.written(life, asked);
    this.#order.inSession(life, asked);
  }

  #toldWritten(life: Life, message: Message): void {
    const { method, params } = message;
    this.#crossTalk.toldWritten(life, message);
    if (method === 'notifications/cancelled') this.requests.cancelWritten(JSON.stringify(params?.['requestId']));
    if (method === 'notifications/sim') this.#order.written(Number(params?.['_meta']?.['uid']), false);
  }

  /** A server has read a line. */
  read(generation: number, line: string): void {
    const key = `${generation} ${line}`;
    const messages = this.#written.get(key) ?? [];
    this.#written.delete(key);
    for (const message of messages) {
      if (message.id === undefined || message.method === undefined || isOwn(message.id)) continue;
      const asked = this.facts.askedIn(message);
      if (asked !== undefined) this.requests.executed(this.facts.life(generation), asked);
    }
  }

  /** The answers to these requests will never come from this server. */
  lost(generation: number, messages: readonly Message[]): void {
    for (const message of messages) {
      const uid = isOwn(message.id) ? undefined : uidOf(message);
      if (uid !== undefined && this.facts.asked.has(uid)) this.requests.lost(generation, uid);
    }
  }

  /** A server has refused these, and executes nothing of them. */
  refused(generation: number, messages: readonly Message[]): void {
    for (const message of messages) {
      const asked = isOwn(message.id) ? undefined : this.facts.askedIn(message);
      const at = asked?.with.lastIndexOf(generation) ?? -1;
      if (at >= 0) asked?.with.splice(at, 1);
    }
  }

  /** A server has written a message. */
  said(generation: number, n: number, line: string, message: Message): void {
    const life = this.facts.life(generation);
    life.said.set(n, line);
    if (message.method === undefined) life.hasAnswered = true;
    if (isIntroduction(message)) life.introduced = true;
    if (message.method !== undefined && message.id !== undefined) life.questions.set(JSON.stringify(message.id), n);
    const result = message.result as Partial<Lists> | undefined;
    for (const list of LIST_NAMES) if (result?.[list] !== undefined) life.listed.add(list);
    for (const { name, annotations } of result?.tools ?? []) {
      if (annotations?.readOnlyHint === true || annotations?.idempotentHint === true) life.harmless.add(name);
    }
    this.news.said(life, message.method);
  }

  /** The client has read a line. `by`: on which stream, of several; `owed`: the ids that are answered there. */
  received(line: string, by = '', owed?: ReadonlySet<string>): readonly Message[] {
    this.facts.note(`client ← ${by === '' ? '' : `(${by}) `}${line}`);
    const messages = parse(line);
    if (messages === undefined) {
      this.facts.fail('P11', `the client reads ${line}`);
      return [];
    }
    for (const message of messages) {
      // How a shared server has opened one session, it opens others.
      const isOpening = this.facts.isShared && opensSession(message);
      const mark = isOpening ? undefined : markOf(message);
      if (mark !== undefined && this.facts.lineage === undefined) this.facts.admitTo?.(mark.c);
      if (!isOpening) this.#isApart(message, 'the client reads');
      if (mark !== undefined) this.#order.seen(message, mark, line, by);
      if (message.method === undefined) {
        if (owed !== undefined && message.id !== null && !owed.has(keyOf(message.id)))
          this.facts.fail('P1', `${keyOf(message.id)} is answered where it was not asked`);
        const asked = this.requests.answered(message, mark);
        // Of requests under one id, the server's mark tells which it has answered.
        const meant = this.facts.asked.get(mark?.uid ?? -1) ?? asked;
        if (asked !== undefined && meant !== undefined) this.news.served(meant, message.result, mark);
      } else if (message.id !== undefined) this.#crossTalk.asks(message, mark);
      else {
        this.#crossTalk.tells(message);
        this.news.told(message, mark);
      }
    }
    return messages;
  }

  /** P17: every message says whose it is, and ids are the same for all clients on purpose. */
  #isApart(message: Message, who: string): void {
    const mark = markOf(message) ?? (message.result as { sim?: Mark } | undefined)?.sim;
    if (this.facts.isOwn(mark, uidOf(message))) return;
    this.facts.fail('P17', `${who} what is another client's: ${JSON.stringify(message)}`);
  }

  logged(event: string, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { facts } = this;
    facts.note(`log: ${event}: ${text.slice(0, 200)}`);
    // A server that ends before it has answered anything is a start that failed.
    if (event === 'crashed' || (event === 'failed' && fields['kind'] === 'start')) facts.crashes++;
    if (event === 'failed' || event === 'crashed') facts.failing = true;
    // A new process: the first, or one that runs what was built before, so that the failure stands.
    const generation = Number(fields['generation']);
    const isStart = event === 'starting' && 'generation' in fields;
    const isReady = event === 'ready' && fields['failing'] !== true;
    if (isReady || event === 'reloaded') facts.failing = false;
    if (text.startsWith('starting: ') || event === 'reloaded') facts.reloads++;
    const isNew = event === 'ready' && !this.#started.has(generation);
    if (isStart) this.#started.add(generation);
    if (isStart || isNew || event === 'reloaded') this.news.reloaded(generation);
    if ('inPlace' in fields) this.news.openedInPlace();
    if (event === 'warning' && text.startsWith('the list of')) this.news.doubt();
    if (event === 'warning' && /^the server (?:did not know the sessions|was away)/.test(text)) this.news.renewed();
    if (event === 'warning' && /taken for an output|faster than the server can be reloaded/.test(text)) {
      const files = fields['files'] as readonly string[];
      if (files.some((file) => file !== 'notes.json')) facts.disk.isGuessedAt = true;
    }
  }
}

/** The number of the client's message that it is, or that it is about. */
export function uidOf(message: Message): number | undefined {
  const token = /^t(\d+)$/.exec(String(message.params?.['progressToken']))?.[1];
  const uid = message.params?.['_meta']?.['uid'] ?? markOf(message)?.uid ?? token;
  return uid === undefined ? undefined : Number(uid);
}

/** The answer to `initialize`. */
function isIntroduction({ result }: Message): boolean {
  return 'protocolVersion' in membersOf(result);
}

/** Whether the server speaks the modern era is asked in nobody's place, and may go by another name. */
function isProbe({ method, params }: Message): boolean {
  return method === 'server/discover' && params?.['_meta']?.['uid'] === undefined;
}

/** What belongs to another client's session. */
function isOfAnother(message: Message, client: number): boolean {
  const of = (markOf(message) ?? (message.result as { sim?: Mark } | undefined)?.sim)?.of;
  return of !== undefined && of !== client;
}
