/**
 * What the two flows between client and servers have in common: what they are given and what they hand back. Types
 * only; the flows are pass-through.ts and lineage/lineage.ts, and proxy.ts chooses.
 */
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config/config.js';
import type { ConfigInForce } from '../config/config-in-force.js';
import type { EventBus } from '../events/bus.js';
import type { FirstServer } from '../server/early-server.js';
import type { ServerSpec } from '../server/start-server.js';
import type { Noise } from '../server/noise.js';
import type { Leftovers } from './leftovers.js';
import type { ShutdownReason } from './shutdown.js';

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  readonly stderr: Writable;
}

/** What runs between the client and the servers. */
export interface Flow {
  close(): void;
  signal(name: NodeJS.Signals): void;
  reload(): void;
}

/** What servers are started with, and what both flows tell of them. */
export interface FlowContext {
  /** The configuration in force. It is replaced after an edit of the configuration file. */
  readonly configInForce: ConfigInForce;
  /** `configInForce.current`. */
  readonly config: Config;
  readonly events: EventBus;
  /** The command as a person would name it, without its arguments. */
  readonly name: string;
  readonly tooLong: string;
  /** The first server, if it has been started already. */
  readonly first: FirstServer | undefined;
  /** What Node is given to be a build helper, if one may finish a first build when the client has gone. */
  readonly helperCommand: readonly string[] | undefined;
  /** What servers leave behind, out of reach of their process group. */
  readonly leftovers: Leftovers;
  spec(generation: number): ServerSpec;
  noise(upstream: { readonly generation: number }, kind: Noise, lines: Buffer): void;
  /** The command of the very first server can't be run: says so. */
  reportNotStarted(error: NodeJS.ErrnoException): void;
}

/** The same, with the one client on two streams that a proxy is started for. */
export interface StdioFlowContext extends FlowContext {
  readonly io: Streams;
  /** The session is over: every server is gone and everything is delivered. */
  ended(reason: ShutdownReason): void;
}
