/**
 * Puts the simulated network under node:http and node:net, whose own code stays: servers listen on simulated ports, and
 * requests go by simulated connections. Which connection is which is decided by the port.
 */
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { Network, Socket } from './network.js';

type Members = Record<string, unknown>;
type Replace = (target: object, name: string, value: unknown) => void;

const load = createRequire(import.meta.url);
const http = load('node:http') as Members & {
  readonly createServer: (options: ServerOptions, listener: RequestListener) => Server;
  readonly Agent: { readonly prototype: object };
};
const net = load('node:net') as Members;

const createHttpServer = http.createServer;

/** `replace` is undone with everything else that is patched. */
export function patchNetwork(network: Network, replace: Replace): void {
  replace(http, 'createServer', (options: ServerOptions, listener: RequestListener) =>
    listeningOn(network, createHttpServer(options, listener)),
  );
  replace(http.Agent.prototype, 'createConnection', ({ port }: { readonly port: number | string }) =>
    network.connect(Number(port), 'server'),
  );
  replace(net, 'createServer', () => portFinder(network));
  replace(net, 'connect', ({ port }: { readonly port: number | string }) => network.connect(Number(port), 'server'));
}

interface ListenOptions {
  readonly port: number;
  readonly host: string;
}

/** A server of node:http whose connections are simulated. */
function listeningOn(network: Network, server: Server): Server {
  const sockets = new Set<Socket>();
  let port: number | undefined;
  const listen = (options: ListenOptions, done: () => void): Server => {
    // The machine has no addresses of version 6.
    if (options.host.includes(':')) return fail(server, 'EADDRNOTAVAIL');
    if (network.isTaken(options.port)) return fail(server, 'EADDRINUSE');
    port = options.port === 0 ? network.freePort() : options.port;
    network.listen(port, (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      server.emit('connection', socket);
    });
    queueMicrotask(done);
    return server;
  };
  const close = (done?: () => void): Server => {
    if (port !== undefined) network.unlisten(port);
    port = undefined;
    server.closeIdleConnections();
    // Connections that stay are closed by whoever waits for their end.
    const look = (): void => {
      if (sockets.size === 0) {
        server.emit('close');
        done?.();
      } else setTimeout(look, 10);
    };
    queueMicrotask(look);
    return server;
  };
  Object.defineProperties(server, {
    listen: { value: listen },
    close: { value: close },
    closeAllConnections: {
      value: () => {
        for (const socket of sockets) socket.break();
      },
    },
    address: { value: () => ({ port }) },
    listening: { get: () => port !== undefined },
  });
  return server;
}

function fail(server: Server, code: string): Server {
  queueMicrotask(() => server.emit('error', Object.assign(new Error(code), { code })));
  return server;
}

/** Asks the kernel for a port, and gives it back. */
function portFinder(network: Network): EventEmitter {
  const port = network.freePort();
  return Object.assign(new EventEmitter(), {
    listen: (_options: unknown, done: () => void) => queueMicrotask(done),
    address: () => ({ port }),
    close: (done: () => void) => queueMicrotask(done),
  });
}
