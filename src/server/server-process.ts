/**
 * The process of a server: its exit, what it prints for people, signs of life, and the termination ladder. What it says
 * in messages is read by whoever takes its stdin and stdout (start-server.ts).
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerFault } from '../agent/failure.js';
import type { Child, Exit } from '../process/child.js';
import { groupCpuTicks } from '../process/cpu-time.js';
import type { OrphanGuard } from '../process/orphan-guard.js';
import { terminate, type Ladder } from '../process/terminate.js';
import { OutputTail } from './output-tail.js';

export interface ServerProcessSpec {
  /** Where the server's stderr goes, unchanged. */
  readonly stderr: Writable;
  /** Sees what goes to stderr; nothing: there is no more. */
  readonly onStderr?: (chunk?: Buffer) => void;
  /** Who ends the server if this process can't any more. */
  readonly guard?: Pick<OrphanGuard, 'add' | 'remove'>;
}

/** How long a process that has exited is still read: only a stranger can hold its pipes and connections. */
const READ_AFTER_EXIT_MS = 250;

/** What a process has written for clients, by pipes or connections. */
interface Output {
  /** Reads on, even if the client is slow: what is left is little, and nobody adds to it. */
  resume(): void;
  /** Resolves when nothing more can come. */
  ended(): Promise<unknown>;
  /** Takes what has been read for all there is. */
  finish(): void;
}

const KILL: Ladder = { end: true, steps: [{ signal: 'SIGKILL', after: 0 }] };

/** When stderr need not wait any more: it was read, or nobody will ever read it. */
const STDERR_READ_AGAIN = ['drain', 'error', 'close'] as const;

/** `pid`: undefined if somebody else has started it. */
export type ServerChild = Omit<Child, 'pid'> & { readonly pid: number | undefined };

export class ServerProcess {
  /** Undefined: somebody else has started it. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** What it printed for people: on stderr, and on stdout where it was no message. */
  readonly output = new OutputTail();
  /** Resolves with its end. Its pipes may hold more. */
  readonly exited: Promise<Exit>;
  readonly #child: ServerChild;
  /** Resolves when nothing more will come on stderr. */
  readonly #stderrEnded: Promise<void>;
  readonly #endInput: () => void | Promise<void>;
  #ladder = new AbortController();
  #isStopping = false;
  #exit: Exit | undefined;
  #fault: ServerFault | undefined;

  /**
   * `endInput`: says all that is left to the server, and that nothing follows. If that takes its time, the first signal
   * comes right after it: such a server does not go by itself.
   */
  constructor(
    child: ServerChild,
    { stderr, onStderr, guard }: ServerProcessSpec,
    endInput: () => void | Promise<void>,
  ) {
    this.pid = child.pid;
    this.stdin = child.stdin as Writable;
    this.stdout = child.stdout;
    this.exited = child.exited;
    this.#child = child;
    this.#endInput = endInput;
    this.#stderrEnded = this.#passStderr(stderr, onStderr);
    if (this.pid !== undefined) guard?.add(this.pid);
    void child.exited.then(() => this.#ladder.abort());
  }

  /** Why it had to be stopped, if it had: the exit alone would not tell. */
  get fault(): ServerFault | undefined {
    return this.#fault;
  }

  /** Somebody has asked for its end. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** How it ended, once it has and all that it wrote has been read. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  get isGone(): boolean {
    return this.#exit !== undefined;
  }

  /** Differs from what it was before if the server has said something on stderr since, or has used the processor. */
  signOfLife(): string {
    return `${this.output.written} ${this.pid === undefined ? 0 : groupCpuTicks(this.pid)}`;
  }

  signalProcess(name: NodeJS.Signals): void {
    this.#child.signalProcess(name);
  }

  /** Climbs this ladder instead of the one before, if any. */
  stop(ladder: Ladder): void {
    this.#isStopping = true;
    this.#ladder.abort();
    this.#ladder = new AbortController();
    const { signal } = this.#ladder;
    const { steps } = ladder;
    const [first, ...others] = steps;
    // One that lives on has to hear of our end, whatever follows.
    const ended = ladder.end === true || this.pid === undefined ? this.#endInput() : undefined;
    if (ended === undefined || first === undefined) return void terminate(this.#child, { steps }, signal);
    void ended.then(() => terminate(this.#child, { steps: [{ ...first, after: 0 }, ...others] }, signal));
  }

  /** Stops it at once, because of this. */
  failAndKill(fault: ServerFault): void {
    this.#fault = fault;
    this.stop(KILL);
  }

  /** Waits for the exit, and until what the process had written by then is read. Nobody is told before. */
  async readToEnd(output: Output, onExit: (exit: Exit) => void): Promise<void> {
    const exit = await this.exited;
    output.resume();
    // Little is left on stderr, and nobody adds to it: it is read though nobody takes it.
    this.#child.stderr.resume();
    const over = new AbortController();
    await Promise.race([
      Promise.all([output.ended(), this.#stderrEnded]),
      delay(READ_AFTER_EXIT_MS, undefined, { signal: over.signal }),
    ]).catch(() => {});
    over.abort();
    output.finish();
    this.stdout.destroy();
    this.#child.stderr.destroy();
    this.#child.stdin?.destroy();
    this.#exit = exit;
    onExit(exit);
  }

  #passStderr(to: Writable, onStderr: ServerProcessSpec['onStderr']): Promise<void> {
    const { stderr } = this.#child;
    const resume = (): void => {
      for (const event of STDERR_READ_AGAIN) to.off(event, resume);
      stderr.resume();
    };
    stderr.on('data', (chunk: Buffer) => {
      this.output.push(chunk, 'stderr');
      onStderr?.(chunk);
      if (to.write(chunk) || to.destroyed) return;
      stderr.pause();
      for (const event of STDERR_READ_AGAIN) to.on(event, resume);
    });
    return new Promise((resolve) => {
      stderr.on('close', () => resolve());
      stderr.on('end', () => {
        onStderr?.();
        resolve();
      });
    });
  }
}
