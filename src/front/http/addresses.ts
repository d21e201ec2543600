/**
 * Hosts and origins as clients write them, compared as names and not as text: upper case, brackets and default ports
 * make no difference. What does not read as exactly one host and one port is none: no userinfo, no trailing dot, no
 * abbreviated or decimal IPv4 address. Which of them are admitted is guard.ts's.
 */

export interface HostAndPort {
  /** In lower case; IPv6 without brackets, in its shortest form. */
  readonly host: string;
  readonly port: string | undefined;
}

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_](?:[a-z0-9._-]*[a-z0-9_-])?))(?::(\d{1,5}))?$/i;

export function parseHost(text: string): HostAndPort | undefined {
  const match = AUTHORITY.exec(text);
  if (match === null) return undefined;
  const [, ipv6, name = '', port] = match;
  const host = ipv6 === undefined ? name.toLowerCase() : shortestIpv6(ipv6);
  return host === undefined ? undefined : { host, port };
}

/** A host without a port, as options name it: IPv6 with brackets or without. */
export function hostNamed(name: string): string {
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return (bare.includes(':') ? shortestIpv6(bare) : undefined) ?? bare.toLowerCase();
}

/** 127.0.0.0/8 in four decimal numbers, ::1 and the name. An IPv4 address inside an IPv6 one is none. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '127.0.0.1' || host === '::1') return true;
  const [first, ...rest] = host.split('.');
  return first === '127' && rest.length === 3 && rest.every((part) => DECIMAL_BYTE.test(part) && Number(part) <= 255);
}

const DECIMAL_BYTE = /^(?:0|[1-9]\d{0,2})$/;

/** Stands for every address of the machine, so nobody can mean it. */
export function isUnspecified(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}

export interface Origin {
  readonly scheme: string;
  readonly host: string;
  /** Undefined for the scheme's own port. */
  readonly port: string | undefined;
}

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/([^\s/?#@,]+)$/i;
const DEFAULT_PORTS = new Map([
  ['http', '80'],
  ['https', '443'],
]);

/** `null` and lists are none. */
export function parseOrigin(text: string): Origin | undefined {
  const [, scheme = '', authority = ''] = ORIGIN.exec(text) ?? [];
  const at = parseHost(authority);
  if (at === undefined) return undefined;
  const lower = scheme.toLowerCase();
  return { scheme: lower, host: at.host, port: at.port === DEFAULT_PORTS.get(lower) ? undefined : at.port };
}

export function isSameOrigin(a: Origin, b: Origin): boolean {
  return a.scheme === b.scheme && a.host === b.host && a.port === b.port;
}

/** Undefined if it is no address. */
function shortestIpv6(address: string): string | undefined {
  const url = `http://[${address}]/`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
}
