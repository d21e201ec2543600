// A relay in front of an HTTP server: passes every request on as it came, headers and all, and counts the messages
// that are POSTed. What happens at a message is the caller's.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Relay {
  /** The same path at the relay's own address. */
  readonly url: string;
  readonly posts: number;
  close(): void;
}

export interface RelayEvents {
  /** With the number of each message, before it is passed on and when it has been. */
  onPost(message: number, when: 'before' | 'after'): void;
  /** A DELETE is passed on when this has resolved. */
  beforeDelete(): Promise<unknown>;
}

export async function startRelay(to: string, { onPost, beforeDelete }: RelayEvents): Promise<Relay> {
  const { hostname, port, pathname } = new URL(to);
  let posts = 0;

  async function pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const isPost = asked.method === 'POST';
    const body = isPost ? await buffer(asked) : undefined;
    const number = isPost ? ++posts : 0;
    if (isPost) onPost(number, 'before');
    if (asked.method === 'DELETE') await beforeDelete();
    const { method, url: path, rawHeaders: headers } = asked;
    const forwarded = request({ host: hostname, port, path, method, headers: headers as never, agent: false });
    forwarded.on('error', () => response.destroy());
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    response.on('close', () => forwarded.destroy());
    forwarded.end(body, () => {
      if (isPost) onPost(number, 'after');
    });
  }

  const server = createServer((asked, response) => void pass(asked, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    get posts() {
      return posts;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
