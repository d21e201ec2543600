/** The models of all clients that a server serves: each is told what the server does, and takes what concerns it. */
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
      Object.assign(model.facts.life(life.generation), known);
    }
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
