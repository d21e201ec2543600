/**
 * The composition root: read it first. Connects a client's streams and a server command by one of the two flows, and
 * returns a handle. It ends server processes only; the cli exits this process.
 */
import type { Config } from './config/config.js';
import { fixedConfig, type ConfigInForce } from './config/config-in-force.js';
import type { Flow, FlowContext, ProxyFlowContext, Streams } from './flow/flow.js';
import type { Transport } from './channel/transport.js';
import { withOrigin, type EventBus } from './events/bus.js';
import { createFlowContext } from './flow/flow-context.js';
import type { ShutdownReason } from './flow/shutdown.js';
import { canFindMarked } from './process/marked.js';
import { OrphanGuard } from './process/orphan-guard.js';

export interface Proxy {
  /** Resolves with the reason when every server has exited and every message is delivered. */
  readonly closed: Promise<ShutdownReason>;
  /** Shuts down as if the client had closed its side. */
  close(): void;
  /** Shuts down as after this signal, which is sent to the servers. */
  signal(name: NodeJS.Signals): void;
  /** Builds, if there is a build, and restarts the server even if no file has changed. */
  reload(): void;
}

/** What only a proxy with a process of its own has; the programmatic entry has nothing of it. */
export interface ProcessContext extends Pick<FlowContext, 'earlyServer' | 'helperCommand'> {
  /** Clients come by HTTP alone. */
  readonly isHttpOnly: boolean;
}

const NO_PROCESS: ProcessContext = { earlyServer: undefined, helperCommand: undefined, isHttpOnly: false };

export function createProxy(
  io: Streams,
  configInForce: ConfigInForce,
  bus: EventBus,
  { earlyServer, helperCommand, isHttpOnly }: ProcessContext = NO_PROCESS,
): Proxy {
  const config = configInForce.current;
  const events = withOrigin(bus, { project: config.cwd });
  let onClosed: (reason: ShutdownReason) => void = () => {};
  const flowClosed = new Promise<ShutdownReason>((resolve) => (onClosed = resolve));
  const guard = new OrphanGuard();
  const closed = flowClosed.then(async (reason) => {
    await earlyServer?.end();
    guard.close();
    return reason;
  });
  let listening: FlowContext['listening'];
  events.subscribe(['listening'], ({ url }) => void (listening = { url }));
  // Environment files are watched without a rule. A server that somebody else starts is reloaded by nobody here, and
  // its clients are told of its lists all the same.
  const isReloadable = config.rules.length > 0 || config.envFiles.length > 0 || config.command === '';
  const reloads = config.reload && (isReloadable || looksAtCalls(config));
  const base = {
    configInForce: reloads ? configInForce : fixedConfig(withoutReload(config)),
    io,
    guard,
    helperCommand,
    listening: () => listening,
  };
  // The server that runs already is for the first lineage: that of the client on stdio, or else the first with a name.
  let early = isHttpOnly ? earlyServer : undefined;
  const first = createFlowContext(base, { events, earlyServer: isHttpOnly ? undefined : earlyServer });
  const context: ProxyFlowContext = Object.assign(first, {
    io,
    isHttpOnly,
    contextOf: (session: string, transport: Transport) => {
      const own = createFlowContext(base, { events: withOrigin(events, { session, transport }), earlyServer: early });
      early = undefined;
      return own;
    },
    onClosed,
  });
  io.stderr.on('error', () => {});
  if (config.reap && !canFindMarked()) events.emit({ kind: 'warning', text: CANNOT_REAP });
  const isPlainPipe = !reloads && config.http === undefined && config.upstream === undefined;
  const flow = isPlainPipe ? pipeFlow(context) : composedFlow(context);
  return {
    closed,
    close: () => void flow.then((running) => running.close()),
    signal: (name) => void flow.then((running) => running.signal(name)),
    reload: () => void flow.then((running) => running.reload()),
  };
}

/** A flow is loaded only if it is used, and while the server starts. */
async function pipeFlow(context: ProxyFlowContext): Promise<Flow> {
  const { passThrough } = await import('./flow/pass-through.js');
  return passThrough(context);
}

async function composedFlow(context: ProxyFlowContext): Promise<Flow> {
  const { compose } = await import('./reloading.js');
  return compose(context);
}

const CANNOT_REAP =
  '--reap has no effect on this system, which does not tell the environment of a process: what servers leave behind in sessions of their own stays';

/** What was asked for needs the reload flow even if there is nothing to watch. */
function looksAtCalls({ agentTools, callTimeout = 0, concurrency, hints }: Config): boolean {
  return agentTools !== false || callTimeout > 0 || concurrency !== undefined || hints === 'stderr';
}

/** Nothing is watched, and nothing of what a server says is changed. */
function withoutReload(config: Config): Config {
  return {
    ...config,
    reload: false,
    rules: [],
    envFiles: [],
    agentTools: false,
    notify: 'never',
    hints: 'off',
    callTimeout: undefined,
  };
}
