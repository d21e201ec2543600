/**
 * What the HTTP front needs of a configuration, in the form in which it compares it: names of hosts and origins as
 * headers have them. Which values are allowed is for the table of options and `http-checks.ts`; the token of
 * `--token auto` is made by `state/http-token.ts`. Pure.
 */
import type { Config } from './config.js';

export interface HttpOptions {
  /** Undefined: the usual one, or the next free one. 0: any. */
  readonly port: number | undefined;
  readonly host: string;
  /** What clients have to send; undefined: nothing. */
  readonly token: string | undefined;
  /** In lower case, an address of version 6 in brackets, without ports. */
  readonly allowedHosts: readonly string[];
  /** As browsers send them: in lower case, without the usual port of the scheme. */
  readonly allowedOrigins: readonly string[];
  readonly maxSessions: number;
  /** In milliseconds; 0: never. */
  readonly sessionTimeout: number;
}

/**
 * The last four are read from the configuration in force each time, because an edit of the file takes effect at once.
 * `token`: the one to send, not `auto`.
 */
export function httpOptions(from: { readonly config: Config }, token: string | undefined): HttpOptions {
  const { http, host } = from.config;
  return {
    port: typeof http === 'number' ? http : undefined,
    host,
    token,
    get allowedHosts() {
      return from.config.allowedHost.map((name) => name.toLowerCase());
    },
    get allowedOrigins() {
      return from.config.allowedOrigin.map(originOf);
    },
    get maxSessions() {
      return from.config.maxSessions;
    },
    get sessionTimeout() {
      return from.config.sessionTimeout;
    },
  };
}

function originOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
}

/** The endpoint of a listener, as a client on this machine reaches it. */
export function endpointUrl(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}/mcp`;
}
