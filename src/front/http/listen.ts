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
  | { readonly ok: false; readonly error: NodeJS.ErrnoException; readonly port: number; readonly host: string };

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
  const tries = port === undefined || port === 0 ? PORTS_TRIED : 0;
  for (let tried = 0; ; tried++) {
    const bound = await bindAll(host, port === 0 ? 0 : first + tried, onRequest);
    if (bound.ok || bound.error.code !== 'EADDRINUSE' || tried === tries) return bound;
  }
}

/**
 * `localhost` may be either loopback address, so both listen, or none: who asked for the other one would get another
 * program. A machine without the other one does without it.
 */
async function bindAll(host: string, port: number, onRequest: RequestListener): Promise<Listening> {
  const bound = await bind(host, port, onRequest);
  if (!bound.ok || (host !== '127.0.0.1' && host !== 'localhost')) return bound;
  const other = await bind('::1', bound.port, onRequest);
  if (other.ok) return { ...bound, servers: [...bound.servers, ...other.servers] };
  if (other.error.code !== 'EADDRINUSE') return bound;
  for (const server of bound.servers) server.close();
  return other;
}

function bind(host: string, port: number, onRequest: RequestListener): Promise<Listening> {
  const server = createServer(LIMITS, onRequest);
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ ok: false, error, port, host }));
    server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port }, () => {
      server.removeAllListeners('error');
      server.on('error', () => {});
      resolve({ ok: true, port: (server.address() as AddressInfo).port, servers: [server] });
    });
  });
}
