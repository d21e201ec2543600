/**
 * The interface of the two flows between client and servers: what they are given and what they return. Types only. The
 * flows are `pass-through.ts` and, by `reloading.ts`, `lineage/lineage.ts`; `proxy.ts` chooses.
 */
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config/config.js';
import type { ConfigInForce } from '../config/config-in-force.js';
import type { EventBus } from '../events/bus.js';
import type { Transport } from '../channel/transport.js';
import type { EarlyServer } from '../server/early-server.js';
import type { ServerSpec } from '../server/server-spec.js';
import type { Noise } from '../server/noise.js';
import type { Leftovers } from './leftovers.js';
import type { ShutdownReason } from './shutdown.js';

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  readonly stderr: Writable;
}

/** A running flow, as the proxy controls it. */
export interface Flow {
  close(): void;
  signal(name: NodeJS.Signals): void;
  reload(): void;
}

/** What both flows are given (flow-context.ts makes it): configuration, events, and how servers are started. */
export interface FlowContext {
  /** The configuration in force. An edit of the configuration file replaces it. */
  readonly configInForce: ConfigInForce;
  /** `configInForce.current`. */
  readonly config: Config;
  readonly events: EventBus;
  /** The command as a person would name it, without its arguments. */
  readonly name: string;
  readonly tooLong: string;
  /** The first server, if it has been started before the proxy was loaded. */
  readonly earlyServer: EarlyServer | undefined;
  /** Node arguments of the build helper, if one may finish a first build after the client has closed its side. */
  readonly helperCommand: readonly string[] | undefined;
  /** Processes that servers leave behind outside of their process group. */
  readonly leftovers: Leftovers;
  /** Where clients are served over HTTP, if they are. */
  readonly listening?: { readonly url: string } | undefined;
  spec(generation: number): ServerSpec;
  noise(upstream: { readonly generation: number }, kind: Noise, lines: Buffer): void;
  /** Reports that the very first server could not be spawned. */
  reportNotStarted(error: NodeJS.ErrnoException): void;
}

/** The same for the first lineage, with what concerns the whole proxy: the client on stdio, and further lineages. */
export interface ProxyFlowContext extends FlowContext {
  readonly io: Streams;
  /** No client comes by stdio. */
  readonly isHttpOnly: boolean;
  /** For one more lineage. `name`: of the lineage, in events. */
  contextOf(name: string, transport: Transport): FlowContext;
  /** The session is closed: every server has exited and every message is delivered. */
  onClosed(reason: ShutdownReason): void;
}
