// The servers that speak HTTP themselves, as projects that a test edits by one file, and how clients reach each of them
// through the proxy: by stdio, or by `serve`. What clients do there is left to the tests.

import type { TestContext } from 'node:test';
import type { ClientOptions } from '@modelcontextprotocol/client';
import { fixture, project, proxyCommand } from '../../support/harness.js';
import type { Project } from '../../support/project.js';
import { served } from '../http/served.js';
import { connect } from '../modern/sdk.js';
import type { ClientName, Sdk } from '../modern/sdk.js';

interface Kind {
  /** The words that start it. */
  readonly command: readonly string[];
  readonly path: '/mcp' | '/sse';
  /** What it has besides what the project names. */
  readonly tools: readonly string[];
  readonly speaksModern?: true;
  /** It has sessions, and can lose them. */
  readonly hasSessions?: true;
  /** It can ask its clients something, over the stream of a call and over the one that belongs to no call. */
  readonly asks?: true;
  /** It can be cancelled. */
  readonly listens?: true;
}

const common = ['generation', 'add', 'big', 'header', 'effect', 'steps', 'forever', 'ask', 'log', 'forget', 'die'];

export const kinds = {
  v1: {
    command: fixture('http-v1'),
    path: '/mcp',
    tools: common,
    hasSessions: true,
    asks: true,
    listens: true,
  },
  'v1 stateless': {
    command: ['env', 'STATELESS=1', ...fixture('http-v1')],
    path: '/mcp',
    tools: common,
  },
  'v1 SSE': {
    command: fixture('http-v1-sse'),
    path: '/sse',
    tools: common,
    hasSessions: true,
    asks: true,
    listens: true,
  },
  v2: { command: fixture('http-v2'), path: '/mcp', tools: common, speaksModern: true },
  python: {
    command: fixture('http-python.py'),
    path: '/mcp',
    tools: ['generation', 'big', 'steps', 'forget', 'die'],
    hasSessions: true,
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

export interface Pair {
  readonly server: KindName;
  readonly client: ClientName;
  readonly front: 'stdio' | 'serve';
  /** The client speaks HTTP+SSE (2024-11-05). */
  readonly sse?: true;
}

export const pairs: readonly Pair[] = Object.entries(kinds).flatMap(([name, kind]): Pair[] => {
  const server = name as KindName;
  const modern: Pair[] = [
    { server, client: 'v2 pinned', front: 'stdio' },
    { server, client: 'v2 pinned', front: 'serve' },
  ];
  return [
    { server, client: 'v1', front: 'stdio' },
    { server, client: 'v2 auto', front: 'stdio' },
    { server, client: 'v1', front: 'serve' },
    { server, client: 'v1', front: 'serve', sse: true },
    { server, client: 'v2 auto', front: 'serve' },
    ...('speaksModern' in kind ? modern : []),
  ];
});

export function describePair({ server, client, front, sse }: Pair): string {
  return `the ${server} server, the ${client} client${sse === true ? ' over SSE' : ''}, ${front}`;
}

export function eraOf({ server, client }: Pair): 'modern' | 'legacy' {
  return 'speaksModern' in kinds[server] && client !== 'v1' ? 'modern' : 'legacy';
}

/** The source of `src/behaviour.json`. What all tools of these names say. */
export function behaviour(answer: string, ...more: string[]): string {
  const tools = ['answer', ...more];
  // A call that may have run is sent again only if that is safe.
  return JSON.stringify({ answer, tools, annotations: { answer: { readOnlyHint: true } } });
}

export interface Live extends Sdk {
  readonly files: Project;
  /** The names of all tools, with those of the project. */
  names(...more: string[]): string[];
}

export interface LiveOptions {
  /** Of mcp-hotline. */
  readonly options?: readonly string[];
  readonly client?: ClientOptions;
  /** What stands before the command of the server. */
  readonly before?: readonly string[];
}

/** The client, connected through the proxy to such a server on a free port. */
export async function live(t: TestContext, pair: Pair, more: LiveOptions = {}): Promise<Live> {
  const kind: Kind = kinds[pair.server];
  const files = { 'src/behaviour.json': behaviour('one') };
  const command = [...(more.before ?? []), ...kind.command];
  const options = ['--upstream', `http://127.0.0.1:{port}${kind.path}`, ...(more.options ?? [])];
  const names = (...others: string[]): string[] => ['answer', ...others, ...kind.tools];
  const client = more.client === undefined ? {} : { options: more.client };
  if (pair.front === 'serve') {
    const proxy = await served(t, files, { command, options });
    const url = pair.sse === true ? proxy.sse : proxy.url;
    return {
      ...(await connect(t, pair.client, { url, sse: pair.sse ?? false, ...client })),
      files: proxy.files,
      names,
    };
  }
  const here = project(t, files);
  const words = proxyCommand(['--watch', 'src', ...options], command);
  return {
    ...(await connect(t, pair.client, { command: words, cwd: here.directory, ...client })),
    files: here,
    names,
  };
}
