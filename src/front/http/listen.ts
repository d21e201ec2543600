/**
 * Listens on a port: the one that was named, or the first that is free. Bounds what a client may do before it has said
 * anything: headers, connections, time. What a request is answered with is decided by who is given it.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenOptions {
  readonly host: string;
  /** Undefined: the usual one, or the next that is free. */
  readonly port: number | undefined;
}

export type Listening =
  | {
      readonly ok: true;
      readonly port: number;
      readonly servers: readonly Server[];
    }
  | { readonly ok: false; readonly error: NodeJS.ErrnoException; readonly port: number };

const USUAL_PORT = 6280;
const PORTS_TRIED = 100;
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
} as const;
const MAX_CONNECTIONS = 4096;

export async function listen({ host, port }: ListenOptions, onRequest: RequestListener): Promise<Listening> {
  const first = port ?? USUAL_PORT;
  const last = port === undefined ? first + PORTS_TRIED : first;
  for (let tried = first; ; tried++) {
    const bound = await bind(host, tried, onRequest);
    if (bound.ok) return withOtherLoopback(bound, host, onRequest);
    if (bound.error.code !== 'EADDRINUSE' || tried === last) return bound;
  }
}

/** `localhost` may be either loopback address, so both listen; a machine without the other one does without it. */
async function withOtherLoopback(
  bound: Extract<Listening, { ok: true }>,
  host: string,
  onRequest: RequestListener,
): Promise<Listening> {
  const other = host === '127.0.0.1' || host === 'localhost' ? '::1' : undefined;
  if (other === undefined) return bound;
  const second = await bind(other, bound.port, onRequest);
  return second.ok ? { ...bound, servers: [...bound.servers, ...second.servers] } : bound;
}

function bind(host: string, port: number, onRequest: RequestListener): Promise<Listening> {
  const server = createServer(LIMITS, onRequest);
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ ok: false, error, port }));
    server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port }, () => {
      server.removeAllListeners('error');
      server.on('error', () => {});
      resolve({ ok: true, port: (server.address() as AddressInfo).port, servers: [server] });
    });
  });
}
