// A client over HTTP as light as can be: one socket that is kept open, requests written as bytes, answers known by
// their length. And a listener to talk to: the proxy, or what it is compared with. What to send and what to time is
// left to groups/http.ts.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Way } from './ways.js';

export interface Answer {
  readonly status: number;
  /** Of status line and headers. */
  readonly head: string;
  readonly body: Buffer;
}

const patience = 60_000;
const END_OF_HEAD = '\r\n\r\n';
const LAST_PIECE = Buffer.from('0\r\n\r\n');

export class HttpConnection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: Head | undefined;
  #onAnswer: ((answer: Answer) => void) | undefined;
  #onGone: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#onGone?.(new Error('the connection was closed before the answer came')));
  }

  /** Tries again while nobody listens there yet. */
  static async open(port: number): Promise<HttpConnection> {
    const deadline = performance.now() + patience;
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      const refused = await new Promise<Error | undefined>((resolve) => {
        socket.once('connect', () => resolve(undefined));
        socket.once('error', resolve);
      });
      if (refused === undefined) return new HttpConnection(socket);
      if (performance.now() > deadline) throw refused;
      await delay(1);
    }
  }

  /** One at a time. `request`: head and body. */
  ask(request: readonly Buffer[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#onAnswer = resolve;
      this.#onGone = reject;
      this.write(request);
    });
  }

  write(request: readonly Buffer[]): void {
    this.#socket.cork();
    for (const piece of request) this.#socket.write(piece);
    this.#socket.uncork();
  }

  /** Settles with the first bytes of an answer that goes on. */
  async stream(request: readonly Buffer[]): Promise<string> {
    this.#socket.removeAllListeners('data');
    const begun = once(this.#socket, 'data') as Promise<[Buffer]>;
    this.write(request);
    const [first] = await begun;
    this.#socket.resume();
    return first.toString('latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#head ??= this.#headRead();
    if (this.#head === undefined || this.#length < this.#head.total) return;
    const { text, end, isInPieces } = this.#head;
    const body = Buffer.concat(this.#chunks).subarray(end);
    if (isInPieces && !body.subarray(-LAST_PIECE.length).equals(LAST_PIECE)) return;
    this.#chunks = [];
    this.#length = 0;
    this.#head = undefined;
    this.#onAnswer?.({ status: Number(text.slice(9, 12)), head: text, body });
  }

  #headRead(): Head | undefined {
    const text = (this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)).toString('latin1');
    const end = text.indexOf(END_OF_HEAD);
    if (end < 0) return undefined;
    const head = text.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const begin = end + END_OF_HEAD.length;
    return { text: head, end: begin, total: begin + length, isInPieces: /^transfer-encoding: chunked/im.test(head) };
  }
}

interface Head {
  readonly text: string;
  readonly end: number;
  /** Bytes, if that was told; else at least so many. */
  readonly total: number;
  readonly isInPieces: boolean;
}

/** A process that listens on a port of this machine. */
export interface Listener {
  readonly port: number;
  readonly pid: number;
  close(): Promise<void>;
}

/** `wayTo`: how it is started. It may not listen yet. */
export async function startListener(wayTo: (port: number) => Way): Promise<Listener> {
  const port = await freePort();
  const { args, env, cwd } = wayTo(port);
  const child: ChildProcess = spawn(process.execPath, args, { env, cwd, stdio: ['ignore', 'ignore', 'ignore'] });
  const exited = once(child, 'exit');
  return {
    port,
    pid: child.pid ?? 0,
    async close() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** It is free now, and nobody else is likely to take it in the next moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
