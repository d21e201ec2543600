/**
 * What `--upstream` means for the rest of the configuration: the free port of each start, the strategy of a server
 * whose port is fixed, and which other options it leaves without a meaning. Its form is checked by its row in the
 * table; which port is free, and everything that is sent to the URL, is for others. Pure.
 */
import { basename } from 'node:path';
import { isLoopback, USUAL_PORT } from './http-checks.js';
import type { Options } from './option-values.js';
import { over } from './server.js';

/** Stands for the free port of a start. */
const PORT = '{port}';

/** The server as it is started, and where it then speaks HTTP. */
export interface ServerAtPort {
  readonly url: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Whether every start of the server needs a free port. */
export function takesFreePort({ upstream }: { readonly upstream?: string | undefined }): boolean {
  return upstream !== undefined && upstream.includes(PORT);
}

/** The arguments that the port is written into. */
export function portWords(args: readonly string[]): readonly string[] {
  return args.filter((word) => word.includes(PORT));
}

/** `port`: the one that was found for this start; undefined if the URL names its port. */
export function atPort(
  { upstream, command, args, cwd, env }: Omit<ServerAtPort, 'url'> & { readonly upstream: string },
  port: number | undefined,
  platform: NodeJS.Platform = process.platform,
): ServerAtPort {
  if (port === undefined) return { url: upstream, command, args, cwd, env };
  const filled = (text: string): string => text.replaceAll(PORT, String(port));
  return {
    url: filled(upstream),
    command,
    args: args.map(filled),
    cwd,
    env: over(env, { PORT: String(port) }, platform),
  };
}

interface Asked {
  /** Every option that was given, wherever. */
  readonly options: Options;
  /** Where clients are to be served over HTTP. */
  readonly http: Options['http'] | undefined;
  /** Empty if nobody named one. */
  readonly command: string;
  readonly args: readonly string[];
  /** The configuration file has rules. */
  readonly hasRules: boolean;
}

export interface UpstreamProblem {
  /** The option to which the problem belongs. */
  readonly key: keyof Options;
  readonly text: string;
}

/** What can't be done with options that are good each by itself. */
export function upstreamProblem({ options, http, command, args, hasRules }: Asked): UpstreamProblem | undefined {
  const { upstream } = options;
  if (upstream === undefined) return undefined;
  const shown = JSON.stringify(upstream);
  const of = (text: string): UpstreamProblem => ({ key: 'upstream', text });
  if (!URL.canParse(upstream.replace(PORT, '1'))) return of(`${shown} is no URL: its port is 65535 at most`);
  if (pointsToProxy(upstream, http, options.host))
    return of(
      `${shown} is where mcp-hotline itself is to listen; the server needs a port of its own, as in ${freed(upstream)}`,
    );
  if (command === '') return problemWithoutCommand(options, hasRules);
  if (takesFreePort({ upstream })) return undefined;
  if (portWords(args).length > 0)
    return of(
      `${shown} names a port, but the arguments have {port}: write ${freed(upstream)} for a free port at each start`,
    );
  if (options.strategy !== 'overlap') return undefined;
  const text = `overlap starts the new server beside the old one, which can't be on one port: write ${freed(upstream)} for a free port at each start, or leave --strategy out`;
  return { key: 'strategy', text };
}

const needCommand = {
  watch: 'watch',
  alsoWatch: 'watch',
  build: 'build',
  strategy: 'restart',
} as const satisfies { readonly [K in keyof Options]?: string };

function problemWithoutCommand(options: Options, hasRules: boolean): UpstreamProblem | undefined {
  const { upstream = '' } = options;
  const noCommand = 'without a command, --upstream is a server that somebody else starts';
  if (takesFreePort(options)) {
    const text = `${JSON.stringify(upstream)} has a free port, but nobody would tell the server which: ${noCommand}. Name its port, or the command that starts it: --upstream ${upstream} -- <command> [args…]`;
    return { key: 'upstream', text };
  }
  for (const [name, verb] of Object.entries(needCommand)) {
    const key = name as keyof typeof needCommand;
    // `--no-build` and an empty list ask for nothing.
    if (options[key] === undefined || options[key] === false || [options[key]].flat().length === 0) continue;
    return { key, text: `there is nothing to ${verb}: ${noCommand}. Name the command after --, or leave this out` };
  }
  if (!hasRules) return undefined;
  return { key: 'upstream', text: `the rules of the configuration file can't apply: ${noCommand}` };
}

/** The strategy of a server whose port is fixed: while the old one listens, a new one can't. */
export function strategyOf({ upstream }: Pick<Options, 'upstream'>, command: string): 'replace' | undefined {
  return upstream === undefined || command === '' || takesFreePort({ upstream }) ? undefined : 'replace';
}

/** Whether it is to be asked all the time if the server is there, which costs other machines too much. */
export function isWatched({
  upstream,
  command,
}: {
  readonly upstream?: string | undefined;
  readonly command: string;
}): boolean {
  return command === '' && upstream !== undefined && isLoopback(bare(new URL(upstream).hostname));
}

/** What a free port would bring; undefined if the user has decided. */
export function fixedPortNote(options: Options, command: string): string | undefined {
  const { upstream, strategy, reload } = options;
  if (upstream === undefined || takesFreePort(options) || command === '') return undefined;
  if (strategy !== undefined || reload === false) return undefined;
  return `the server's port is fixed, so at an edit the old server is stopped before the new one starts, and an edit that breaks the server leaves none to serve. With --upstream ${freed(upstream)} every start gets a free port, as {port} in the arguments and as PORT in the environment, and the old server serves until the new one is ready. --strategy replace says that this is meant`;
}

/** The same URL with a free port. */
function freed(upstream: string): string {
  return upstream.replace(/^(https?:\/\/(?:\[[^\]]*\]|[^/:?]*))(:\d+)?/, `$1:${PORT}`);
}

function pointsToProxy(upstream: string, http: Asked['http'], host: string | undefined): boolean {
  const own = http === true ? USUAL_PORT : http;
  if (typeof own !== 'number' || own === 0 || takesFreePort({ upstream })) return false;
  const { hostname, port, protocol } = new URL(upstream);
  if (Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port) !== own) return false;
  const name = bare(hostname);
  return isLoopback(name) ? host === undefined || isLoopback(host) || isAny(host) : name === host || isAny(name);
}

/** Brackets around an address of version 6 are for URLs alone. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** What to call the server: its command as a person would name it, or where it is. */
export function serverName({
  command,
  upstream = '',
}: {
  readonly command: string;
  readonly upstream: string | undefined;
}): string {
  return command === '' ? shownUrl(upstream) : basename(command);
}

/** Without what may be a secret. */
export function shownUrl(upstream = ''): string {
  return upstream.replace(/\?.*$/, '');
}
