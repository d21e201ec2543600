/** A request to the guard, for its tests: a POST to /mcp of a proxy on loopback, but for what a test changes. */
import { admit, type Admission, type GuardOptions, type RequestFacts } from '#src/front/http/guard.js';
import { isSameToken } from '#src/front/http/same-token.js';

const routes = ['mcp', 'sse', 'message', 'health', 'well-known', 'unknown'] as const;
const methods = ['GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'] as const;
const open: GuardOptions = { host: '127.0.0.1', token: undefined, allowedHosts: [], allowedOrigins: [] };

export const everywhere = routes.flatMap((route) => methods.map((method) => ({ route, method })));

export function ask(
  headers: RequestFacts['headers'],
  options: Partial<GuardOptions> = {},
  facts: Partial<RequestFacts> = {},
): Admission {
  return admit({ method: 'POST', route: 'mcp', headers, ...facts }, { ...open, ...options }, isSameToken);
}

export function statusOf(admission: Admission): number | string {
  return admission.kind === 'refused' ? admission.status : admission.kind;
}
