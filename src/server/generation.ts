/**
 * One generation: a server process and the connection to it, from the spawn to the last byte after its exit. It knows
 * nothing of sessions, other generations or when it is time to go.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { StdioChannel } from '../channel/stdio.js';
import { launch, type Child, type ChildSpec, type Exit, type Launch } from '../process/child.js';
import type { Message } from '../wire/message.js';
import { connectPipes } from './connection.js';
import type { Noise } from './noise.js';
import { ServerProcess, type ServerProcessSpec } from './process.js';

/** How long the pipes of a process that has exited are read: only a stranger can still hold them. */
const READ_AFTER_EXIT_MS = 250;
/** A server that closes a pipe is about to leave, as a rule. After so long it is not. */
const HALF_CLOSED_GRACE_MS = 2000;

/**
 * Half a message says that it was cut off, and by what it begins which one it is. All of it would drown what was
 * printed before.
 */
const SHOWN_OF_CUT_MESSAGE = 200;
const SHOWN_OF_UNFINISHED = 1000;

export interface GenerationEvents {
  message(generation: Generation, message: Message): void;
  /** Lines on stdout that are no messages. */
  noise(generation: Generation, kind: Noise, lines: Buffer): void;
  /** A line on stdout grew past the limit. */
  oversized(generation: Generation): void;
  /** The server has stopped reading its stdin, or reads it again. */
  full(generation: Generation, full: boolean): void;
  /** It has closed its stdin or stdout and lives on: what it is asked from now on it can't answer. */
  halfClosed(generation: Generation, pipe: 'stdin' | 'stdout'): void;
  /** The process is gone, and all that it wrote has been told. */
  exit(generation: Generation, exit: Exit): void;
}

export interface GenerationSpec extends ChildSpec, ServerProcessSpec {
  readonly number: number;
  readonly maxLine: number;
}

export type Spawned = { ok: true; generation: Generation } | { ok: false; error: NodeJS.ErrnoException };

/** `already`: its process, if that was started before. */
export async function startGeneration(
  spec: GenerationSpec,
  events: GenerationEvents,
  already?: Promise<Launch>,
): Promise<Spawned> {
  const launched = await (already ?? launch(spec));
  return launched.ok ? { ok: true, generation: new Generation(launched.child, spec, events) } : launched;
}

export class Generation {
  readonly number: number;
  readonly process: ServerProcess;
  readonly channel: StdioChannel;
  readonly #events: GenerationEvents;
  readonly #outputEnded: Promise<void>;

  constructor(child: Child, spec: GenerationSpec, events: GenerationEvents) {
    this.number = spec.number;
    this.#events = events;
    let outputEnded: () => void = () => {};
    this.#outputEnded = new Promise((resolve) => (outputEnded = resolve));
    this.process = new ServerProcess(child, spec, () => this.channel.end());
    const { stdout, stdin, output } = this.process;
    this.channel = connectPipes(
      stdout,
      stdin,
      { limit: spec.maxLine },
      {
        message: (message) => events.message(this, message),
        noise: (kind, lines) => {
          output.push(kind === 'cut' ? lines.subarray(0, SHOWN_OF_CUT_MESSAGE) : lines, 'stdout');
          events.noise(this, kind, lines);
        },
        oversized: () => events.oversized(this),
        end: () => {
          outputEnded();
          void this.#halfClosed('stdout');
        },
        full: (full) => events.full(this, full),
        gone: () => void this.#halfClosed('stdin'),
      },
    );
    void this.#awaitExit().then(() => spec.guard?.remove(this.process.pid));
  }

  /** What it has printed on stdout for people and not ended with a newline, as a prompt: nobody has told of it yet. */
  get unfinishedText(): string {
    const line = this.channel.unfinished;
    return line[0] === 0x7b || line[0] === 0x5b ? '' : line.toString('utf8', 0, SHOWN_OF_UNFINISHED).trim();
  }

  async #halfClosed(pipe: 'stdin' | 'stdout'): Promise<void> {
    const gone = new AbortController();
    const exited = this.process.exited.then(() => gone.abort());
    const grace = delay(HALF_CLOSED_GRACE_MS, undefined, { signal: gone.signal, ref: false }).catch(() => {});
    await Promise.race([exited, grace]);
    if (!gone.signal.aborted && !this.process.isStopping) this.#events.halfClosed(this, pipe);
  }

  async #awaitExit(): Promise<void> {
    const { process, channel } = this;
    const exit = await process.exited;
    // What is left in the pipe is little, and nobody adds to it: it is read even if the client is slow.
    channel.resume();
    process.readRest();
    const ended = new AbortController();
    await Promise.race([
      Promise.all([this.#outputEnded, process.stderrEnded]),
      delay(READ_AFTER_EXIT_MS, undefined, { signal: ended.signal }),
    ]).catch(() => {});
    ended.abort();
    channel.finish();
    process.finish(exit);
    this.#events.exit(this, exit);
  }
}
