// Messages over Streamable HTTP, in either era, as a strict client: each message is a POST, the answer comes as JSON or
// as a stream, and what a legacy server says besides comes by the stream of its session. What answers what is
// connection.ts's to know; HTTP+SSE is sse-link.ts's.
import { isRecord } from '../lists/lists.js';
import type { Endpoint } from './endpoint.js';
import { eventsOf } from './event-stream.js';
import { modernHeaders } from './http-headers.js';
import type { Link, LinkEvents, Outgoing } from './link.js';
import { excerpt, readMessage, type Message } from './message.js';
import type { Era } from './ways.js';

const BOTH = 'application/json, text/event-stream';
const LEGACY_VERSION = '2025-11-25';

/** `sessionClosed`: resolves when the proxy has told that the server of a session is gone. */
export function httpLink(
  era: Era,
  endpoint: Promise<Endpoint | undefined>,
  events: LinkEvents,
  sessionClosed: () => Promise<unknown>,
): Link {
  const over = new AbortController();
  const schemas = new Map<string, unknown>();
  let session: Readonly<Record<string, string>> = {};

  async function send(message: Outgoing): Promise<void> {
    const at = await endpoint;
    if (at === undefined) return;
    const { method = '' } = message;
    const headers = {
      ...at.headers,
      accept: BOTH,
      'content-type': 'application/json',
      ...(era === 'modern' ? modernHeaders(method, message.params, schemaOf(message)) : session),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(at.url, { method: 'POST', headers, body, signal: over.signal });
    const id = response.headers.get('mcp-session-id');
    if (method === 'initialize' && id !== null)
      session = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY_VERSION };
    await read(message, response);
    if (method === 'notifications/initialized') void listen(at).catch(() => {});
  }

  /** Nothing may be missing, and nothing else may come. */
  async function read(message: Outgoing, response: Response): Promise<void> {
    const { id, method } = message;
    const isRequest = id !== undefined && method !== undefined;
    const what = method ?? 'an answer to the server';
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    if (!isRequest && response.status === 202) {
      if ((await response.text()) !== '') events.fault(`the response to ${what} has a body`);
    } else if (type === 'application/json') {
      take(message, readMessage(Buffer.from(await response.arrayBuffer())));
    } else if (type === 'text/event-stream' && isRequest && response.body !== null) {
      let isAnswered = false;
      for await (const { data } of eventsOf(response.body)) {
        const heard = readMessage(data);
        isAnswered ||= (heard.kind === 'result' || heard.kind === 'error') && heard.id === id;
        take(message, heard);
      }
      if (!isAnswered) unanswered(message, `the stream of ${what} ended without an answer`);
    } else {
      unanswered(message, `${what}: HTTP ${response.status}, ${excerpt(await response.text()) || 'without a body'}`);
    }
  }

  /** An error of HTTP's own has no id, and belongs to what was sent. */
  function take({ id, method }: Outgoing, message: Message): void {
    if (method === 'tools/list' && message.kind === 'result') learn(message.result);
    const isOfRequest = message.kind === 'error' && message.id === null && id !== undefined;
    events.message(isOfRequest ? { ...message, id } : message);
  }

  function unanswered({ id, method }: Outgoing, text: string): void {
    events.fault(text);
    if (id !== undefined && method !== undefined)
      events.message({ kind: 'error', id, error: { code: 0, message: text } });
  }

  function learn(result: unknown): void {
    const tools = isRecord(result) && Array.isArray(result['tools']) ? result['tools'].filter(isRecord) : [];
    for (const { name, inputSchema } of tools) schemas.set(String(name), inputSchema);
  }

  function schemaOf({ params }: Outgoing): unknown {
    return isRecord(params) ? schemas.get(String(params['name'])) : undefined;
  }

  /** The stream of the session. */
  async function listen({ url, headers }: Endpoint): Promise<void> {
    if (era !== 'legacy' || Object.keys(session).length === 0) return;
    const all = { ...headers, ...session, accept: 'text/event-stream' };
    const response = await fetch(url, { headers: all, signal: over.signal });
    if (response.status !== 200 || response.body === null)
      return events.fault(`the stream of the session: HTTP ${response.status}, ${excerpt(await response.text())}`);
    for await (const { data } of eventsOf(response.body)) events.message(readMessage(data));
  }

  return {
    // Where the proxy has ended meanwhile, that is told by its exit.
    send: (message) => send(message).catch(() => {}),
    async leave() {
      const at = await endpoint;
      over.abort();
      if (at === undefined || Object.keys(session).length === 0) return undefined;
      const begin = performance.now();
      const closed = sessionClosed();
      const response = await fetch(at.url, { method: 'DELETE', headers: { ...at.headers, ...session } }).catch(
        () => {},
      );
      if (response === undefined) return undefined;
      if (response.status !== 200) events.fault(`DELETE of the session: HTTP ${response.status}`);
      await closed;
      return performance.now() - begin;
    },
  };
}
