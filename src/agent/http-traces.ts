/**
 * Finds in what a server has printed that it listens on a port, and says with which --upstream mcp-hotline would reach
 * it there: for a server that says nothing on stdout because it speaks HTTP. When that is asked is for others. Pure.
 */

/** Where a server says that it listens. */
export interface HttpTrace {
  /** As it was printed. */
  readonly printed: string;
  /** What --upstream should be. */
  readonly upstream: string;
  /** The port, if it is in the arguments too: there it can be free at each start. */
  readonly port: string | undefined;
}

interface Address {
  readonly printed: string;
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

/** Addresses of this machine, and of its local networks. */
const HOST = String.raw`localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|\*|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}`;
const FROM_HERE = /^(?:localhost|127\..*|0\.0\.0\.0|\[::1?\]|\*)$/;
const ANY = /^(?:0\.0\.0\.0|\[::\]|\*)$/;
const URLS = new RegExp(String.raw`(https?)://(${HOST})(?::(\d{1,5}))?(/[^\s"'<>)\]\\]*)?(?!\w|[.:-]\w)`, 'gi');
/** `listening on 127.0.0.1:3000`, `listening on :3000`, `on port 3000`, `port(s): 8080`. */
const LISTENS = /\b(?:listen|serv|start|run|ready|bound|bind|port|up\b|available|host)/i;
const PORTS = new RegExp(
  String.raw`(?:(?<![\w./:@-])(${HOST})?:|\b(?:on|at|to) |\bport(?:\(s\))?(?: is|:| =|=)? ?#?)(\d{2,5})(?![\w:%-]|\.\w|\s*(?:ms|s|%|rows|tools|files)\b)`,
  'gi',
);
const MAX_PORT = 65_535;
/** Lines about other ports than the server's own. */
const OTHERS =
  /\bws:|debugger|inspector|devtools|connect(?:ed|ing)|upstream|proxy|\b(?:postgres|mysql|redis|mongo|amqp|kafka)/i;
const MCP_PATH = /(?:^|[\s"'`(=:])(\/(?:[\w-]+\/)*(?:mcp|sse))(?=\/?(?:[\s"'`).,;?]|$))/m;

/** `args`: the arguments of the server's command. */
export function httpTraceIn(printed: string, args: readonly string[]): HttpTrace | undefined {
  const lines = printed.split('\n').filter((line) => !OTHERS.test(line));
  const addresses = lines.flatMap(urlsIn);
  const found = [...addresses].sort((a, b) => rank(b) - rank(a))[0] ?? lines.flatMap(portsIn)[0];
  if (found === undefined) return undefined;
  const { scheme, host, port } = found;
  const own = isEndpoint(found.path) ? found.path : MCP_PATH.exec(lines.join('\n'))?.[1];
  const path = own ?? (found.path.length > 1 && !isPage(found.path) ? found.path : '/mcp');
  const isInArguments = port !== '' && args.some((word) => holdsPort(word, port));
  const at = port === '' ? '' : `:${isInArguments ? '{port}' : port}`;
  return {
    printed: found.printed,
    upstream: `${scheme}://${ANY.test(host) ? '127.0.0.1' : host}${at}${path}`,
    port: isInArguments ? port : undefined,
  };
}

function urlsIn(line: string): Address[] {
  return [...line.matchAll(URLS)].flatMap(([all, scheme = '', host = '', port = '', path = '']) => {
    if (Number(port) > MAX_PORT) return [];
    const trimmed = path.replace(/[.,;:]+$/, '').replace(/[?#].*$/, '');
    return [{ printed: all.replace(/[.,;:]+$/, ''), scheme: scheme.toLowerCase(), host, port, path: trimmed }];
  });
}

function portsIn(line: string): Address[] {
  if (!LISTENS.test(line)) return [];
  return [...line.matchAll(PORTS)].flatMap(([all, host = 'localhost', port = '']) =>
    Number(port) <= MAX_PORT ? [{ printed: all.trim(), scheme: 'http', host, port, path: '' }] : [],
  );
}

/**
 * What is surely an endpoint of MCP comes first, then what can be reached from here, then what has no page behind it.
 */
function rank({ host, path }: Address): number {
  return (isEndpoint(path) ? 4 : 0) + (FROM_HERE.test(host) ? 2 : 0) + (path.length <= 1 ? 1 : 0);
}

function isEndpoint(path: string): boolean {
  return /\/(?:mcp|sse)\/?$/.test(path);
}

/** Documentation, health checks and the like. */
function isPage(path: string): boolean {
  return /docs|health|metrics|redoc|openapi|swagger|graphql|favicon|static|\.\w+$/i.test(path);
}

function holdsPort(word: string, port: string): boolean {
  return new RegExp(String.raw`(?:^|[=:])${port}$`).test(word);
}

/** What to do about it, as a sentence that begins in the middle: "it printed …". */
export function httpTraceText({ printed, upstream, port }: HttpTrace): string {
  const option = `--upstream '${upstream}'`;
  const also =
    port === undefined
      ? `${option} to the options of mcp-hotline; where the server takes its port from PORT or an argument, write {port} there instead of the number, and the old server serves until the new one is ready`
      : `${option} to the options of mcp-hotline, and write {port} instead of ${port} in the server's arguments: every start then gets a free port`;
  return `it printed "${printed}" and nothing of MCP on stdout. If it speaks MCP over HTTP there, add ${also}`;
}
