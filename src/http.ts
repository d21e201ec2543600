/**
 * The part of the composition root that is loaded only if clients come by HTTP: connects the HTTP front with the
 * lineages and tells what happens there as events.
 */
import { endpointUrl, httpOptions } from './config/http-options.js';
import type { ProxyFlowContext } from './flow/flow.js';
import type { ShutdownReason } from './flow/shutdown.js';
import { HttpFront } from './front/http/front.js';
import type { HttpHome } from './front/http/home.js';
import type { Lineages } from './lineages.js';
import { resolveToken } from './state/http-token.js';

export interface Http {
  /** Why the proxy can't go on: it was to serve HTTP alone. */
  readonly failed: ShutdownReason | undefined;
  /** No new request is served. */
  stop(): void;
  close(): Promise<void>;
}

/** `isEnding`: the proxy ends already, so nobody is to be told where it listens. */
export async function openHttp(context: ProxyFlowContext, lineages: Lineages, isEnding: () => boolean): Promise<Http> {
  const { events, isHttpOnly, config } = context;
  const nothing = { stop: () => {}, close: () => Promise.resolve() };
  const warn = (text: string): void => events.emit({ kind: 'warning', text });
  const token = await resolveToken(config);
  if (!token.ok) {
    warn(`nothing is served over HTTP: ${token.error}`);
    return { ...nothing, failed: isHttpOnly ? { by: 'client' } : undefined };
  }
  const home: HttpHome = {
    speaksModern: (request) => lineages.speaksModern(request),
    attachModern: (connect) => lineages.attachModern(connect),
    attachLegacy: (connect, transport, initialize) => lineages.attachLegacy(connect, transport, initialize),
    isHttp: config.upstream !== undefined,
    askServer: (path, headers) => lineages.askServer(path, headers),
    get maxMessage() {
      return context.config.maxMessage;
    },
    get health() {
      return lineages.health;
    },
    warn,
    remark: (text) => events.emit({ kind: 'warning', text, level: 'debug' }),
  };
  const options = httpOptions(context, token.value.token);
  const front = new HttpFront(home, options);
  if (isEnding()) return { ...nothing, failed: undefined };
  const listening = await front.listen();
  const { host } = config;
  if (!listening.ok) {
    const { port, error, host: address } = listening;
    const why = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message;
    if (isHttpOnly) return { ...nothing, failed: { by: 'port-taken', port, host: address, why } };
    warn(
      `nothing is served over HTTP, since ${why} (port ${port} of ${address}); the client on stdio is served all the same`,
    );
    return { ...nothing, failed: undefined };
  }
  const running = { failed: undefined, stop: () => front.stop(), close: () => front.close() };
  if (isEnding()) return running;
  const { port } = listening;
  const { file } = token.value;
  const url = endpointUrl(host, port);
  events.emit({ kind: 'listening', url, port, host, ...(file === undefined ? {} : { tokenFile: file }) });
  return running;
}
