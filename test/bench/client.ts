// A client that converses: requests with their answers, notifications, and the proxy's log. For what takes
// milliseconds; what takes less is timed on connection.ts.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { startLineProcess } from '../support/line-process.js';
import { eventOf, type LogEvent } from '../support/proxy-log.js';
import { initialize, initialized } from './connection.js';
import type { Way } from './ways.js';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean };
}

export interface Client {
  readonly pid: number;
  /** What the proxy has logged, if it was told to do so as JSON. */
  readonly log: readonly LogEvent[];
  request(method: string, params?: object): Promise<Message>;
  /** The text that a tool answers with. */
  call(name: string, args?: object): Promise<string>;
  /** Settles at the next notification of this kind. */
  notified(method: string): Promise<void>;
  /** Settles with the first entry, of those there and those to come, that fits. */
  logged(fits: (entry: LogEvent) => boolean): Promise<LogEvent>;
  /** Asks the preloaded stall.ts for the longest stall since it was last asked, in milliseconds. */
  longestStall(): Promise<number>;
  /** Has stall.ts collect the garbage. */
  collectGarbage(): Promise<void>;
  close(): Promise<void>;
}

const patience = 60_000;

/** `start` alone leaves the session unopened. */
export async function open(way: Way): Promise<Client> {
  const client = start(way);
  await client.request(initialize.method, initialize.params);
  client.send(initialized);
  return client;
}

function start(way: Way): Client & { send(message: object): void } {
  const answers = new Map<number, (message: Message) => void>();
  const notices = new Map<string, () => void>();
  const log: LogEvent[] = [];
  const readers = new Set<(event: LogEvent) => void>();
  let lastId = 0;

  const { child, exited, write } = startLineProcess([process.execPath, ...way.args], {
    cwd: way.cwd,
    env: way.env,
    ipc: way.args[0] === '--import',
    onLine(line) {
      const message = JSON.parse(line.toString()) as Message;
      if (message.method === undefined) answers.get(message.id ?? -1)?.(message);
      else notices.get(message.method)?.();
    },
    onLogLine(line) {
      const event = eventOf(line.toString());
      if (event === undefined) return;
      log.push(event);
      for (const read of readers) read(event);
    },
  });

  async function within<T>(what: string, promise: Promise<T>): Promise<T> {
    const over = new AbortController();
    const late = delay(patience, undefined, { signal: over.signal }).then(() => {
      throw new Error(`no ${what} within ${patience} ms`);
    });
    const gone = exited.then(() => {
      throw new Error(`ended while waiting for ${what}`);
    });
    try {
      return await Promise.race([promise, late, gone]);
    } finally {
      over.abort();
      late.catch(() => {});
      gone.catch(() => {});
    }
  }

  const send = (message: object): void => void write(message);

  function request(method: string, params?: object): Promise<Message> {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<Message>((resolve) => answers.set(id, resolve)).finally(() => answers.delete(id));
    send({ jsonrpc: '2.0', id, method, params });
    return within(`answer to ${method}`, answer);
  }

  async function ask(what: 'longest' | 'collect'): Promise<number> {
    const told = once(child, 'message') as Promise<[number]>;
    child.send(what);
    return (await within('stall', told))[0];
  }

  return {
    pid: child.pid ?? 0,
    log,
    send,
    request,
    async call(name, args = {}) {
      const { result } = await request('tools/call', { name, arguments: args });
      const text = result?.content?.[0]?.text ?? '';
      if (result === undefined || result.isError === true) throw new Error(`${name} failed: ${text}`);
      return text;
    },
    notified: (method) =>
      within(
        method,
        new Promise<void>((resolve) => notices.set(method, resolve)).finally(() => notices.delete(method)),
      ),
    async logged(fits) {
      const known = log.find(fits);
      if (known !== undefined) return known;
      let reader: (entry: LogEvent) => void = () => {};
      const found = new Promise<LogEvent>((resolve) => (reader = (entry) => fits(entry) && resolve(entry)));
      readers.add(reader);
      return within('log entry', found).finally(() => readers.delete(reader));
    },
    longestStall: () => ask('longest'),
    async collectGarbage() {
      await ask('collect');
    },
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
