/**
 * The simulated network: connections between two ends in this process, as node:net shows them, below Node's own HTTP.
 * Bytes arrive later, in pieces, and any connection may break at any moment. Who listens where is here too; what is
 * said is for the ends.
 */
import { Duplex } from 'node:stream';
import type { Kernel, Timer } from './kernel.js';

/** What one end may have written that the other has not taken. */
const WINDOW = 64 * 1024;
const FIRST_PORT = 40_000;

/** One end of a connection: as much of a `net.Socket` as node:http asks for. */
export class Socket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly name: string;
  connecting = true;
  other: Socket | undefined;
  /** It was broken, or never came about. */
  isCut = false;
  isRefused = false;
  readonly #kernel: Kernel;
  #untaken = 0;
  #roomFor: (() => void) | undefined;
  #idle: { readonly ms: number; timer: Timer } | undefined;

  constructor(kernel: Kernel, name: string, allowHalfOpen: boolean) {
    super({ allowHalfOpen });
    this.#kernel = kernel;
    this.name = name;
    this.on('error', () => {});
  }

  connected(): void {
    if (this.destroyed) return;
    this.connecting = false;
    this.emit('connect');
    this.emit('ready');
  }

  override _read(): void {
    this.other?.taken();
  }

  /** The other end has read what it had. */
  taken(): void {
    this.#untaken = 0;
    this.#roomFor?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const write = (): void => this.#write(chunk, done);
    if (this.connecting) this.once('connect', write);
    else write();
  }

  #write(chunk: Buffer, done: () => void): void {
    this.#active();
    const pieces = this.#kernel.random.once(6) ? 1 + this.#kernel.random.below(chunk.length) : chunk.length;
    for (const piece of [chunk.subarray(0, pieces), chunk.subarray(pieces)]) {
      if (piece.length > 0) this.#deliver(() => this.other?.arrived(Buffer.from(piece)));
    }
    this.#untaken += chunk.length;
    if (this.#untaken < WINDOW) return done();
    this.#roomFor = () => {
      this.#roomFor = undefined;
      done();
    };
  }

  arrived(bytes: Buffer): void {
    if (this.destroyed || this.readableEnded) return;
    this.#active();
    this.push(bytes);
  }

  override _final(done: () => void): void {
    const end = (): void => {
      this.#deliver(() => {
        const { other } = this;
        if (other !== undefined && !other.destroyed) other.push(null);
      });
      done();
    };
    if (this.connecting) this.once('connect', end);
    else end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.setTimeout(0);
    const hasEnded = this.writableFinished;
    this.#deliver(() => this.other?.otherIsGone(hasEnded));
    done(error);
  }

  /** Whoever is gone takes nothing more; whoever still had something to say, or to hear, learns of it. */
  otherIsGone(hasEnded: boolean): void {
    if (this.destroyed || (hasEnded && this.writableFinished)) return;
    if (hasEnded) this.#roomFor?.();
    else this.break();
  }

  /** As if the cable were cut. */
  cut(): void {
    this.isCut = true;
    this.break();
  }

  break(): void {
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  }

  #deliver(what: () => void): void {
    const { random } = this.#kernel;
    this.#kernel.input(`net:${this.name}`, random.once(4) ? random.below(5) : 0, what);
  }

  setTimeout(ms: number, listener?: () => void): this {
    if (this.#idle !== undefined) this.#kernel.clear(this.#idle.timer);
    this.#idle = ms === 0 ? undefined : { ms, timer: this.#kernel.timer(ms, () => this.emit('timeout')) };
    if (listener !== undefined) this.off('timeout', listener);
    if (listener !== undefined && ms > 0) this.once('timeout', listener);
    return this;
  }

  #active(): void {
    if (this.#idle !== undefined) this.setTimeout(this.#idle.ms);
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** What a connection is for. */
export type Purpose = 'client' | 'server';

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  readonly purpose: Purpose;
}

export class Network {
  readonly #kernel: Kernel;
  readonly #listeners = new Map<number, (socket: Socket) => void>();
  readonly #open = new Set<Connection>();
  #count = 0;
  #ports = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** One that nobody listens on. */
  freePort(): number {
    return FIRST_PORT + ++this.#ports;
  }

  isTaken(port: number): boolean {
    return this.#listeners.has(port);
  }

  listen(port: number, accept: (socket: Socket) => void): void {
    this.#listeners.set(port, accept);
  }

  /** Connections that are open stay. */
  unlisten(port: number): void {
    this.#listeners.delete(port);
  }

  connect(port: number, purpose: Purpose): Socket {
    const number = ++this.#count;
    const near = new Socket(this.#kernel, `${number}a`, false);
    const far = new Socket(this.#kernel, `${number}b`, true);
    this.#kernel.input(`connect:${number}`, this.#kernel.random.below(2), () => {
      const accept = this.#listeners.get(port);
      if (near.destroyed) return;
      near.isRefused = accept === undefined;
      if (accept === undefined)
        return void near.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      near.other = far;
      far.other = near;
      const connection: Connection = { near, far, purpose };
      this.#open.add(connection);
      for (const end of [near, far])
        end.once('close', () => near.destroyed && far.destroyed && this.#open.delete(connection));
      far.connected();
      accept(far);
      near.connected();
    });
    return near;
  }

  open(purpose: Purpose): Connection[] {
    return [...this.#open].filter((connection) => connection.purpose === purpose);
  }

  /** Breaks one of the connections: both ends see it, or the one that breaks it first. */
  cut(purpose: Purpose, which: number): boolean {
    const open = this.open(purpose);
    const connection = open[which % open.length];
    connection?.near.cut();
    connection?.far.cut();
    return connection !== undefined;
  }

  /** Nothing is left of it. */
  close(): void {
    this.#listeners.clear();
    for (const { near, far } of this.#open) {
      near.destroy();
      far.destroy();
    }
  }
}
