/**
 * The models of all clients that a lineage serves: each is told what its servers do, and takes what concerns it. A
 * lineage that comes after another numbers its servers anew, and has an audience of its own.
 */
import type { Model } from './model.js';

type Heard = Pick<Model, 'booted' | 'reread' | 'gone' | 'written' | 'read' | 'said'>;

export class Audience implements Heard {
  readonly #models: Model[] = [];

  /** A client that comes later knows of the servers that are there. */
  join(model: Model): void {
    const [first] = this.#models;
    for (const life of first?.facts.lives.values() ?? []) {
      const { code, alive, hasAnswered, lists, opened, initialized, introduced } = life;
      const known = { code, alive, hasAnswered, lists, opened, initialized, introduced };
      const told = { harmless: new Set(life.harmless), changes: new Set(life.changes) };
      Object.assign(model.facts.life(life.generation), known, told);
    }
    if (first !== undefined) model.facts.failing = first.facts.failing;
    model.facts.isBlocked = () => this.#models.some(({ requests }) => requests.hangs);
    this.#models.push(model);
  }

  note(text: string): void {
    this.#models[0]?.facts.note(text);
  }

  booted(...given: Parameters<Model['booted']>): void {
    for (const model of this.#models) model.booted(...given);
  }

  reread(...given: Parameters<Model['reread']>): void {
    for (const model of this.#models) model.reread(...given);
  }

  gone(...given: Parameters<Model['gone']>): void {
    for (const model of this.#models) model.gone(...given);
  }

  written(...given: Parameters<Model['written']>): void {
    for (const model of this.#models) model.written(...given);
  }

  read(...given: Parameters<Model['read']>): void {
    for (const model of this.#models) model.read(...given);
  }

  said(...given: Parameters<Model['said']>): void {
    for (const model of this.#models) model.said(...given);
  }
}
