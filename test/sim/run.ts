/**
 * One run of a script: the real reload flow between a simulated client and simulated servers, on a simulated disk, in
 * simulated time. Ends with everything mended, looked at, closed and looked at again. The same script gives the same
 * run, to the byte.
 */
import { Writable } from 'node:stream';
import { Controller } from '#src/lineage/controller.js';
import type { Config } from '#src/config/config.js';
import type { FlowContext } from '#src/flow/flow.js';
import { createEventBus, type EventBus } from '#src/events/bus.js';
import { logEntry, LOGGED_KINDS } from '#src/sinks/log-words.js';
import { openStateSinks } from '#src/sinks/open-state-sinks.js';
import { build } from './builds.js';
import { Client, type Tamper } from './client.js';
import { Disk, codeOf } from './disk.js';
import { Kernel, settled } from './kernel.js';
import { Facts, type Breach } from './facts.js';
import { Model } from './model.js';
import { patch } from './patches.js';
import { Processes } from './processes.js';
import { mix, random } from './random.js';
import type { Event, Script, Setting } from './script.js';
import { Server } from './server.js';

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

/** `tamper`: what becomes of lines on their way to the client. */
export async function run(script: Script, traced = false, tamper?: Tamper): Promise<Outcome> {
  const world = new World(script, traced, tamper);
  const unpatch = patch(world.kernel, world.processes, world.disk);
  const problem = (error: unknown): void =>
    world.model.facts.fail('no exception', String((error as Error).stack ?? error));
  process.on('unhandledRejection', problem);
  process.on('uncaughtException', problem);
  try {
    await world.run();
    await settled();
  } catch (error) {
    problem(error);
  } finally {
    unpatch();
    process.off('unhandledRejection', problem);
    process.off('uncaughtException', problem);
  }
  return world.outcome();
}

class World {
  readonly kernel: Kernel;
  readonly disk: Disk;
  readonly model: Model;
  readonly processes: Processes;
  readonly script: Script;
  readonly #client: Client;
  readonly #servers = new Map<number, Server>();
  readonly #trace: string[] = [];
  #controller: Controller | undefined;
  #exitCode: number | undefined;

