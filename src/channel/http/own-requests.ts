/**
 * Requests that open a session in a client's place: the client sees neither them nor their answers. They are sent by
 * the peers.
 */
import { randomBytes } from 'node:crypto';
import type { Id } from '../../wire/envelope.js';
import { keyOf, type Key } from '../../wire/ids.js';
import { request } from '../../wire/json-rpc.js';
import type { Message } from '../../wire/message.js';
import { noAnswer } from './run-post.js';

export class OwnRequests {
  /** Made when it is needed: many clients never need one. */
  #nonce: string | undefined;
  readonly #open = new Map<Key, (answer: Message) => void>();
  #count = 0;

  /** `ended`: nobody answers any more. The answer is an error if there is none. */
  make(method: string, params: string, ended: AbortSignal): { readonly message: Message; answer: Promise<Message> } {
    this.#nonce ??= randomBytes(4).toString('hex');
    const id: Id = `"hotline-open:${this.#nonce}:${++this.#count}"`;
    const answer = new Promise<Message>((resolve) => {
      const giveUp = (): void => void this.fail(id, 'the server was stopped');
      this.#open.set(id, (said) => {
        ended.removeEventListener('abort', giveUp);
        resolve(said);
      });
      ended.addEventListener('abort', giveUp, { once: true });
    });
    return { message: request(id, method, params), answer };
  }

  /** False: it answers none of ours. */
  complete(answer: Message): boolean {
    const { envelope } = answer;
    return envelope.kind === 'response' && this.#settle(keyOf(envelope.id), answer);
  }

  /** There will be no answer. False: it is none of ours. */
  fail(id: Id, problem: string): boolean {
    return this.#settle(keyOf(id), noAnswer(id, problem));
  }

  #settle(key: Key, answer: Message): boolean {
    const answered = this.#open.get(key);
    this.#open.delete(key);
    answered?.(answer);
    return answered !== undefined;
  }
}
