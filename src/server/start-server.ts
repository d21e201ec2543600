/**
 * Starts a server that speaks over its own pipes: its process (server-process.ts), the connection to it, which tells
 * messages from what a server prints among them by mistake (noise.ts), and the record of both (upstream.ts), from the
 * spawn to the last byte after its exit. One that speaks HTTP is started by start-http-server.ts, which is loaded only
 * then. It knows nothing of sessions, other generations or when it is time to go.
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChannelEvents } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import { launch, type Child, type Launch } from '../process/child.js';
import { isBlank, isJson, NoiseCollector, type Noise } from './noise.js';
import type { LineOptions } from '../wire/lines.js';
import { Message } from '../wire/message.js';
import { ServerProcess } from './server-process.js';
import type { ServerEvents, ServerSpec, Started } from './server-spec.js';
import { Upstream, type UpstreamContext } from './upstream.js';

/** A server that closes a pipe is about to leave, as a rule. After so long it is not. */
const HALF_CLOSED_GRACE_MS = 2000;

/**
 * Half a message says that it was cut off, and by what it begins which one it is. All of it would drown what was
 * printed before.
 */
const SHOWN_OF_CUT_MESSAGE = 200;
const SHOWN_OF_UNFINISHED = 1000;

/** `already`: its process, if that was started before. */
export async function startServer<S>(
  spec: ServerSpec,
  context: UpstreamContext<S>,
  events: ServerEvents<S>,
  already?: Promise<Launch>,
): Promise<Started<S>> {
  if (spec.http !== undefined) {
    const { startHttpServer } = await import('./start-http-server.js');
    return startHttpServer({ ...spec, http: spec.http }, context, events);
  }
  const launched = await (already ?? launch(spec));
  return launched.ok ? { ok: true, upstream: follow(launched.child, spec, context, events) } : launched;
}

function follow<S>(child: Child, spec: ServerSpec, context: UpstreamContext<S>, events: ServerEvents<S>): Upstream<S> {
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
  const rest = { resume: () => channel.resume(), ended: () => outputEnded, finish: () => channel.finish() };
  const exited = process.readToEnd(rest, (exit) => events.exit(upstream, exit));
  void exited.then(() => spec.guard?.remove(child.pid));
  return upstream;
}

interface ConnectionEvents extends Omit<ChannelEvents, 'end'> {
  /**
   * Lines on stdout that are no messages: text, JSON of another kind, or the beginning of a message that never ended.
   */
  noise(kind: Noise, lines: Buffer): void;
  end(): void;
}

const NEWLINE = Buffer.from('\n');
const OPEN_OBJECT = 0x7b;

/** A channel that tells messages from noise. */
function connectPipes(stdout: Readable, stdin: Writable, lines: LineOptions, events: ConnectionEvents): StdioChannel {
  const noise = new NoiseCollector((kind, printed) => events.noise(kind, printed));
  const take = (message: Message): void => {
    if (message.envelope.kind === 'invalid') return noise.add(message);
    noise.flush();
    events.message(message.withoutByteOrderMark());
  };
  return new StdioChannel(stdout, stdin, lines, {
    ...events,
    message: take,
    end: (unfinished) => {
      if (unfinished !== undefined) takeUnfinished(unfinished, take, events);
      events.end();
    },
  });
}

/**
 * A last line without its newline is a message only if it is whole, and that takes more than a look at both its ends.
 */
function takeUnfinished(unfinished: Message, take: (message: Message) => void, events: ConnectionEvents): void {
  const rest = unfinished.bytes();
  if (isBlank(rest)) return;
  const line = Buffer.concat([rest, NEWLINE]);
  if (unfinished.envelope.kind !== 'invalid' && isJson(rest)) take(Message.of(line));
  else events.noise(rest[0] === OPEN_OBJECT ? 'cut' : 'text', line);
}

/** A message that has not ended is no text. */
function textOf(line: Buffer): string {
  return line[0] === 0x7b || line[0] === 0x5b ? '' : line.toString('utf8', 0, SHOWN_OF_UNFINISHED).trim();
}
