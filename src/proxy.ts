/**
 * The composition root: read it first. Puts a client's streams, a server command and the flow between them together,
 * and hands out a handle. It ends no process but the servers': exiting is for the cli.
 */
import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import { messageTooLong } from './agent/words.js';
import type { ConfigInForce } from './config/config-in-force.js';
import type { Flow, FlowContext, StdioFlowContext, Streams } from './flow/flow.js';
import { withoutBanner } from './agent/script-banner.js';
import { stderrLines } from './events/stderr-lines.js';
import type { NoiseKind } from './events/events.js';
import { withOrigin, type EventBus } from './events/bus.js';
import type { ShutdownReason } from './flow/shutdown.js';
import { createLeftovers } from './flow/leftovers.js';
import { newMark } from './process/mark.js';
import { canFindMarked } from './process/marked.js';
import { OrphanGuard } from './process/orphan-guard.js';
import { childSpec } from './server/child-spec.js';

export interface Proxy {
  /** Why the session ended, once every server is gone and everything is delivered. */
  readonly closed: Promise<ShutdownReason>;
  /** Ends as if the client had closed its side. */
  close(): void;
  /** Ends as if this signal had come; it is passed on to the servers. */
  signal(name: NodeJS.Signals): void;
  /** Restarts the server now, with a build if there is one. */
  reload(): void;
}

/** What only a proxy that is a process of its own has. */
export type ProcessContext = Pick<FlowContext, 'first' | 'helperCommand'>;

export function createProxy(
  io: Streams,
  configInForce: ConfigInForce,
  bus: EventBus,
  { first, helperCommand }: ProcessContext = { first: undefined, helperCommand: undefined },
): Proxy {
  const config = configInForce.current;
  const events = withOrigin(bus, { project: config.cwd });
  let ended: (reason: ShutdownReason) => void = () => {};
  const end = new Promise<ShutdownReason>((resolve) => (ended = resolve));
  const guard = new OrphanGuard();
  const closed = end.then(async (reason) => {
    await first?.end();
    guard.close();
    return reason;
  });
  const mark = first?.mark ?? newMark();
  const context: StdioFlowContext = {
    io,
    configInForce,
    get config() {
      return configInForce.current;
    },
    events,
    get name() {
      return basename(context.config.command);
    },
    get tooLong() {
      return messageTooLong(configInForce.current.maxMessage);
    },
    spec: (number) => {
      const spec = childSpec(context.config, number, mark);
      return {
        ...spec,
        number,
        maxLine: context.config.maxMessage,
        stderr: io.stderr,
        onStderr: stderrLines(events, number),
        guard,
      };
    },
    first,
    helperCommand,
    leftovers: createLeftovers({ mark, events, reap: () => context.config.reap }),
    noise: reportNoise(io.stderr, events),
    reportNotStarted: (error) => {
      const isMissing = error.code === 'ENOENT';
      events.emit({ kind: 'not-started', command: config.command, isMissing, problem: error.message });
    },
    ended,
  };
  io.stderr.on('error', () => {});
  if (config.reap && !canFindMarked()) events.emit({ kind: 'warning', text: CANNOT_REAP });
  // The agent's own tools need the reload flow even where there is nothing to watch; environment files are watched by
  // no rule.
  const reloads =
    config.reload && (config.rules.length > 0 || config.envFiles.length > 0 || config.agentTools !== false);
  const flow = reloads ? reloadFlow(context) : pipeFlow(context);
  return {
    closed,
    close: () => void flow.then((running) => running.close()),
    signal: (name) => void flow.then((running) => running.signal(name)),
    reload: () => void flow.then((running) => running.reload()),
  };
}

/** A flow is loaded only where it is used, and beside the server's own start. */
async function pipeFlow(context: StdioFlowContext): Promise<Flow> {
  const { passThrough } = await import('./flow/pass-through.js');
  return passThrough(context);
}

async function reloadFlow(context: StdioFlowContext): Promise<Flow> {
  const { serveReloading } = await import('./reloading.js');
  return serveReloading(context);
}

const CANNOT_REAP =
  '--reap has no effect on this system, which does not tell the environment of a process: what servers leave behind in sessions of their own stays';

const MAX_NOISE = 1024 * 1024;
/** A banner is short, and what is long is not worth a closer look. */
const MAX_BANNER = 4096;
const nobody = { runner: undefined, rest: '' };

/** Noise goes where people look; the hint to its author comes once a kind. */
function reportNoise(stderr: Writable, events: EventBus): FlowContext['noise'] {
  const reported = new Set<NoiseKind>();
  const report = (noise: NoiseKind, { generation }: { readonly generation: number }, runner?: string): void => {
    if (!reported.has(noise)) events.emit({ kind: 'noise', generation, noise, runner });
    reported.add(noise);
  };
  return (upstream, kind, lines) => {
    // Nobody reads stderr: noise is the last thing to keep in memory, or to hold messages up for.
    if (stderr.writableLength < MAX_NOISE) stderr.write(lines);
    const { runner, rest } = kind === 'text' && lines.length < MAX_BANNER ? withoutBanner(String(lines)) : nobody;
    if (runner !== undefined) report('banner', upstream, runner);
    if (runner === undefined || rest !== '') report(kind, upstream);
  };
}
