/**
 * What the two flows between client and servers have in common: what they are given and what they hand back. Types
 * only; the flows are pass-through.ts and lineage/controller.ts, and proxy.ts chooses.
 */
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config/config.js';
import type { LiveConfig } from '../config/live.js';
import type { EventBus } from '../events/bus.js';
import type { FirstServer } from '../server/early-server.js';
import type { Generation, GenerationSpec } from '../server/generation.js';
import type { Noise } from '../server/noise.js';
import type { Leftovers } from './leftovers.js';

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

/** What a flow is given. */
export interface FlowContext {
  readonly io: Streams;
  /** What is in force: it may be another after an edit of the configuration file. */
  config: Config;
  /** The configuration file, if it can be read anew. */
  readonly live: LiveConfig | undefined;
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
  spec(generation: number): GenerationSpec;
  noise(generation: Generation, kind: Noise, lines: Buffer): void;
  notStarted(error: NodeJS.ErrnoException): Flow;
  settle(code: number): void;
}