  constructor(script: Script, traced: boolean, tamper: Tamper | undefined) {
    this.script = script;
    this.kernel = new Kernel(random(mix(script.seed, 1)));
    this.disk = new Disk(this.kernel);
    this.disk.slow = script.setting.slowDisk;
    this.disk.polls = script.setting.poll !== undefined;
    const note = traced ? (text: string) => void this.#trace.push(`${this.kernel.time.toFixed(1)} ${text}`) : () => {};
    this.model = new Model(new Facts(this.kernel, this.disk, script.setting, note));
    this.#client = new Client(this.kernel, this.model, script.setting, tamper);
    this.processes = new Processes(this.kernel, (process, command, env) => {
      if (command.endsWith('build')) return build(this.disk, script, process);
      const number = Number(env['MCP_HOTLINE_GENERATION']);
      const isAlone = (): boolean =>
        [...this.#servers.values()].every((other) => other === server || !other.process.alive);
      const server = new Server(this, process, number, isAlone);
      this.#servers.set(number, server);
      return server;
    });
  }

  outcome(): Outcome {
    const { breach, reloads, asked } = this.model.facts;
    return { breach, trace: this.#trace, requests: asked.size, generations: this.#servers.size, reloads };
  }

  async run(): Promise<void> {
    const { kernel, model } = this;
    this.#controller = new Controller(this.#flow(), this.disk.openWatch);
    await settled();
    this.#client.open();
    for (const event of this.script.events) {
      kernel.random = random(event.salt);
      this.#do(event);
      if (event.ms > 0) await kernel.pass(event.ms);
      else await kernel.turns(event.turns);
      model.requests.look();
      if (kernel.stopped) return;
      if (event.do === 'close' || this.#exitCode !== undefined) break;
    }
    if (this.#exitCode === undefined && !this.#client.closed) await this.#settle();
    if (!kernel.stopped) await this.#end();
  }

  #do(event: Event): void {
    switch (event.do) {
      case 'save':
        return this.#save(event.file, event.content);
      case 'force':
        this.#note('a reload is forced');
        return this.#controller?.reload();
      case 'crash': {
        const server = this.#pick(event.which);
        if (server === undefined) return;
        this.#note(`generation ${server.generation} ends with code ${event.code}`);
        return server.crash(event.code, event.cut ? '{"jsonrpc":"2.0","id":1,"res' : '');
      }
      case 'say':
        return this.#pick(event.which)?.speak(event.what);
      case 'freeze':
        return this.#pick(event.which)?.process.stop();
      case 'thaw':
        for (const { process } of this.#servers.values()) process.continue();
        return;
      case 'full':
        this.disk.full = event.on;
        return;
      case 'missing':
        this.processes.missing = event.on;
        return;
      case 'close':
        return this.#client.close();
      default:
        this.#client.act(event);
    }
  }

  #note(text: string): void {
    this.model.facts.note(text);
  }

  #save(file: Parameters<Disk['save']>[0], content: number): void {
    this.disk.save(file, content);
    this.#note(`${file} is saved: ${content} (the code is ${codeOf(this.disk.now)})`);
    if (file === 'settings.json') for (const server of this.#servers.values()) server.noticed();
  }

  #pick(which: number): Server | undefined {
    const alive = [...this.#servers.values()].filter((server) => server.process.alive && server.code !== undefined);
    return alive[which % alive.length];
  }

  /** Everything that was broken is mended; in time all must be well. */
  async #settle(): Promise<void> {
    const { kernel, model, disk } = this;
    const { facts, requests } = model;
    kernel.random = random(mix(this.script.seed, 2));
    this.#note('everything is mended');
    this.#client.stall(false);
    disk.full = false;
    this.processes.missing = false;
    for (const { process } of this.#servers.values()) process.continue();
    // A good program that was never there: what failed is tried again when it has changed.
    if (this.script.mends) this.#save('main.js', GOOD * this.script.programs.length);
    const { reloads, crashes } = facts;
    await kernel.pass(LONG);
    requests.look();
    // Under `--on-failure serve` a call is still answered by old code, and makes what failed be tried again, which may
    // fail again.
    let uid: number | undefined;
    for (let probes = 0, failing = true; probes < 2 || (failing && probes < 4); probes++) {
      failing = facts.failing;
      uid = this.#client.probe();
      await kernel.pass(LONG);
    }
    if (kernel.stopped) return;
    requests.end();
    if (this.#exitCode !== undefined || facts.lenient) return;
    // One that was as good as over, and one more.
    if (facts.reloads > reloads + 2 && facts.crashes === crashes)
      facts.fail('P6', `${facts.reloads - reloads} reloads though nothing was saved any more`);
    if (uid !== undefined) this.#isSettled(uid);
  }

  /** P6: what serves is what is on the disk, or that can't be. */
  #isSettled(uid: number): void {
    const { facts, news } = this.model;
    const serving = facts.lives.get(facts.asked.get(uid)?.with.at(-1) ?? 0);
    const disk = codeOf(this.disk.now);
    if (serving !== undefined) {
      if (serving.code !== disk && !facts.failing)
        facts.fail('P6', `${serving.code} serves, but ${disk} is on the disk`);
      news.end(serving);
    } else if (this.script.mends) facts.fail('P6', `a good program is on the disk (${disk}), but nothing serves it`);
  }

  /** P13: the client goes, and everything else with it. */
  async #end(): Promise<void> {
    const { kernel } = this;
    const { facts } = this.model;
    this.#note('the client closes');
    if (!this.#client.closed) this.#client.close();
    this.#client.stall(false);
    await kernel.pass(PATIENCE);
    if (this.#exitCode === undefined) this.#controller?.signal('SIGTERM');
    await kernel.pass(PATIENCE);
    if (kernel.stopped) return;
    if (this.#exitCode === undefined) return facts.fail('P13', 'the proxy is still there after four seconds');
    const left = this.processes.alive;
    if (left.length > 0) facts.fail('P13', `process ${left[0]?.pid} is left behind`);
  }

  /** The model sees what people see, and the state directory is on the simulated disk. */
  #events(config: Config): EventBus {
    const events = createEventBus();
    events.subscribe(LOGGED_KINDS, (event) => {
      const { level, name, text, fields } = logEntry(event, { isFile: false });
      if (level !== 'debug') this.model.logged(name, text, level === 'info' ? fields : {});
    });
    openStateSinks(events, config);
    return events;
  }

  #flow(): FlowContext {
    const { setting } = this.script;
    const config = configOf(setting);
    const sink = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
    const stderr = sink();
    const settle = (code: number): void => {
      this.#note(`the proxy ends with code ${code}`);
      this.#exitCode ??= code;
    };
    return {
      io: { input: this.#client.input, output: this.#client.output, stderr },
      config,
      events: this.#events(config),
      live: undefined,
      first: undefined,
      helperCommand: undefined,
      leftovers: { gone: () => {}, close: () => Promise.resolve() },
      name: 'server',
      tooLong: 'too long',
      spec: (number) => ({
        number,
        command: config.command,
        args: [],
        cwd: config.cwd,
        env: { MCP_HOTLINE_GENERATION: String(number) },
        stdin: 'pipe',
        maxLine: config.maxMessage,
        stderr,
      }),
      noise: () => {},
      notStarted: () => {
        settle(127);
        return { close: () => {}, signal: () => {}, reload: () => {} };
      },
      settle,
    };
  }
}

function configOf(setting: Setting): Config {
  const rule = { name: 'server', watch: ['main.js', 'lists.js', 'other.js'], then: 'restart' } as const;
  const settings = { name: 'settings', watch: ['settings.json'], then: setting.settings ?? 'restart' } as const;
  return {
    ...setting,
    command: '/sim/bin/server',
    args: [],
    cwd: '/sim/project',
    env: {},
    envFiles: [],
    reload: true,
    rules: [
      { ...rule, ...(setting.builds ? { build: '/sim/bin/build' } : {}) },
      ...(setting.settings === undefined ? [] : [settings]),
    ] as Config['rules'],
    ignore: [],
    ext: [],
    signal: 'SIGTERM',
    maxMessage: 1024 * 1024,
    stateDir: '/sim/state',
    projectDir: '/sim/state',
    logLevel: 'info',
    logFormat: 'text',
    reap: false,
    logFile: undefined,
  };
}
