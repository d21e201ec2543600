/** The HTTP front on a free port of loopback, before a home that keeps what clients send: for tests of its streams. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Channel } from '#src/channel/channel.js';
import type { Connect } from '#src/front/connection.js';
import { HttpFront } from '#src/front/http/front.js';
import type { HttpHome } from '#src/front/http/home.js';
import type { Message } from '#src/wire/message.js';

/** A client as those who serve it see it. */
export interface Served {
  readonly channel: Channel;
  /** What it has sent so far. */
  readonly messages: readonly Message[];
  /** Resolves when it has left. */
  readonly left: Promise<void>;
}

export interface Fronted {
  readonly url: string;
  /** Resolves with the next client that comes, when it has sent something. */
  client(): Promise<Served>;
  readonly remarks: string[];
}

export async function startFront(t: TestContext): Promise<Fronted> {
  const waiting: ((served: Served) => void)[] = [];
  const remarks: string[] = [];
  const serve = (connect: Connect): Promise<void> => {
    const messages: Message[] = [];
    let leave: () => void = () => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { channel } = connect({
      needsCheck: () => false,
      check: () => undefined,
      atNextTurn: (run) => void setImmediate(run),
      message: (message) => {
        messages.push(message.copy());
        if (messages.length === 1) waiting.shift()?.({ channel, messages, left });
      },
      gateIsFull: () => {},
      full: () => {},
      ended: leave,
      gone: leave,
    });
    return left;
  };
  const home: HttpHome = {
    speaksModern: () => true,
    attachModern: serve,
    attachLegacy: serve,
    maxMessage: 1024 * 1024,
    health: { state: 'serving', generation: 1, isDown: false },
    warn: () => {},
    remark: (text) => remarks.push(text),
  };
  const options = {
    port: 0,
    host: '127.0.0.1',
    token: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    maxSessions: 8,
    sessionTimeout: 0,
  };
  const front = new HttpFront(home, options);
  t.after(() => front.close());
  const listening = await front.listen();
  assert.ok(listening.ok);
  return {
    url: `http://127.0.0.1:${listening.port}`,
    client: () => new Promise((resolve) => waiting.push(resolve)),
    remarks,
  };
}
