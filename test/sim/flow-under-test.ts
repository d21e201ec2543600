/**
 * The program as the simulation runs it: one project, and a flow for each client that comes. What proxy.ts would make
 * of a command line is made here by hand, and nowhere else in the simulation: a change of how the program is put
 * together is a change of this file alone. Who plays client, servers and disk is run.ts's to say.
 */
import { Writable, type Readable } from 'node:stream';
import { connectStdio } from '#src/front/stdio.js';
import { Lineage } from '#src/lineage/lineage.js';
import { valuesInForce } from '#src/config/option-values.js';
import type { Config } from '#src/config/config.js';
import { fixedConfig } from '#src/config/config-in-force.js';
import { atPort, takesFreePort } from '#src/config/upstream-option.js';
import { exitCodeOf } from '#src/exit-code.js';
import type { FlowContext } from '#src/flow/flow.js';
import { Project } from '#src/project/project.js';
import { createEventBus, type EventBus } from '#src/events/bus.js';
import type { ServerSpec } from '#src/server/server-spec.js';
import { logEntry, LOGGED_KINDS } from '#src/sinks/log-words.js';
import { openStateSinks } from '#src/sinks/open-state-sinks.js';
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
  /** Before anything happens on its behalf: a lineage is to serve it, for which this object stands. */
  joins(lineage: object): void;
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
  let common: SharedLineage | undefined;
  /** Begins a lineage, whose first client is there already. */
  const begin = (clients: Set<ConnectedClient>, name: string): Lineage => {
    const logged: ConnectedClient['logged'] = (...entry) => {
      for (const client of clients) client.logged(...entry);
    };
    const context = contextOf(config, name, eventsFor(config, logged));
    project ??= new Project(context, disk.openWatch);
    return new Lineage(context, project);
  };
  const front = (client: ConnectedClient): ReturnType<typeof connectStdio> =>
    connectStdio(client, { config, tooLong: 'too long' });
  const connectAlone = (client: ConnectedClient): SessionUnderTest => {
    const clients = new Set([client]);
    client.joins(clients);
    const lineage = begin(clients, client.name);
    void lineage.attach(front(client));
    lineage.begin();
    void lineage.closed.then((reason) => client.ended(exitCodeOf(reason)));
    return { reload: () => lineage.reload(), signal: (signal) => lineage.close({ by: 'signal', signal }) };
  };
  /** The lineage begins with the first client, and ends with the last. */
  const connectShared = (client: ConnectedClient): SessionUnderTest => {
    const isFirst = common === undefined;
    const clients = common?.clients ?? new Set<ConnectedClient>();
    clients.add(client);
    client.joins(clients);
    const shared = (common ??= { lineage: begin(clients, client.name), clients });
    const { lineage } = shared;
    void lineage.attach(front(client)).then((reason) => {
      clients.delete(client);
      client.ended(exitCodeOf(reason));
      if (clients.size > 0 || common !== shared) return;
      common = undefined;
      lineage.close({ by: 'client' });
    });
    if (isFirst) lineage.begin();
    // A signal is meant for the process of one client, which has no more to do than to let go of the lineage.
    return { reload: () => lineage.reload(), signal: () => {} };
  };
  return { connect: (client, { shared }) => (shared ? connectShared(client) : connectAlone(client)) };
}

interface SharedLineage {
  readonly lineage: Lineage;
  readonly clients: Set<ConnectedClient>;
}

export function contextOf(config: Config, name: string, events: EventBus): FlowContext {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    config,
    events,
    configInForce: fixedConfig(config),
    earlyServer: undefined,
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
      http: httpServerOf(config, number, name),
    }),
    noise: () => {},
    reportNotStarted: () => {},
  };
}

function httpServerOf(config: Config, number: number, name: string): ServerSpec['http'] {
  const { upstream } = config;
  if (upstream === undefined) return undefined;
  const env = { MCP_HOTLINE_GENERATION: String(number), SIM_CLIENT: name };
  return {
    isOurs: true,
    isWatched: false,
    takesFreePort: takesFreePort(config),
    at: (port) => {
      const { url, ...command } = atPort({ ...config, env, upstream }, port);
      return { url, child: { ...command, stdin: 'pipe' } };
    },
    patience: () => config.hold,
  };
}

/** The client's model sees what people see; the state directory is on the simulated disk. */
function eventsFor(config: Config, logged: ConnectedClient['logged']): EventBus {
  const events = createEventBus();
  events.subscribe(LOGGED_KINDS, (event) => {
    const { level, name, text, fields } = logEntry(event, { isFile: false });
    if (level !== 'debug') logged(name, text, fields);
  });
  openStateSinks(events, config);
  return events;
}

export function configOf(setting: Setting): Config {
  const rule = { name: 'server', watch: ['main.js', 'lists.js', 'other.js'], then: 'restart' } as const;
  const settings = { name: 'settings', watch: ['settings.json'], then: setting.settings ?? 'restart' } as const;
  return {
    ...valuesInForce({}),
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
