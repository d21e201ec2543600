/**
 * Starts a server that speaks over its own pipes: its process, the connection to it, and the record of both, from the
 * spawn to the last byte after its exit. It knows nothing of sessions, other generations or when it is time to go.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { StdioChannel } from '../channel/stdio.js';
import { launch, type Child, type ChildSpec, type Exit, type Launch } from '../process/child.js';
import type { Message } from '../wire/message.js';
import { connectPipes } from './connection.js';
import type { Noise } from './noise.js';
import { ServerProcess, type ServerProcessSpec } from './server-process.js';
import { Upstream, type UpstreamContext } from './upstream.js';

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

export interface ServerEvents<S> {
  message(upstream: Upstream<S>, message: Message): void;
  /** Lines on stdout that are no messages. */
  noise(upstream: { readonly generation: number }, kind: Noise, lines: Buffer): void;
  /** A line on stdout grew past the limit. */
  oversized(upstream: Upstream<S>): void;
  /** The server has stopped reading its stdin, or reads it again. */
  full(upstream: Upstream<S>, full: boolean): void;
  /** It has closed its stdin or stdout and lives on: what it is asked from now on it can't answer. */
  halfClosed(upstream: Upstream<S>, pipe: 'stdin' | 'stdout'): void;
  /** The process is gone, and all that it wrote has been told. */
  exit(upstream: Upstream<S>, exit: Exit): void;
}

export interface ServerSpec extends ChildSpec, ServerProcessSpec {
  readonly number: number;
  readonly maxLine: number;
}

export type Started<S> =
  { readonly ok: true; readonly upstream: Upstream<S> } | { readonly ok: false; readonly error: NodeJS.ErrnoException };

/** `already`: its process, if that was started before. */
export async function startServer<S>(
  spec: ServerSpec,
  context: UpstreamContext,
  events: ServerEvents<S>,
  already?: Promise<Launch>,
): Promise<Started<S>> {
  const launched = await (already ?? launch(spec));
  return launched.ok ? { ok: true, upstream: follow(launched.child, spec, context, events) } : launched;
}

function follow<S>(child: Child, spec: ServerSpec, context: UpstreamContext, events: ServerEvents<S>): Upstream<S> {
  const process = new ServerProcess(child, spec, () => channel.end());
  let onOutputEnd: () => void = () => {};
  const outputEnded = new Promise<void>((resolve) => (onOutputEnd = resolve));
  const halfClosed = async (pipe: 'stdin' | 'stdout'): Promise<void> => {
    const gone = new AbortController();
    const exited = process.exited.then(() => gone.abort());
    const grace = delay(HALF_CLOSED_GRACE_MS, undefined, { signal: gone.signal, ref: false }).catch(() => {});
    await Promise.race([exited, grace]);
    if (!gone.signal.aborted && !process.isStopping) events.halfClosed(upstream, pipe);
  };
  const { stdout, stdin, output } = process;
  const channel: StdioChannel = connectPipes(
    stdout,
    stdin,
    { limit: spec.maxLine },
    {
      message: (message) => events.message(upstream, message),
      noise: (kind, lines) => {
        output.push(kind === 'cut' ? lines.subarray(0, SHOWN_OF_CUT_MESSAGE) : lines, 'stdout');
        events.noise(upstream, kind, lines);
      },
      oversized: () => events.oversized(upstream),
      end: () => {
        onOutputEnd();
        void halfClosed('stdout');
      },
      full: (full) => events.full(upstream, full),
      gone: () => void halfClosed('stdin'),
    },
  );
  const unfinishedText = (): string => textOf(channel.unfinished);
  const upstream = new Upstream<S>({ generation: spec.number, process, channel, unfinishedText }, context);
  const exited = readToEnd(process, channel, outputEnded, (exit) => events.exit(upstream, exit));
  void exited.then(() => spec.guard?.remove(process.pid));
  return upstream;
}

/** A message that has not ended is no text. */
function textOf(line: Buffer): string {
  return line[0] === 0x7b || line[0] === 0x5b ? '' : line.toString('utf8', 0, SHOWN_OF_UNFINISHED).trim();
}

async function readToEnd(
  process: ServerProcess,
  channel: StdioChannel,
  outputEnded: Promise<void>,
  onExit: (exit: Exit) => void,
): Promise<void> {
  const exit = await process.exited;
  // What is left in the pipe is little, and nobody adds to it: it is read even if the client is slow.
  channel.resume();
  process.readRest();
  const ended = new AbortController();
  await Promise.race([
    Promise.all([outputEnded, process.stderrEnded]),
    delay(READ_AFTER_EXIT_MS, undefined, { signal: ended.signal }),
  ]).catch(() => {});
  ended.abort();
  channel.finish();
  process.finish(exit);
  onExit(exit);
}
