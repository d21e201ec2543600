/**
 * One generation: a server process and its three streams, from the spawn to the last byte after its exit. Sorts what it
 * prints into messages and noise. It knows nothing of sessions, other generations or when it is time to go.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import { launch, type Child, type ChildSpec, type Exit, type Launch } from '../process/child.js';
import { groupCpuTicks } from '../process/cpu-time.js';
import type { OrphanGuard } from '../process/orphan-guard.js';
import { terminate, type Ladder } from '../process/terminate.js';
import { Endpoint } from '../wire/endpoint.js';
import { lineEnd } from '../wire/lines.js';
import type { Pieces, Run } from '../wire/run.js';
import { scan, scanPieces, type Envelope } from '../wire/scan.js';
import { isBlank, isJson, noiseOf, type Noise } from './noise.js';
import { OutputTail } from './output-tail.js';

/** How long the pipes of a process that has exited are read: only a stranger can still hold them. */
const AFTERMATH = 250;
/** Who closes a pipe is about to leave, as a rule. After so long it is not. */
const LEAVING = 2000;

/**
 * Half a message says that it was cut off, and by what it begins which one it is. All of it would drown what was
 * printed before.
 */
const SHOWN_OF_CUT_MESSAGE = 200;

const SHOWN_OF_UNFINISHED = 1000;

/** When stderr need not wait any more: it was read, or nobody will ever read it. */
const READS_AGAIN = ['drain', 'error', 'close'] as const;

export interface GenerationEvents {
  /** A message: a line that lies in `run` between `from` and `to`. */
  message(generation: Generation, run: Run, from: number, to: number, envelope: Envelope): void;
  /**
   * Lines on stdout that are no messages: text, JSON of another kind, or the beginning of a message that never ended.
   */
  noise(generation: Generation, kind: Noise, lines: Buffer): void;
  /** A line on stdout grew past the limit. */
  tooLong(generation: Generation): void;
  /** The server has stopped reading its stdin, or reads it again. */
  full(generation: Generation, full: boolean): void;
  /** It has closed its stdin or stdout and lives on: what it is asked from now on it can't answer. */
  closed(generation: Generation, pipe: 'stdin' | 'stdout'): void;
  /** The process is gone, and all that it wrote has been told. */
  exit(generation: Generation, exit: Exit): void;
}

export interface GenerationSpec extends ChildSpec {
  readonly number: number;
  readonly maxLine: number;
  /** Where the server's stderr goes, unchanged. */
  readonly stderr: Writable;
  /** Sees what goes to stderr; nothing: there is no more. */
  readonly onStderr?: (chunk?: Buffer) => void;
  /** Who ends the server if this process can't any more. */
  readonly guard?: Pick<OrphanGuard, 'add' | 'remove'>;
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
  readonly pid: number;
  readonly #child: Child;
  readonly #peer: Endpoint;
  readonly #events: GenerationEvents;
  readonly #output = new OutputTail();
  readonly #outEnded: Promise<void>;
  readonly #errEnded: Promise<void>;
  #ladder = new AbortController();
  #stopped = false;
  #exit: Exit | undefined;
  #fault: string | undefined;

