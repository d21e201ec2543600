/**
 * Ports of this machine: one that is free, as the kernel knows it, and whether anybody answers on one. What is done
 * about a port that is taken meanwhile is for others.
 */
import { createServer, type AddressInfo } from 'node:net';
import { answerAt } from '../channel/http/presence.js';

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

export async function isAnswered(url: URL): Promise<boolean> {
  return (await answerAt(url)) === 'accepted';
}

/** An address of version 6 has brackets in a URL alone. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
