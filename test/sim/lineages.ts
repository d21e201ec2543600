/**
 * The lineages of a program that serves HTTP, as a run sees them: the servers of each, and who is told what they do.
 * Which client is served by which shows from what its servers are sent.
 */
import { Audience } from './audience.js';
import type { Disk } from './disk.js';
import { Facts } from './facts.js';
import type { Kernel } from './kernel.js';
import { Model } from './model.js';
import type { Network } from './network.js';
import type { Process } from './processes.js';
import type { Script } from './script.js';
import { FIXED_PORT } from './served-under-test.js';
import { Server } from './server.js';

/** More than a lineage has. Generations of no two lineages have the same number. */
const GENERATIONS = 1000;
const NOBODY = -1;

interface LineagesContext {
  readonly kernel: Kernel;
  readonly disk: Disk;
  readonly network: Network;
  readonly script: Script;
  note(text: string): void;
}

interface Lineage {
  readonly number: number;
  readonly audience: Audience;
  readonly observer: Model;
  readonly servers: Server[];
}

export class Lineages {
  readonly #kernel: Kernel;
  readonly #disk: Disk;
  readonly #network: Network;
  readonly #script: Script;
  readonly #clients: readonly Model[];
  readonly #note: (text: string) => void;
  readonly #all = new Map<string, Lineage>();

  constructor({ kernel, disk, network, script, note }: LineagesContext, clients: readonly Model[]) {
    this.#kernel = kernel;
    this.#disk = disk;
    this.#network = network;
    this.#script = script;
    this.#clients = clients;
    this.#note = note;
    for (const model of clients) {
      // What may be served by any lineage: by which does not show before a message of it reaches a server.
      model.facts.isBlocked = () =>
        model.facts.isShared && [...this.#all.values()].some(({ audience }) => audience.hangs);
      model.facts.admitTo = (number) => {
        const lineage = [...this.#all.values()][number];
        lineage?.audience.serve(model, number);
      };
    }
  }

  get servers(): Server[] {
    return [...this.#all.values()].flatMap(({ servers }) => servers);
  }

  get facts(): Facts[] {
    return [...this.#all.values()].map(({ observer }) => observer.facts);
  }

  /** `port`: where it is to speak HTTP, if it is. */
  started(process: Process, name: string, generation: number, port: number | undefined): Server {
    const { audience, servers, number } = this.#of(name);
    const isAlone = (): boolean => servers.every((other) => other === server || !other.process.alive);
    const { setting } = this.#script;
    const http = setting.upstream === undefined ? undefined : { network: this.#network, port: port ?? FIXED_PORT };
    const surroundings = { model: audience, disk: this.#disk, script: this.#script, setting, http };
    const server = new Server(surroundings, process, number * GENERATIONS + generation, number, isAlone);
    servers.push(server);
    return server;
  }

  /** `name`: undefined: that of the client on stdio, or nobody's. */
  logged(name: string | undefined, event: string, text: string, fields?: Readonly<Record<string, unknown>>): void {
    if (name === undefined && event === 'warning')
      for (const { audience } of this.#all.values()) audience.logged(event, text, fields);
    else {
      const { audience, number } = this.#of(name ?? 'first');
      const generation = Number(fields?.['generation']);
      const own = generation > 0 ? { ...fields, generation: number * GENERATIONS + generation } : fields;
      audience.logged(event, text, own);
    }
  }

  #of(name: string): Lineage {
    let lineage = this.#all.get(name);
    if (lineage === undefined) {
      const number = this.#all.size;
      const facts = new Facts(this.#kernel, this.#disk, this.#script.setting, NOBODY, (text) =>
        this.#note(`lineage ${number}: ${text}`),
      );
      facts.isShared = true;
      facts.isApart = this.#script.setting.upstream !== undefined;
      const observer = new Model(facts);
      const audience = new Audience({ lineage: number, observer, clients: this.#clients });
      lineage = { number, audience, observer, servers: [] };
      this.#all.set(name, lineage);
    }
    return lineage;
  }
}
