/**
 * What one lineage is given of the rest of the program: the configuration in force, its events, how its servers are
 * started, and where their noise goes. Which lineages there are is decided by others.
 */
import type { Writable } from 'node:stream';
import { withoutBanner } from '../agent/script-banner.js';
import { messageTooLong } from '../agent/words.js';
import type { ConfigInForce } from '../config/config-in-force.js';
import { atPort, isWatched, serverName, takesFreePort } from '../config/upstream-option.js';
import type { EventBus } from '../events/bus.js';
import type { NoiseKind } from '../events/events.js';
import { stderrLines } from '../events/stderr-lines.js';
import { newMark } from '../process/mark.js';
import type { OrphanGuard } from '../process/orphan-guard.js';
import { childSpec } from '../server/child-spec.js';
import type { ServerSpec } from '../server/server-spec.js';
import type { FlowContext, Streams } from './flow.js';
import { createLeftovers } from './leftovers.js';

const MAX_NOISE_BYTES = 1024 * 1024;
/** Banners are shorter than this. Longer text is not searched for one. */
const MAX_BANNER_BYTES = 4096;
const NO_BANNER = { runner: undefined, rest: '' };

/** What the lineages of one proxy have in common. */
export interface FlowParts {
  readonly configInForce: ConfigInForce;
  readonly io: Streams;
  readonly guard: OrphanGuard;
  readonly helperCommand: readonly string[] | undefined;
  listening(): FlowContext['listening'];
}

/** For one lineage: its servers, what they leave behind, and its events are known as its own. */
export function createFlowContext(
  { configInForce, io, guard, helperCommand, listening }: FlowParts,
  { events, earlyServer }: { readonly events: EventBus; readonly earlyServer: FlowContext['earlyServer'] },
): FlowContext {
  const mark = earlyServer?.mark ?? newMark();
  const context: FlowContext = {
    configInForce,
    get config() {
      return configInForce.current;
    },
    events,
    get name() {
      return serverName(context.config);
    },
    get tooLong() {
      return messageTooLong(configInForce.current.maxMessage);
    },
    spec: (number) => ({
      ...childSpec(context.config, number, mark),
      http: httpServerOf(configInForce, number, mark),
      number,
      maxLine: context.config.maxMessage,
      stderr: io.stderr,
      onStderr: stderrLines(events, number),
      guard,
    }),
    get listening() {
      return listening();
    },
    earlyServer,
    helperCommand,
    leftovers: createLeftovers({ mark, events, reap: () => context.config.reap }),
    noise: reportNoise(io.stderr, events),
    reportNotStarted: (error) => {
      const isMissing = error.code === 'ENOENT';
      const { command } = context.config;
      events.emit({ kind: 'not-started', command, isMissing, problem: error.message });
    },
  };
  return context;
}

/** Undefined: the server speaks over its pipes. */
function httpServerOf({ current }: ConfigInForce, number: number, mark: string): ServerSpec['http'] {
  const { upstream } = current;
  if (upstream === undefined) return undefined;
  return {
    isOurs: current.command !== '',
    isWatched: isWatched(current),
    takesFreePort: takesFreePort(current),
    at: (port) => {
      const server = atPort({ ...current, upstream }, port);
      return { url: server.url, child: childSpec(server, number, mark) };
    },
    patience: () => current.hold,
  };
}

/** Writes a server's noise on stdout to stderr, where people look. The warning comes once for each kind of noise. */
function reportNoise(stderr: Writable, events: EventBus): FlowContext['noise'] {
  const reported = new Set<NoiseKind>();
  const report = (noise: NoiseKind, { generation }: { readonly generation: number }, runner?: string): void => {
    if (!reported.has(noise)) events.emit({ kind: 'noise', generation, noise, runner });
    reported.add(noise);
  };
  return (upstream, kind, lines) => {
    // If nobody reads stderr, noise is dropped: it must neither fill the memory nor delay messages.
    if (stderr.writableLength < MAX_NOISE_BYTES) stderr.write(lines);
    const { runner, rest } =
      kind === 'text' && lines.length < MAX_BANNER_BYTES ? withoutBanner(String(lines)) : NO_BANNER;
    if (runner !== undefined) report('banner', upstream, runner);
    if (runner === undefined || rest !== '') report(kind, upstream);
  };
}