  constructor(child: Child, spec: GenerationSpec, events: GenerationEvents) {
    this.number = spec.number;
    this.pid = child.pid;
    this.#child = child;
    this.#events = events;
    const out = new AbortController();
    this.#outEnded = once(out.signal);
    this.#peer = new Endpoint(
      child.stdout,
      child.stdin as Writable,
      { limit: spec.maxLine },
      {
        run: (run) => this.#lines(run),
        pieces: (pieces, length) => this.#pieces(pieces, length),
        tooLong: () => events.tooLong(this),
        end: (rest) => {
          this.#rest(rest);
          out.abort();
          void this.#halfClosed('stdout');
        },
        full: (full) => events.full(this, full),
        gone: () => void this.#halfClosed('stdin'),
      },
    );
    this.#errEnded = this.#passStderr(child, spec);
    spec.guard?.add(this.pid);
    void this.#awaitExit().then(() => spec.guard?.remove(this.pid));
  }

  /** What it printed for people: on stderr, and on stdout where it was no message. */
  get output(): OutputTail {
    return this.#output;
  }

  /** What it has printed on stdout for people and not ended with a newline, as a prompt: nobody has told of it yet. */
  get unfinishedText(): string {
    const line = this.#peer.unfinished;
    return line[0] === 0x7b || line[0] === 0x5b ? '' : line.toString('utf8', 0, SHOWN_OF_UNFINISHED).trim();
  }

  /** Differs from what it was before if the server has said something on stderr since, or has used the processor. */
  signOfLife(): string {
    return `${this.#output.written} ${groupCpuTicks(this.pid)}`;
  }

  /** Why it had to be stopped, if it had: the exit alone would not tell. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Stops it at once, because of this. */
  condemn(fault: string): void {
    this.#fault = fault;
    this.stop({ end: true, steps: [{ signal: 'SIGKILL', after: 0 }] });
  }

  get gone(): boolean {
    return this.#exit !== undefined;
  }

  /** How it ended, once it has and all it wrote has been told. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** One or more lines: the bytes from `from` to `to`. */
  send(run: Run, from?: number, to?: number): void {
    this.#peer.send(run, from, to);
  }

  endInput(): void {
    this.#peer.writer.end();
  }

  /** Stop or go on reading what the server says: the client can't take more right now. */
  pause(): void {
    this.#peer.pause();
  }

  resume(): void {
    this.#peer.resume();
  }

  signalProcess(name: NodeJS.Signals): void {
    this.#child.signalProcess(name);
  }

  /** Climbs this ladder instead of the one before, if any. */
  stop(ladder: Ladder): void {
    this.#stopped = true;
    this.#ladder.abort();
    this.#ladder = new AbortController();
    if (ladder.end === true) this.endInput();
    void terminate(this.#child, { steps: ladder.steps }, this.#ladder.signal);
  }

  #lines(run: Buffer): void {
    for (let from = 0, to = 0; from < run.length; from = to) {
      to = lineEnd(run, from);
      const envelope = scan(run, from, to);
      if (envelope.kind !== 'invalid') this.#events.message(this, run, afterMark(run, from), to, envelope);
      else to = this.#noise(run, from, to);
    }
  }

  #pieces(pieces: Pieces, length: number): void {
    const envelope = scanPieces(pieces, length);
    if (envelope === undefined) this.#lines(Buffer.concat(pieces, length));
    else this.#events.message(this, pieces, 0, length, envelope);
  }

  /**
   * The line between `from` and `to`, and those of its kind right behind it: there may be thousands. Returns where they
   * end.
   */
  #noise(run: Buffer, from: number, to: number): number {
    const kind = noiseOf(run.subarray(from, to));
    let end = to;
    for (let next = end; next < run.length; end = next) {
      next = lineEnd(run, end);
      if (scan(run, end, next).kind !== 'invalid' || noiseOf(run.subarray(end, next)) !== kind) break;
    }
    if (kind !== 'blank') this.#tellNoise(kind, run.subarray(from, end));
    return end;
  }

  /**
   * A last line without its newline is a message only if it is whole, and that takes more than a look at both its ends.
   */
  #rest(rest: Buffer): void {
    if (isBlank(rest)) return;
    const line = Buffer.concat([rest, Buffer.from('\n')]);
    if (scan(rest).kind !== 'invalid' && isJson(rest)) this.#lines(line);
    else this.#tellNoise(rest[0] === 0x7b ? 'cut' : 'text', line);
  }

  #tellNoise(kind: Noise, lines: Buffer): void {
    this.#output.push(kind === 'cut' ? lines.subarray(0, SHOWN_OF_CUT_MESSAGE) : lines, 'stdout');
    this.#events.noise(this, kind, lines);
  }

  async #halfClosed(pipe: 'stdin' | 'stdout'): Promise<void> {
    const over = new AbortController();
    const left = this.#child.exited.then(() => over.abort());
    await Promise.race([left, delay(LEAVING, undefined, { signal: over.signal, ref: false }).catch(() => {})]);
    if (!over.signal.aborted && !this.#stopped) this.#events.closed(this, pipe);
  }

  #passStderr(child: Child, { stderr: to, onStderr }: GenerationSpec): Promise<void> {
    const ended = new AbortController();
    const goOn = (): void => {
      for (const event of READS_AGAIN) to.off(event, goOn);
      child.stderr.resume();
    };
    child.stderr.on('data', (chunk: Buffer) => {
      this.#output.push(chunk, 'stderr');
      onStderr?.(chunk);
      if (to.write(chunk) || to.destroyed) return;
      child.stderr.pause();
      for (const event of READS_AGAIN) to.on(event, goOn);
    });
    child.stderr.on('close', () => ended.abort());
    child.stderr.on('end', () => {
      onStderr?.();
      ended.abort();
    });
    return once(ended.signal);
  }

  async #awaitExit(): Promise<void> {
    const exit = await this.#child.exited;
    this.#ladder.abort();
    // What is left in the pipe is little, and nobody adds to it: it is read even if the client is slow.
    this.#peer.resume();
    this.#child.stderr.resume();
    const late = new AbortController();
    await Promise.race([
      Promise.all([this.#outEnded, this.#errEnded]),
      delay(AFTERMATH, undefined, { signal: late.signal }),
    ]).catch(() => {});
    late.abort();
    this.#peer.finish();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#child.stdin?.destroy();
    this.#exit = exit;
    this.#events.exit(this, exit);
  }
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A byte order mark before a message is no part of it. */
function afterMark(run: Buffer, from: number): number {
  return run[from] === 0xef ? from + 3 : from;
}
