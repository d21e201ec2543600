/** P10: what was meant for one server, or came from one, has nothing to do with another. */
import { keyOf, SUBSCRIPTION, type Asked, type Facts, type Life, type Mark, type Message } from './facts.js';

export class CrossTalk {
  readonly #facts: Facts;
  /** The questions that the client knows, by the ids it knows them by. */
  readonly #shown = new Map<string, Mark>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** The client is asked something. */
  asks({ id, method }: Message, mark: Mark | undefined): void {
    const { setting, lives } = this.#facts;
    if (setting.era === 'modern') return this.#facts.fail('P16', 'a modern client is asked something');
    if (mark === undefined) return this.#facts.fail('P10', `the client is asked ${method} by nobody`);
    const key = keyOf(id);
    const other = this.#shown.get(key);
    const waits = other !== undefined && [...(lives.get(other.g)?.questions.values() ?? [])].includes(other.n);
    if (waits && other.g !== mark.g && this.#facts.isAlive(other.g))
      this.#facts.fail('P10', `two servers ask under the id ${key}`);
    this.#shown.set(key, mark);
  }

  /**
   * The client answers what it knows under this id, which is free from then on: the answer need not reach an asker that
   * was given up.
   */
  answers({ id }: Message): void {
    this.#shown.delete(keyOf(id));
  }

  /** P17: the client is told the news of a stream. */
  tells({ params }: Message): void {
    const named = params?.['_meta']?.[SUBSCRIPTION];
    const key = keyOf(named);
    const isStream = ({ method, key: own }: Asked): boolean => method === 'subscriptions/listen' && own === key;
    if (named !== undefined && ![...this.#facts.asked.values()].some(isStream))
      this.#facts.fail('P17', `the client is told of the stream ${key}, which it has never opened`);
  }

  /** A server is given an answer. */
  answerWritten(life: Life, { id, result, error }: Message): void {
    const mark = (result as { sim?: Mark } | undefined)?.sim;
    const key = keyOf(id);
    const open = life.questions.delete(key);
    // The client that a shared server has asked may leave: then the proxy says so.
    if (open && this.#facts.isShared && error !== undefined) return;
    if (!open || mark?.g !== life.generation)
      this.#facts.fail('P10', `generation ${life.generation} is given an answer (${key}) that it has not asked for`);
  }

  /** A server is told something that is about something else. */
  toldWritten(life: Life, { method, params }: Message): void {
    const { generation } = life;
    if (method === 'notifications/initialized') {
      if (life.initialized && !this.#facts.isApart)
        this.#facts.fail('P10', `generation ${generation} is told twice that the session is open`);
      life.initialized = true;
    } else if (method === 'notifications/cancelled') {
      const key = keyOf(params?.['requestId']);
      if (!life.heard.has(key))
        this.#facts.fail('P10', `generation ${generation} is told that ${key} is cancelled, which it was never sent`);
    } else if (method === 'notifications/progress') {
      const mark = params?.['_meta']?.['sim'] as Mark | undefined;
      if (mark?.g !== generation)
        this.#facts.fail('P10', `generation ${generation} hears of progress on what another has asked`);
    }
  }
}
