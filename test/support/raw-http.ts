// HTTP as a client of MCP speaks it, with every byte in sight: requests by node:http, and the events of a response as
// they come. What is sent and what is right is the test's; the published clients are sdk-clients.ts's.

import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';

export type Headers = Readonly<Record<string, string>>;

export interface Posted {
  readonly request: ClientRequest;
  /** Rejects if the connection ends before the response begins. */
  readonly response: Promise<IncomingMessage>;
}

/** One connection may serve many requests, one after the other. */
export function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Infinity });
}

/** Sends a request. A string is JSON. */
export function send(
  url: string,
  options: { method?: string; headers?: Headers; body?: string | Buffer; agent?: Agent } = {},
): Posted {
  const { method = 'POST', headers = {}, body, agent } = options;
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(url, { method, headers: { ...json, ...headers }, ...(agent && { agent }) });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    sent.once('close', () => reject(new Error('the connection has ended')));
  });
  // Who takes a request back does not look at its response.
  response.catch(() => {});
  sent.end(body);
  return { request: sent, response };
}

export async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return headers['content-type'] === 'text/event-stream';
}

export interface ServerSentEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a stream as the standard reads them: comments are none, and CR, LF or both end a line. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<ServerSentEvent> {
  response.setEncoding('utf8');
  let text = '';
  let fields: Partial<Record<string, string>> = {};
  let data: string[] = [];
  for await (const chunk of response) {
    text += chunk as string;
    for (let end = lineEnd(text); end !== undefined; end = lineEnd(text)) {
      const line = text.slice(0, end.at);
      text = text.slice(end.next);
      if (line === '') {
        if (data.length > 0 || fields['event'] !== undefined || fields['id'] !== undefined)
          yield { event: fields['event'] ?? 'message', id: fields['id'], data: data.join('\n') };
        fields = {};
        data = [];
        continue;
      }
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === 'data') data.push(value);
      else if (name !== '') fields[name] = value;
    }
  }
}

/** A CR at the end may be one half of a line's end. */
function lineEnd(text: string): { readonly at: number; readonly next: number } | undefined {
  const at = text.search(/[\r\n]/);
  if (at < 0 || (text[at] === '\r' && at === text.length - 1)) return undefined;
  return { at, next: text.startsWith('\r\n', at) ? at + 2 : at + 1 };
}
