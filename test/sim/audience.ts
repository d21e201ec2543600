/**
 * The models of all clients that a lineage serves: each is told what its servers do, and takes what concerns it. A
 * lineage that comes after another numbers its servers anew, and has an audience of its own.
 */
import { isOwn, parse, UIDS, type Message } from './facts.js';
import { uidOf, type Model } from './model.js';

type Heard = Pick<Model, 'booted' | 'reread' | 'gone' | 'written' | 'read' | 'said' | 'lost' | 'refused' | 'logged'>;

/** Where it shows only from what a server is sent whom its lineage serves. */
export interface Served {
  /** The number of the lineage. */
  readonly lineage: number;
  /** Sees everything, and is nobody's. */
  readonly observer: Model;
  /** Clients by their numbers. */
  readonly clients: readonly Model[];
}

export class Audience implements Heard {
  readonly #models: Model[] = [];
  readonly #served: Served | undefined;

  constructor(served?: Served) {
    this.#served = served;
    if (served !== undefined) this.#models.push(served.observer);
  }

  /** A client that comes later knows of the servers that are there. */
  join(model: Model): void {
    const [first] = this.#models;
    for (const life of first?.facts.lives.values() ?? []) {
      const { code, alive, hasAnswered, lists, opened, initialized, introduced } = life;
      const known = { code, alive, hasAnswered, lists, opened, initialized, introduced };
      const { harmless, listed, changes, heard, questions, said } = life;
      const told = {
        harmless: new Set(harmless),
        changes: new Set(changes),
        said: new Map(said),
        listed: new Set(listed),
      };
      const open = { heard: new Set(heard), questions: new Map(questions) };
      Object.assign(model.facts.life(life.generation), known, told, open);
    }
    if (first !== undefined) model.facts.failing = first.facts.failing;
    model.facts.isBlocked = () => this.hangs;
    this.#models.push(model);
  }

  /** A server has a call of one of them and may not answer it. */
  get hangs(): boolean {
    return this.#models.some(({ requests }) => requests.hangs);
  }

  note(text: string): void {
    this.#models[0]?.facts.note(text);
  }

  logged(...given: Parameters<Model['logged']>): void {
    for (const model of this.#models) model.logged(...given);
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

  written(generation: number, line: string): void {
    for (const message of parse(line) ?? []) this.#admit(message);
    for (const model of this.#models) model.written(generation, line);
  }

  /** The client whose message this is has come to this lineage. */
  #admit(message: Message): void {
    const uid = isOwn(message.id) ? undefined : uidOf(message);
    if (this.#served === undefined || uid === undefined || !(uid >= 0)) return;
    const { clients, lineage } = this.#served;
    const model = clients[Math.floor(uid / UIDS)];
    if (model === undefined || this.#models.includes(model)) return;
    // What it does not wait for any more may open a session that it knows nothing of.
    if (model.facts.asked.get(uid)?.dropped === true) return;
    this.serve(model, lineage);
  }

  serve(model: Model, lineage: number): void {
    if (!model.facts.isShared && this.#models.length > 1)
      model.facts.fail('P17', `lineage ${lineage} serves another client already`);
    model.facts.note(`lineage ${lineage} serves it`);
    // The one before may have asked it something, or answer yet: it still hears what becomes of that one's servers.
    if (model.facts.lineage !== undefined) model.facts.former.add(model.facts.lineage);
    model.facts.lineage = lineage;
    model.facts.leave = () => {
      model.facts.former.add(lineage);
      model.facts.lineage = undefined;
      this.#models.splice(this.#models.indexOf(model), 1);
    };
    this.join(model);
  }

  lost(...given: Parameters<Model['lost']>): void {
    for (const model of this.#models) model.lost(...given);
  }

  refused(...given: Parameters<Model['refused']>): void {
    for (const model of this.#models) model.refused(...given);
  }

  fail(promise: string, text: string): void {
    this.#models[0]?.facts.fail(promise, text);
  }

  read(...given: Parameters<Model['read']>): void {
    for (const model of this.#models) model.read(...given);
  }

  said(...given: Parameters<Model['said']>): void {
    for (const model of this.#models) model.said(...given);
  }
}
