/**
 * One run of a script: the real reload flow between simulated clients and simulated servers, on a simulated disk, in
 * simulated time. Ends with everything mended, looked at, closed and looked at again. The same script gives the same
 * run, to the byte.
 */
import { Audience } from './audience.js';
import { Builds, type Reasons } from './builds.js';
import type { Tamper } from './client.js';
import { Disk, codeOf } from './disk.js';
import { openProjectUnderTest, type ProjectUnderTest } from './flow-under-test.js';
import { Kernel, settled } from './kernel.js';
import type { Breach } from './facts.js';
import { Lineages } from './lineages.js';
import { Network } from './network.js';
import { patch } from './patches.js';
import { Processes } from './processes.js';
import { createRandom, mix } from '../support/random.js';
import type { Event, Script } from './script.js';
import type { Server } from './server.js';
import { openServedUnderTest, type ServedUnderTest } from './served-under-test.js';
import { Session } from './session.js';
import { StdioTransport } from './transport.js';

export interface Outcome {
  readonly breach: Breach | undefined;
  /** What happened, if that was asked for. */
  readonly trace: readonly string[];
  /** How many requests, generations and reloads there were, so that nobody takes idle runs for good ones. */
  readonly requests: number;
  readonly generations: number;
  readonly reloads: number;
}

/** By then the slowest of everything is over: hold, drain, back-off, start. */
const LONG = 150_000;
/** So many times all programs have never been saved. */
const GOOD = 1000;
/** SDK clients signal after 2 s, and kill after another 2. */
const PATIENCE = 2000;

/** `tamper`: what becomes of lines on their way to the clients. */
export async function run(script: Script, traced = false, tamper?: Tamper): Promise<Outcome> {
  const world = new World(script, traced, tamper);
  const unpatch = patch(world.kernel, world.processes, world.disk, world.network);
  const problem = (error: unknown): void => world.fail('no exception', String((error as Error).stack ?? error));
  process.on('unhandledRejection', problem);
  process.on('uncaughtException', problem);
  process.on('warning', problem);
  try {
    await world.run();
    await settled();
  } catch (error) {
    problem(error);
  } finally {
    world.network.close();
    await settled();
    unpatch();
    process.off('unhandledRejection', problem);
    process.off('uncaughtException', problem);
    process.off('warning', problem);
  }
  return world.outcome();
}

/** What all clients share: the clock, the disk, the processes, and the project. */
class World {
  readonly kernel: Kernel;
  readonly disk: Disk;
  readonly processes: Processes;
  readonly network: Network;
  readonly #script: Script;
  readonly #sessions: readonly Session[];
  readonly #project: ProjectUnderTest;
  /** If the program serves HTTP: it, and its lineages. */
  readonly #lineages: Lineages | undefined;
  #served: ServedUnderTest | undefined;
  readonly #builds: Builds;
  readonly #trace: string[] = [];
  /** The program that serves HTTP has ended. */
  #isOver = false;
  /** When a rebuild was last asked for, by whatever means. */
  #askedForBuild = -Infinity;

