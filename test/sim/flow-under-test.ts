/**
 * The program as the simulation runs it: one project, and a flow for each client that comes. What proxy.ts would make
 * of a command line is made here by hand, and nowhere else in the simulation: a change of how the program is put
 * together is a change of this file alone. Who plays client, servers and disk is run.ts's to say.
 */
import { Writable, type Readable } from 'node:stream';
import { Controller } from '#src/lineage/controller.js';
import type { Config } from '#src/config/config.js';
import { fixedConfig } from '#src/config/config-in-force.js';
import { exitCodeOf } from '#src/exit-code.js';
import type { FlowContext } from '#src/flow/flow.js';
import { Project } from '#src/project/project.js';
import type { Log } from '#src/sinks/log.js';
import type { Disk } from './disk.js';
import type { Setting } from './script.js';

/** A client, as the program sees it and is seen by it. */
export interface ConnectedClient {
  /** Servers that are started for it have this in their environment, as `SIM_CLIENT`. */
  readonly name: string;
  readonly input: Readable;
  readonly output: Writable;
  /** What the program logs on its behalf. */
  logged(event: string, text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Its session is over, and everything that ran for it alone. */
  ended(code: number): void;
}

/** What can be done to a client's session from outside. */
export interface SessionUnderTest {
  /** Builds and restarts, though nothing has changed. */
  reload(): void;
  signal(name: NodeJS.Signals): void;
}

export interface ConnectOptions {
  /** The client is served by the lineage of all who share, and not by one of its own. */
  readonly shared: boolean;
}

export interface ProjectUnderTest {
  /** Starts what serves the client, on the project of all. */
  connect(client: ConnectedClient, options: ConnectOptions): SessionUnderTest;
}

export function openProjectUnderTest(setting: Setting, disk: Disk): ProjectUnderTest {
  const config = configOf(setting);
  let project: Project | undefined;
  return {
    connect(client, { shared }) {
      // The one place to change when several sessions can attach to a lineage.
      if (shared) throw new Error('clients can not share a lineage yet');
      const context = contextOf(config, client);
      project ??= new Project(context, disk.openWatch);
      return new Controller(context, project);
    },
  };
}

function contextOf(config: Config, { name, input, output, logged, ended }: ConnectedClient): FlowContext {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log: Log = {
    debug: () => {},
    info: logged,
    warn: logged,
    error: logged,
  };
  return {
    io: { input, output, stderr },
    config,
    log,
    configInForce: fixedConfig(config),
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
      env: { MCP_HOTLINE_GENERATION: String(number), SIM_CLIENT: name },
      stdin: 'pipe',
      maxLine: config.maxMessage,
      stderr,
    }),
    noise: () => {},
    notStarted: () => {
      ended(127);
      return { close: () => {}, signal: () => {}, reload: () => {} };
    },
    ended: (reason) => ended(exitCodeOf(reason)),
  };
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
      ...(setting.notes === true ? [{ name: 'notes', watch: ['notes.json'], then: 'restart' }] : []),
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
