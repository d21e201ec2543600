// Where a proxy that serves HTTP listens, and what it wants clients to send, as its log tells it.
import { readFile } from 'node:fs/promises';
import { logged } from './proxy-log.js';

export interface Endpoint {
  readonly url: string;
  /** With every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined: the proxy has ended before. `token`: what it was told to ask for. */
export async function endpointIn(
  log: string,
  token: string | undefined,
  ended: AbortSignal,
): Promise<Endpoint | undefined> {
  const event = await logged(log, ({ event: name }) => name === 'listening', ended);
  if (event === undefined) return undefined;
  const { url, tokenFile } = event;
  const kept = typeof tokenFile === 'string' ? (await readFile(tokenFile, 'utf8')).trim() : token;
  return { url: String(url), headers: kept === undefined ? {} : { authorization: `Bearer ${kept}` } };
}
