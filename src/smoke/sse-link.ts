// Messages over HTTP+SSE, the transport of 2024-11-05, as a strict client: one stream that everything comes by, and an
// address, told on it, that messages are posted to.
import type { Endpoint } from './endpoint.js';
import { eventsOf } from './event-stream.js';
import type { Link, LinkEvents, Outgoing } from './link.js';
import { excerpt, readMessage } from './message.js';

export function sseLink(endpoint: Promise<Endpoint | undefined>, events: LinkEvents): Link {
  const over = new AbortController();
  let open: Promise<string | undefined> | undefined;

  /** Resolves with the address for messages. */
  async function connect({ url, headers }: Endpoint): Promise<string | undefined> {
    const sse = url.replace(/\/mcp$/, '/sse');
    const accept = { ...headers, accept: 'text/event-stream' };
    const response = await fetch(sse, { headers: accept, signal: over.signal });
    if (response.status !== 200 || response.body === null) {
      events.fault(`GET /sse: HTTP ${response.status}, ${excerpt(await response.text())}`);
      return undefined;
    }
    const stream = eventsOf(response.body);
    const first = await stream.next();
    const { name, data } = first.done === true ? { name: 'nothing', data: '' } : first.value;
    if (name !== 'endpoint') {
      events.fault(`the first event on /sse is ${excerpt(name)}, not endpoint`);
      return undefined;
    }
    void (async () => {
      for await (const event of stream) events.message(readMessage(event.data));
    })().catch(() => {});
    return new URL(String(data), sse).href;
  }

  async function send(message: Outgoing): Promise<void> {
    const at = await endpoint;
    if (at === undefined) return;
    const url = await (open ??= connect(at));
    const what = message.method ?? 'an answer to the server';
    if (url === undefined) return refused(message, `${what}: there is no stream`);
    const headers = { ...at.headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(url, { method: 'POST', headers, body, signal: over.signal });
    const text = await response.text();
    if (response.status !== 202) refused(message, `${what}: HTTP ${response.status}, ${excerpt(text)}`);
  }

  function refused({ id, method }: Outgoing, text: string): void {
    events.fault(text);
    if (id !== undefined && method !== undefined)
      events.message({ kind: 'error', id, error: { code: 0, message: text } });
  }

  return {
    // Where the proxy has ended meanwhile, that is told by its exit.
    send: (message) => send(message).catch(() => {}),
    async leave() {
      over.abort();
      return undefined;
    },
  };
}
