/**
 * Ports of this machine: one that is free, as the kernel knows it, and whether anybody answers on one. What is done
 * about a port that is taken meanwhile is for others.
 */
import { connect, createServer, type AddressInfo } from 'node:net';

/** Nobody is asked for longer, because a host that drops what it gets may never answer. */
const ASKED_FOR_MS = 1_000;

/** It may be taken by somebody else before it is used. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: bare(host), exclusive: true }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

export function isAnswered({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const usual = protocol === 'https:' ? 443 : 80;
    const socket = connect({ host: bare(hostname), port: port === '' ? usual : Number(port) });
    const settle = (answers: boolean): void => {
      resolve(answers);
      socket.destroy();
    };
    socket.setTimeout(ASKED_FOR_MS, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

/** An address of version 6 has brackets in a URL alone. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
