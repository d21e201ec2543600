/**
 * The servers' requests that the client owes an answer to. Every process counts its ids anew, so two generations may
 * ask under the same one; the second then reaches the client under an id of ours, and the answer finds back. A question
 * whose asker is gone stays known until it is answered, so that the late answer goes to nobody.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, type Key } from './ids.js';

export interface Question {
  /** What the client sees. */
  readonly shown: Id;
  /** What the asker wrote. */
  readonly id: Id;
  readonly key: Key;
  readonly generation: number;
  readonly method: string;
  /** The token for progress on it: as the asker wrote it, and as the client sees it. */
  readonly token: Key | undefined;
  readonly shownToken: Key | undefined;
  orphan: boolean;
}

/** So many questions of lost generations are remembered; a client that answers none of them is not waited for. */
const MAX_ORPHANS = 1000;

const ROOTS = 'roots/list';

export class Questions {
  readonly #open = new Map<Key, Question>();
  /** Of the generations that asked for the client's roots, who waits for the answer. */
  readonly #rooted = new Map<number, (() => void)[]>();
  #renamed = 0;
  #orphans = 0;

  /** What is shown differs from what was written only where it must. */
  ask(id: Id, generation: number, method: string, token: Key | undefined): Question {
    const key = keyOf(id);
    let shown = id;
    while (this.isOpen(keyOf(shown))) shown = this.#newName(generation);
    const other = token === undefined ? undefined : this.byToken(token);
    const shownToken = other === undefined || other.generation === generation ? token : this.#newName(generation);
    const question = { shown, id, key, generation, method, token, shownToken, orphan: false };
    this.#open.set(keyOf(shown), question);
    if (method === ROOTS && !this.#rooted.has(generation)) this.#rooted.set(generation, []);
    return question;
  }

  /** The question that the client answers; it is closed by that. */
  answer(shown: Id): Question | undefined {
    const key = keyOf(shown);
    const question = this.#open.get(key);
    if (question === undefined) return undefined;
    this.#open.delete(key);
    if (question.orphan) this.#orphans--;
    else this.#tell(question.generation);
    return question;
  }

  /** The newest question of the generation that it asked under this id. */
  asked(key: Key, generation: number): Question | undefined {
    return [...this.#open.values()].findLast((q) => q.key === key && q.generation === generation);
  }

  /** Whether the client knows a question under this id. */
  isOpen(shown: Key): boolean {
    return this.#open.has(shown);
  }

  /** What the client's progress under this token is about. */
  byToken(shown: Key): Question | undefined {
    return [...this.#open.values()].findLast((question) => question.shownToken === shown);
  }

  /** Whether it asked for the client's roots, answered or not. */
  isRooted(generation: number): boolean {
    return this.#rooted.has(generation);
  }

  /** Calls back when it is owed no roots, which may be at once, or is gone. */
  whenRooted(generation: number, then: () => void): void {
    this.#rooted.get(generation)?.push(then);
    this.#tell(generation);
  }

  #tell(generation: number): void {
    const waiting = this.#rooted.get(generation);
    const isOwed = (q: Question): boolean => q.generation === generation && q.method === ROOTS && !q.orphan;
    if (waiting === undefined || [...this.#open.values()].some(isOwed)) return;
    for (const then of waiting.splice(0)) then();
  }

  /** The asker is gone. Returns the questions that the client need not think about any more. */
  orphan(generation: number): Question[] {
    const orphaned: Question[] = [];
    for (const question of this.#open.values()) {
      if (question.generation !== generation || question.orphan) continue;
      question.orphan = true;
      this.#orphans++;
      orphaned.push(question);
    }
    this.#tell(generation);
    this.#rooted.delete(generation);
    for (const [key, question] of this.#open) {
      if (this.#orphans <= MAX_ORPHANS) break;
      if (!question.orphan) continue;
      this.#open.delete(key);
      this.#orphans--;
    }
    return orphaned;
  }

  #newName(generation: number): Key {
    return `"hotline-${generation}-${++this.#renamed}"`;
  }
}
