/**
 * Which endpoint a request is for, by its target. Only a path counts: a target that names a host (`GET http://…`)
 * would make our check of `Host` worthless, so it leads nowhere. What each endpoint accepts is judged elsewhere.
 */
import type { RequestFacts } from './guard.js';

const ROUTES: ReadonlyMap<string, RequestFacts['route']> = new Map([
  ['/mcp', 'mcp'],
  ['/sse', 'sse'],
  ['/message', 'message'],
  ['/health', 'health'],
]);

/** Where clients look for how to be let in. */
const WELL_KNOWN = '/.well-known/';

export function routeOf(target: string): RequestFacts['route'] {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  return ROUTES.get(path) ?? (path.startsWith(WELL_KNOWN) ? 'well-known' : 'unknown');
}

/** The session that a message of HTTP+SSE is for. */
export function sessionIdOf(target: string): string | undefined {
  const query = target.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(target.slice(query)).get('sessionId') ?? undefined);
}
