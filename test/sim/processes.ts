/**
 * Simulated processes: pipes, signals, exits, as Node's child_process shows them. What a process does is a behaviour's
 * (server.ts, builds.ts). A process can be stopped and continued, and can leave somebody behind who holds its pipes.
 */
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Kernel } from './kernel.js';

export interface Behaviour {
  /** A line was written to its stdin; it has not read it yet. */
  written(line: string): void;
  read(line: string): void;
  inputEnded(): void;
  signalled(name: string): void;
  gone(): void;
}

interface SpawnOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: readonly string[];
}

const FIRST_PID = 10_000_000;
/** What a pipe holds before the writer has to wait. */
const PIPE = 64 * 1024;

export class Process extends EventEmitter {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout = new Readable({ read() {} });
  readonly stderr = new Readable({ read() {} });
  readonly #kernel: Kernel;
  behaviour: Behaviour | undefined;
  alive = true;
  /** Somebody else holds its pipes when it is gone. */
  lingers = false;
  #stopped = false;
  #waiting: (() => void)[] = [];
  #unread = 0;
  #roomFor: (() => void) | undefined;
  #partial = '';

  constructor(kernel: Kernel, pid: number, hasInput: boolean) {
    super();
    this.#kernel = kernel;
    this.pid = pid;
    this.stdin = hasInput ? this.#input() : null;
  }

  #input(): Writable {
    return new Writable({
      highWaterMark: 16 * 1024,
      write: (chunk: Buffer, _encoding, done) => {
        const lines = (this.#partial + chunk.toString('utf8')).split('\n');
        this.#partial = lines.pop() ?? '';
        for (const line of lines) this.behaviour?.written(line);
        if (!this.alive) return done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
        this.#unread += chunk.length;
        const read = (): void => {
          this.#unread -= chunk.length;
          for (const line of lines) this.#awake(() => this.behaviour?.read(line));
          if (this.#unread < PIPE) this.#roomFor?.();
        };
        this.#kernel.input(`in:${this.pid}`, this.#kernel.random.once(4) ? this.#kernel.random.below(5) : 0, () =>
          this.#awake(read),
        );
        if (this.#unread < PIPE) return done();
        this.#roomFor = () => {
          this.#roomFor = undefined;
          done();
        };
      },
      final: (done) => {
        done();
        this.#kernel.input(`in:${this.pid}`, 0, () => this.#awake(() => this.behaviour?.inputEnded()));
      },
    });
  }

  /** Now, or when it is continued. */
  #awake(run: () => void): void {
    if (this.#stopped) this.#waiting.push(run);
    else if (this.alive) run();
  }

  later(ms: number, run: () => void): void {
    this.#kernel.timer(ms, () => this.#awake(run));
  }

  stop(): void {
    this.#stopped = true;
  }

  continue(): void {
    this.#stopped = false;
    for (const run of this.#waiting.splice(0)) this.#awake(run);
  }

  print(text: string, after = 0): void {
    this.#write(this.stdout, `out:${this.pid}`, text, after);
  }

  complain(text: string): void {
    this.#write(this.stderr, `err:${this.pid}`, text, 0);
  }

  #write(to: Readable, source: string, text: string, after: number): void {
    const bytes = Buffer.from(text);
    // Anywhere, in the middle of a character too.
    const cut = bytes.length > 1 && this.#kernel.random.once(6) ? this.#kernel.random.below(bytes.length) : 0;
    const push = (chunk: Buffer) => () => void (to.destroyed || to.readableEnded || to.push(chunk));
    if (cut > 0) this.#kernel.input(source, after, push(bytes.subarray(0, cut)));
    this.#kernel.input(source, cut > 0 ? after + this.#kernel.random.below(3) : after, push(bytes.subarray(cut)));
  }

  exit(code: number | null, signal: string | null): void {
    if (!this.alive) return;
    this.alive = false;
    this.#waiting = [];
    this.#kernel.discard(`in:${this.pid}`);
    this.#roomFor?.();
    this.behaviour?.gone();
    if (!this.lingers) this.#endPipes();
    this.#kernel.input(`exit:${this.pid}`, this.#kernel.random.below(3), () => this.emit('exit', code, signal));
  }

  #endPipes(): void {
    for (const [source, pipe] of [
      [`out:${this.pid}`, this.stdout],
      [`err:${this.pid}`, this.stderr],
    ] as const) {
      this.#kernel.input(source, 0, () => void (pipe.destroyed || pipe.readableEnded || pipe.push(null)));
    }
  }

  /** To the process and whoever it left behind. */
  signal(name: string): void {
    if (name === 'SIGKILL' && this.lingers) {
      this.lingers = false;
      if (!this.alive) this.#endPipes();
    }
    if (!this.alive) return;
    if (name === 'SIGKILL') this.exit(null, name);
    else this.#awake(() => this.behaviour?.signalled(name));
  }

  kill(name: string): boolean {
    this.signal(name);
    return true;
  }
}

export class Processes {
  readonly #kernel: Kernel;
  readonly #behave: (process: Process, command: string, env: NodeJS.ProcessEnv) => Behaviour;
  readonly all: Process[] = [];
  /** The command is gone from the disk. */
  missing = false;

  constructor(kernel: Kernel, behave: (process: Process, command: string, env: NodeJS.ProcessEnv) => Behaviour) {
    this.#kernel = kernel;
    this.#behave = behave;
  }

  get alive(): Process[] {
    return this.all.filter((process) => process.alive);
  }

  readonly spawn = (command: string, _args: readonly string[], options: SpawnOptions): EventEmitter => {
    if (this.missing) {
      const nobody = new EventEmitter();
      process.nextTick(() => nobody.emit('error', Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' })));
      return nobody;
    }
    const started = new Process(this.#kernel, FIRST_PID + this.all.length, options.stdio[0] === 'pipe');
    this.all.push(started);
    started.behaviour = this.#behave(started, command, options.env);
    return started;
  };

  readonly kill =
    (real: typeof process.kill) =>
    (pid: number, name?: string | number): boolean => {
      const found = this.all[Math.abs(pid) - FIRST_PID];
      if (found === undefined) return real(pid, name);
      if (!found.alive && !found.lingers) throw Object.assign(new Error('ESRCH'), { code: 'ESRCH' });
      found.signal(String(name));
      return true;
    };
}
