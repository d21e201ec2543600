/**
 * One client as a run sees it: the client itself, the model of what it is promised, and the servers that were started
 * for it. The disk, the clock and the order of events are the run's, which has as many of these as the script says.
 */
import { Audience } from './audience.js';
import { Client, type Tamper } from './client.js';
import { codeOf, type Disk } from './disk.js';
import { Facts } from './facts.js';
import type { ConnectedClient, ProjectUnderTest, SessionUnderTest } from './flow-under-test.js';
import { HttpTransport } from './http-transport.js';
import type { Kernel } from './kernel.js';
import { Model } from './model.js';
import type { Network } from './network.js';
import type { Process } from './processes.js';
import { createRandom, mix } from '../support/random.js';
import type { Script, Setting } from './script.js';
import { PORT } from './served-under-test.js';
import { Server } from './server.js';
import { StdioTransport, type Reader, type Transport } from './transport.js';

interface Surroundings {
  readonly kernel: Kernel;
  readonly disk: Disk;
  readonly network: Network;
  readonly script: Script;
  readonly note: (text: string) => void;
  readonly tamper: Tamper | undefined;
  /** The audience of a lineage, by what stands for it. */
  audienceOf(lineage: object): Audience;
}

/** What is compared after a time in which nothing was saved. */
export interface Counts {
  readonly reloads: number;
  readonly crashes: number;
}

export class Session {
  readonly name: string;
  readonly client: Client;
  transport!: Transport;
  readonly model: Model;
  /** In the order of their generations. */
  readonly servers: Server[] = [];
  exitCode: number | undefined;
  readonly #disk: Disk;
  readonly #script: Script;
  readonly #setting: Setting;
  readonly #number: number;
  readonly #audienceOf: (lineage: object) => Audience;
  #audience = new Audience();
  #flow: SessionUnderTest | undefined;
  #lastProbe: number | undefined;

  /** The first client has the number 0. */
  constructor(surroundings: Surroundings, number: number, era: Setting['era']) {
    const { kernel, disk, script, note, tamper, audienceOf } = surroundings;
    this.name = `client ${number}`;
    this.#number = number;
    this.#disk = disk;
    this.#script = script;
    this.#setting = { ...script.setting, era };
    const noted = (script.others?.length ?? 0) === 0 ? note : (text: string) => note(`${this.name}: ${text}`);
    this.model = new Model(new Facts(kernel, disk, this.#setting, number, noted));
    this.#audienceOf = audienceOf;
    const { facts } = this.model;
    facts.isHttp = script.transports?.[number] === 'http';
    // Over HTTP a modern client has no server for itself.
    facts.isApart = script.setting.upstream !== undefined;
    facts.isShared = script.shared === true || facts.isApart || (facts.isHttp && era === 'modern');
    // The server may be asked for its era while it has a client.
    facts.mayBeRenamed = facts.isShared || script.transports !== undefined;
    if (script.transports === undefined && script.shared !== true) facts.lineage = number;
    this.client = new Client(
      {
        kernel,
        model: this.model,
        setting: this.#setting,
        tamper,
        connect: (reader) => (this.transport = this.#transport(surroundings, reader)),
      },
      number,
    );
  }

  #transport({ kernel, network, script }: Surroundings, reader: Reader): Transport {
    const { facts } = this.model;
    if (!facts.isHttp) return new StdioTransport(kernel, this.#number, reader);
    const listens = !createRandom(mix(script.seed, this.#number, 5)).once(4);
    facts.isOutOfHearing = !listens;
    return new HttpTransport({ kernel, network, port: PORT, setting: this.#setting, listens }, reader);
  }

  get isConnected(): boolean {
    return this.#flow !== undefined;
  }

  /** Connected, and neither has it closed nor has its proxy ended. */
  get isPresent(): boolean {
    return this.isConnected && this.exitCode === undefined && !this.client.closed;
  }

  connect(project: ProjectUnderTest): void {
    const client: ConnectedClient = {
      name: this.name,
      input: (this.transport as StdioTransport).input,
      output: (this.transport as StdioTransport).output,
      logged: (event, text, fields) => this.model.logged(event, text, fields),
      joins: (lineage) => {
        this.#audience = this.#audienceOf(lineage);
        this.#audience.join(this.model);
      },
      ended: (code) => this.ended(code),
    };
    this.#flow = project.connect(client, { shared: this.#script.shared === true });
  }

  /** It is served by the program that serves all. */
  connectTo(flow: SessionUnderTest): void {
    this.#flow = flow;
  }

  ended(code: number): void {
    this.model.facts.note(`the proxy ends with code ${code}`);
    this.exitCode ??= code;
  }

  /** A process was spawned that is to be a server for this client. */
  started(process: Process, generation: number): Server {
    const isAlone = (): boolean => this.servers.every((other) => other === server || !other.process.alive);
    const surroundings = { model: this.#audience, disk: this.#disk, script: this.#script, setting: this.#setting };
    const server = new Server(surroundings, process, generation, this.#number, isAlone);
    this.servers.push(server);
    return server;
  }

  reload(): void {
    this.model.facts.note('a reload is forced');
    this.#flow?.reload();
  }

  counts(): Counts {
    const { reloads, crashes } = this.model.facts;
    return { reloads, crashes };
  }

  /** A call that must be executed, or refused for a reason. */
  probe(): void {
    this.#lastProbe = this.client.probe();
  }

  /** P1, P6: everything was answered, it came to rest, and the last probe met what is on the disk. */
  isSettled(before: Counts, mends: boolean): void {
    const { facts, requests } = this.model;
    requests.end();
    if (this.exitCode !== undefined || facts.lenient) return;
    // One that was as good as over, and one more. What servers write is told from edits only after some more.
    const isCounted = this.#setting.notes !== true;
    if (isCounted && facts.reloads > before.reloads + 2 && facts.crashes === before.crashes)
      facts.fail('P6', `${facts.reloads - before.reloads} reloads though nothing was saved any more`);
    if (this.#lastProbe !== undefined) this.#isServed(this.#lastProbe, mends);
  }

  /** P6: nobody has asked for anything since, and nobody has saved anything. */
  isQuiet(before: Counts): void {
    const { facts } = this.model;
    const reloads = facts.reloads - before.reloads;
    if (this.exitCode === undefined && reloads > 1 && facts.crashes === before.crashes)
      facts.fail('P6', `${reloads} reloads though nobody saves or asks for anything`);
  }

  /** P6: what serves is what is on the disk, or that can't be. */
  #isServed(probe: number, mends: boolean): void {
    const { facts, news } = this.model;
    const serving = facts.lives.get(facts.asked.get(probe)?.with.at(-1) ?? 0);
    const disk = codeOf(this.#disk.now);
    if (serving !== undefined) {
      if (serving.code !== disk && !facts.failing)
        facts.fail('P6', `${serving.code} serves, but ${disk} is on the disk`);
      news.end(serving);
    } else if (mends) facts.fail('P6', `a good program is on the disk (${disk}), but nothing serves it`);
  }

  terminate(): void {
    if (this.exitCode === undefined) this.#flow?.signal('SIGTERM');
  }
}
