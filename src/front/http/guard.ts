/**
 * Who may talk to us: `Host`, `Origin` and the token of one request, whatever it asks for. A page in a browser that
 * reaches our address by DNS rebinding has a foreign `Host`; one that calls us from elsewhere has a foreign `Origin`.
 * Every OPTIONS is answered here, so nothing behind the guard sees a request without the token but `/health`. What is
 * asked for, and with which limits, is judged behind it. Pure: the comparison of tokens is given.
 */
import { hostNamed, isLoopback, isSameOrigin, isUnspecified, parseHost, parseOrigin } from './addresses.js';
import { type Headers, onlyValueOf, valueOf } from './headers.js';

export interface GuardOptions {
  /** The address that is listened on. */
  readonly host: string;
  readonly token: string | undefined;
  /** Names, with or without a port. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export interface RequestFacts {
  readonly method: string;
  readonly route: 'mcp' | 'sse' | 'message' | 'health' | 'well-known' | 'unknown';
  /** Best the `headersDistinct` of node:http: its `headers` drop a second `Host`. */
  readonly headers: Headers;
}

type ReplyHeaders = Readonly<Record<string, string>>;

export type Admission =
  /** CORS headers to put on every response to it; none without an `Origin`. */
  | { readonly kind: 'admitted'; readonly headers: ReplyHeaders }
  /** Answer 204 with these. */
  | { readonly kind: 'preflight'; readonly headers: ReplyHeaders }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly headers: ReplyHeaders; readonly text: string };

export type IsSameToken = (a: string, b: string) => boolean;

const METHODS = 'GET, POST, DELETE, OPTIONS';
const EXPOSED = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate';
const PREFLIGHT_SECONDS = '600';
/** What a client may send: MCP's own headers, and those that every HTTP client has. */
const SENDABLE = /^(?:content-type|accept|authorization|last-event-id|mcp-[!#$%&'*+.^_`|~0-9a-z-]+)$/;
const BEARER = /^bearer +(\S+) *$/i;

export function admit(request: RequestFacts, options: GuardOptions, isSameToken: IsSameToken): Admission {
  const { headers } = request;
  if (!isAllowedHost(onlyValueOf(headers, 'host'), options)) return forbidden(hostRefusal(headers));

  const hasOrigin = headers['origin'] !== undefined;
  const origin = onlyValueOf(headers, 'origin');
  if (hasOrigin && !isAllowedOrigin(origin, options)) return forbidden(originRefusal(origin));
  const cors = origin === undefined ? {} : corsHeaders(origin);

  if (request.method === 'OPTIONS') return preflight(headers, cors, hasOrigin);
  const needsToken = options.token !== undefined && request.route !== 'health';
  if (!needsToken || hasToken(headers, options.token, isSameToken)) return { kind: 'admitted', headers: cors };
  return { kind: 'refused', status: 401, headers: { ...cors, 'WWW-Authenticate': 'Bearer' }, text: tokenRefusal };
}

function isAllowedHost(value: string | undefined, options: GuardOptions): boolean {
  const asked = value === undefined ? undefined : parseHost(value);
  if (asked === undefined) return false;
  if (isLoopback(asked.host)) return true;
  const own = hostNamed(options.host);
  if (!isUnspecified(own) && asked.host === own) return true;
  return options.allowedHosts.some((entry) => {
    const allowed = parseHost(entry) ?? { host: hostNamed(entry), port: undefined };
    return allowed.host === asked.host && (allowed.port === undefined || allowed.port === asked.port);
  });
}

function isAllowedOrigin(value: string | undefined, options: GuardOptions): boolean {
  const asked = value === undefined ? undefined : parseOrigin(value);
  if (asked === undefined) return false;
  if (isLoopback(asked.host) && (asked.scheme === 'http' || asked.scheme === 'https')) return true;
  return options.allowedOrigins.some((entry) => {
    const allowed = parseOrigin(entry.replace(/\/$/, ''));
    return allowed !== undefined && isSameOrigin(allowed, asked);
  });
}

function hasToken(headers: Headers, token: string | undefined, isSameToken: IsSameToken): boolean {
  const sent = BEARER.exec(onlyValueOf(headers, 'authorization') ?? '')?.[1];
  return sent !== undefined && token !== undefined && isSameToken(sent, token);
}

/** That very origin, never `*`: a cache must not give the answer to another one. */
function corsHeaders(origin: string): ReplyHeaders {
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin', 'Access-Control-Expose-Headers': EXPOSED };
}

function preflight(headers: Headers, cors: ReplyHeaders, hasOrigin: boolean): Admission {
  if (!hasOrigin) return { kind: 'preflight', headers: { Allow: METHODS } };
  const requested = (valueOf(headers, 'access-control-request-headers') ?? '').toLowerCase().split(',');
  const allowed = requested.map((name) => name.trim()).filter((name) => SENDABLE.test(name));
  return {
    kind: 'preflight',
    headers: {
      ...cors,
      'Access-Control-Allow-Methods': METHODS,
      ...(allowed.length > 0 && { 'Access-Control-Allow-Headers': allowed.join(', ') }),
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    },
  };
}

function forbidden(text: string): Admission {
  return { kind: 'refused', status: 403, headers: {}, text };
}

/** Names only what reads as a host: nothing else of a stranger's is repeated. */
function hostRefusal(headers: Headers): string {
  const value = onlyValueOf(headers, 'host');
  const asked = value === undefined ? undefined : parseHost(value);
  if (asked === undefined) return 'A request needs exactly one Host header, and in it a host name or an address.';
  const name = asked.host.includes(':') ? `[${asked.host}]` : asked.host;
  return `The Host ${name} is not allowed: ask for a loopback address, or start the proxy with --allowed-host ${name}.`;
}

function originRefusal(value: string | undefined): string {
  const isOrigin = value !== undefined && parseOrigin(value) !== undefined;
  if (!isOrigin)
    return 'The Origin is none that can be allowed: use a page from loopback, or one that --allowed-origin names.';
  return `The Origin ${value} is not allowed: use a page from loopback, or --allowed-origin ${value}.`;
}

const tokenRefusal =
  "A token is needed: send the header 'Authorization: Bearer <token>' with the one of this proxy's --token.";