  constructor(script: Script, traced: boolean, tamper: Tamper | undefined) {
    this.#script = script;
    this.kernel = new Kernel(createRandom(mix(script.seed, 1)));
    this.disk = new Disk(this.kernel);
    this.network = new Network(this.kernel);
    this.disk.slow = script.setting.slowDisk;
    this.disk.polls = script.setting.poll !== undefined;
    const note = traced ? (text: string) => void this.#trace.push(`${this.kernel.time.toFixed(1)} ${text}`) : () => {};
    const audiences = new Map<object, Audience>();
    const audienceOf = (lineage: object): Audience => {
      const known = audiences.get(lineage) ?? new Audience();
      audiences.set(lineage, known);
      return known;
    };
    const eras = [script.setting.era, ...(script.others ?? [])];
    const { kernel, disk, network } = this;
    const surroundings = { kernel, disk, network, script, note, tamper, audienceOf };
    this.#sessions = eras.map((era, number) => new Session(surroundings, number, era));
    const models = this.#sessions.map(({ model }) => model);
    if (script.transports !== undefined) this.#lineages = new Lineages({ kernel, disk, network, script, note }, models);
    this.#builds = new Builds(
      this.disk,
      script,
      () => this.#reasonsToBuild,
      (text) => this.fail('P6', text),
    );
    this.processes = new Processes(this.kernel, (process, command, env) => {
      if (command.endsWith('build')) return this.#builds.start(process);
      const generation = Number(env['MCP_HOTLINE_GENERATION']);
      if (this.#lineages !== undefined) {
        const port = env['PORT'] === undefined ? undefined : Number(env['PORT']);
        return this.#lineages.started(process, env['SIM_CLIENT']!, generation, port);
      }
      const session = this.#sessions.find(({ name }) => name === env['SIM_CLIENT']);
      if (session!.exitCode !== undefined && script.shared !== true)
        this.fail('P13', `a server is started for ${session!.name}, whose proxy has ended`);
      return session!.started(process, generation);
    });
    this.#project = openProjectUnderTest(script.setting, this.disk);
  }

  outcome(): Outcome {
    const clients = this.#sessions.map(({ model }) => model.facts);
    const facts = [...clients, ...(this.#lineages?.facts ?? [])];
    const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
    return {
      breach: facts.find(({ breach }) => breach !== undefined)?.breach,
      trace: this.#trace,
      requests: sum(facts.map(({ asked }) => asked.size)),
      generations: this.#servers.length,
      reloads: sum(facts.map(({ reloads }) => reloads)),
    };
  }

  fail(promise: string, text: string): void {
    this.#sessions[0]!.model.facts.fail(promise, text);
  }

  async run(): Promise<void> {
    const { kernel } = this;
    const first = this.#sessions.filter((_, number) => this.#script.late?.includes(number) !== true);
    if (this.#lineages !== undefined) await this.#serve(this.#lineages);
    for (const session of first) this.#connect(session);
    await settled();
    for (const { client } of first) client.open();
    let joins = this.#script.events.filter((event) => event.do === 'join').length;
    for (const event of this.#script.events) {
      kernel.random = createRandom(event.salt);
      this.#do(event);
      if (event.ms > 0) await kernel.pass(event.ms);
      else await kernel.turns(event.turns);
      for (const { model } of this.#present) model.requests.look();
      if (kernel.stopped) return;
      if (event.do === 'join') joins--;
      if (this.#present.length === 0 && joins === 0) break;
    }
    if (this.#present.length > 0) await this.#settle();
    if (!kernel.stopped) await this.#end();
  }

  /** The program is there before its clients are. */
  async #serve(lineages: Lineages): Promise<void> {
    const { transport } = this.#sessions[0]!;
    const { setting, shared } = this.#script;
    const served = openServedUnderTest({
      setting,
      disk: this.disk,
      shares: shared === true,
      stdio: transport instanceof StdioTransport ? transport : undefined,
      logged: (...entry) => lineages.logged(...entry),
      ended: (code) => {
        this.#isOver = true;
        for (const session of this.#sessions) session.ended(code);
      },
    });
    this.#served = served;
    while (!served.isListening && !this.#isOver && !this.kernel.stopped) await this.kernel.turns(1);
  }

  #connect(session: Session): void {
    if (this.#served === undefined) session.connect(this.#project);
    else session.connectTo(this.#served);
  }

  get #present(): readonly Session[] {
    return this.#sessions.filter(({ isPresent }) => isPresent);
  }

  get #servers(): Server[] {
    return this.#lineages?.servers ?? this.#sessions.flatMap(({ servers }) => servers);
  }

  get #reasonsToBuild(): Reasons {
    const connected = this.#sessions.filter(({ isConnected }) => isConnected);
    const calls = connected.flatMap(({ model }) =>
      [...model.facts.asked.values()].filter((one) => one.method === 'tools/call'),
    );
    return {
      forAny: this.#servers.filter((server) => !server.process.alive && server.isFaulty).length,
      askedAgo: this.kernel.time - this.#askedForBuild,
      forFailed: connected.length + calls.length,
    };
  }

  #do(event: Event): void {
    if (event.do === 'force' || event.do === 'agent') this.#askedForBuild = this.kernel.time;
    const session = this.#sessions[event.client ?? 0]!;
    switch (event.do) {
      case 'join':
        if (session.isConnected) return;
        session.model.facts.note('the client connects');
        this.#connect(session);
        return session.client.open();
      case 'save':
        return this.#save(event.file, event.content);
      case 'force':
        return session.isPresent ? session.reload() : undefined;
      case 'crash': {
        const server = this.#pick(event.which);
        if (server === undefined) return;
        server.note(`ends with code ${event.code}`);
        return server.crash(event.code, event.cut ? '{"jsonrpc":"2.0","id":1,"res' : '');
      }
      case 'say':
        return this.#pick(event.which)?.speak(event.what);
      case 'forget':
        return this.#pick(event.which)?.forget();
      case 'freeze':
        return this.#pick(event.which)?.process.stop();
      case 'thaw':
        for (const { process } of this.#servers) process.continue();
        return;
      case 'full':
        this.disk.full = event.on;
        return;
      case 'missing':
        this.processes.missing = event.on;
        return;
      case 'cut':
        if (this.network.cut(event.to, event.which)) this.#note(`a connection to a ${event.to} is cut`);
        return;
      case 'close':
        return this.#leave(session);
      default:
        if (session.isConnected) session.client.act(event);
    }
  }

  /** As clients do, it signals when the proxy is not gone soon. */
  #leave(session: Session): void {
    if (!session.isPresent) return;
    session.model.facts.note('the client closes');
    session.client.stall(false);
    session.client.close();
    if (!session.model.facts.isHttp) this.kernel.timer(PATIENCE, () => session.terminate());
  }

  #note(text: string): void {
    this.#sessions[0]!.model.facts.note(text);
  }

  #save(file: Parameters<Disk['save']>[0], content: number): void {
    this.disk.save(file, content);
    this.#note(`${file} is saved: ${content} (the code is ${codeOf(this.disk.now)})`);
    if (file === 'settings.json') for (const server of this.#servers) server.noticed();
  }

  #pick(which: number): Server | undefined {
    const alive = this.#servers.filter((server) => server.process.alive && server.code !== undefined);
    return alive[which % alive.length];
  }

  /** Everything that was broken is mended; in time all must be well. */
  async #settle(): Promise<void> {
    const { kernel, disk } = this;
    const { seed, mends, programs } = this.#script;
    kernel.random = createRandom(mix(seed, 2));
    this.#note('everything is mended');
    for (const { client } of this.#present) client.stall(false);
    disk.full = false;
    this.processes.missing = false;
    for (const { process } of this.#servers) process.continue();
    // A good program that was never there: what failed is tried again when it has changed.
    if (mends) this.#save('main.js', GOOD * programs.length);
    const before = this.#present.map((session) => session.counts());
    const settling = this.#present;
    await kernel.pass(LONG);
    for (const { model } of settling) model.requests.look();
    // Under `--on-failure serve` a call is still answered by old code, and makes what failed be tried again, which may
    // fail again.
    for (let probes = 0, failing = true; probes < 2 || (failing && probes < 4); probes++) {
      failing = settling.some(({ model }) => model.facts.failing);
      for (const session of settling) session.probe();
      await kernel.pass(LONG);
    }
    if (kernel.stopped) return;
    for (const [at, session] of settling.entries()) session.isSettled(before[at]!, mends);
    if (this.#script.setting.notes !== true || kernel.stopped) return;
    const quiet = settling.map((session) => session.counts());
    await kernel.pass(LONG);
    for (const [at, session] of settling.entries()) session.isQuiet(quiet[at]!);
  }

  /** P13: the clients go, and everything else with them. */
  async #end(): Promise<void> {
    const { kernel } = this;
    this.#note('the client closes');
    const connected = this.#sessions.filter(({ isConnected }) => isConnected);
    for (const { client, model } of connected) {
      model.facts.isEnding = true;
      if (!client.closed) client.close();
      client.stall(false);
    }
    await kernel.pass(PATIENCE);
    for (const session of connected) session.terminate();
    this.#served?.signal('SIGTERM');
    await kernel.pass(PATIENCE);
    if (kernel.stopped) return;
    const stays = connected.find(({ exitCode }) => exitCode === undefined);
    if (stays !== undefined) return stays.model.facts.fail('P13', 'the proxy is still there after four seconds');
    const left = this.processes.alive;
    if (left.length > 0) this.fail('P13', `process ${left[0]?.pid} is left behind`);
  }
}
