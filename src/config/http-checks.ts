/**
 * Checks the options of HTTP against each other and against what is served: a combination that is not safe or has no
 * meaning is an error, an option that has no effect a warning. Each value by itself is checked by its row in the table.
 * Pure.
 */
import type { Options } from './option-values.js';

/** The port of a listener that was not given one; if it is taken, the next free one. */
export const USUAL_PORT = 6280;

interface HttpProblem {
  /** The option to which the problem belongs. */
  readonly key: 'host' | 'share';
  readonly text: string;
}

export function httpProblem({ host, token, share, reload }: Options): HttpProblem | undefined {
  if (host !== undefined && token === undefined && !isLoopback(host)) {
    const text = `${JSON.stringify(host)} can be reached from other machines, so clients must need a token: add --token auto, or --token with 16 characters or more`;
    return { key: 'host', text };
  }
  if (share === true && reload === false) {
    return {
      key: 'share',
      text: 'nothing is shared with --no-reload (MCP_HOT_RELOAD=false): leave one of the two out',
    };
  }
  return undefined;
}

const needHttp = {
  host: '--host',
  token: '--token',
  allowedHost: '--allowed-host',
  allowedOrigin: '--allowed-origin',
  maxSessions: '--max-sessions',
  sessionTimeout: '--session-timeout',
  share: '--share',
} as const satisfies { readonly [K in keyof Options]?: string };

/**
 * `typed`: the options of the command line. Those of the environment and of a configuration file may be meant for
 * another start, which does serve HTTP.
 */
export function httpWarning(typed: Options): string | undefined {
  const names = Object.entries(needHttp).flatMap(([key, name]) =>
    typed[key as keyof typeof needHttp] === undefined || typed[key as keyof typeof needHttp] === false ? [] : [name],
  );
  if (names.length === 0) return undefined;
  const last = names.at(-1) ?? '';
  const all = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
  return `${all} ${names.length === 1 ? 'has' : 'have'} no effect without --http: nothing is served over HTTP`;
}

/** Whether only programs of this machine can reach a listener on this address. A name counts only if it is certain. */
export function isLoopback(host: string): boolean {
  const isAddress = /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(host);
  return isAddress || host === '::1' || host.toLowerCase() === 'localhost';
}
