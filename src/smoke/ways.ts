// The ways in which a server is met: in which era, over which transport, and what its checks are listed under.
import type { Transport } from '../channel/transport.js';

export type Era = 'legacy' | 'modern';

export interface Way {
  /** What its checks are listed under. */
  readonly name: string;
  readonly era: Era;
  readonly by: Transport;
}

/** One after the other. */
export type Ways = readonly [Way, ...Way[]];

export const WAYS_BY_STDIO: Ways = [
  { name: 'legacy', era: 'legacy', by: 'stdio' },
  { name: 'modern', era: 'modern', by: 'stdio' },
];
export const WAYS_BY_HTTP: Ways = [
  { name: 'legacy, HTTP', era: 'legacy', by: 'http' },
  { name: 'modern, HTTP', era: 'modern', by: 'http' },
  { name: 'legacy, HTTP+SSE', era: 'legacy', by: 'sse' },
];
