// How a client of the soak reaches its proxy: by lines on the pipes of the process, or by HTTP, where each message is a
// request of its own and what comes back goes by many responses. Both start the proxy, and end it. What is said, and
// what is right, is not known here.

import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { proxyCommand } from '../support/harness.js';
import { startLineProcess, type LineProcess } from '../support/line-process.js';
import { eventOf } from '../support/proxy-log.js';
import { bodyOf, eventsOf, isEventStream, newAgent, send, type Headers, type Posted } from '../support/raw-http.js';
import type { Era } from './calls.js';

export interface Sent {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export interface Wire {
  readonly pid: number;
  /** Resolves when more can be sent; undefined: at once. */
  send(message: Sent): Promise<unknown> | undefined;
  /** The client does not want the answer any more. */
  takeBack(id: string | number): void;
  /** Resolves with the exit code, 0 for that of a proxy that ended as it should. */
  close(): Promise<number | null>;
}

export interface WireOptions {
  readonly options: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** A message, as it came. */
  readonly onMessage: (raw: Buffer) => void;
  readonly onLogLine: (line: string) => void;
  /** A response that is neither a message nor the word that one was taken. */
  readonly onRefusal: (story: string) => void;
}

const command = [process.execPath, 'server.mjs'];

export function startPipes({ options, cwd, env, onMessage, onLogLine }: WireOptions): Wire {
  const proxy = startLineProcess(proxyCommand(options, command), {
    cwd,
    env,
    onLogLine: (line) => onLogLine(line.toString()),
    onLine: onMessage,
  });
  const { child, exited } = proxy;
  const write = (message: object): boolean => proxy.write({ jsonrpc: '2.0', ...message });
  return {
    pid: child.pid ?? -1,
    send: (message) => (write(message) ? undefined : once(child.stdin, 'drain')),
    takeBack: (requestId) =>
      void write({ method: 'notifications/cancelled', params: { requestId, reason: 'the soak' } }),
    async close() {
      child.stdin.end();
      return (await exited).code;
    },
  };
}

const ENDED_BY_SIGTERM = 143;
const LEGACY_VERSION = '2025-11-25';

/** Over Streamable HTTP of this era. */
export function startHttp(era: Era, given: WireOptions): Wire {
  const { onMessage, onRefusal } = given;
  const { proxy, url } = startServe(given);
  const agent = newAgent();
  const open = new Map<string | number, ClientRequest>();
  let headers: Headers = { accept: 'application/json, text/event-stream' };

  const read = async (posted: Posted, what: string): Promise<void> => {
    try {
      const response = await posted.response;
      const { statusCode = 0 } = response;
      if (isEventStream(response)) for await (const { data } of eventsOf(response)) onMessage(Buffer.from(data));
      else {
        const body = await bodyOf(response);
        if (statusCode === 200) onMessage(body);
        else if (statusCode !== 202) onRefusal(`${what}: ${statusCode} ${body.toString('utf8', 0, 200)}`);
      }
    } catch (error) {
      if (!posted.request.destroyed) onRefusal(`${what}: ${String(error)}`);
    }
  };
  const post = async (message: Sent): Promise<void> => {
    const { id, method } = message;
    const own = era === 'modern' ? modernHeaders(message) : {};
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const posted = send(await url, { headers: { ...headers, ...own }, agent, body });
    if (id !== undefined) {
      open.set(id, posted.request);
      posted.request.once('close', () => open.delete(id));
    }
    if (method === 'initialize') {
      const session = (await posted.response).headers['mcp-session-id'];
      headers = { ...headers, 'mcp-session-id': String(session), 'mcp-protocol-version': LEGACY_VERSION };
    }
    if (method === 'notifications/initialized')
      void read(send(await url, { method: 'GET', headers, agent }), 'the GET stream');
    await read(posted, method);
  };
  return {
    pid: proxy.child.pid ?? -1,
    send: (message) => void post(message),
    takeBack(requestId) {
      if (era === 'modern') open.get(requestId)?.destroy();
      else void post({ method: 'notifications/cancelled', params: { requestId, reason: 'the soak' } });
    },
    async close() {
      // What is still open is a stream that nobody ends but its client.
      for (const request of open.values()) request.destroy();
      if (era === 'legacy') await bodyOf(await send(await url, { method: 'DELETE', headers, agent }).response);
      proxy.child.kill('SIGTERM');
      const { code } = await proxy.exited;
      agent.destroy();
      return code === ENDED_BY_SIGTERM ? 0 : code;
    },
  };
}

function startServe({ options, cwd, env, onLogLine }: WireOptions): { proxy: LineProcess; url: Promise<string> } {
  let listening: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => (listening = resolve));
  const proxy = startLineProcess(proxyCommand(['serve', '--port', '0', ...options], command), {
    cwd,
    env,
    onLogLine(line) {
      const said = eventOf(line.toString());
      if (said?.event === 'listening') listening(String(said['url']));
      onLogLine(line.toString());
    },
  });
  return { proxy, url };
}

function modernHeaders({ method, params }: Sent): Headers {
  const named = params?.['name'] ?? params?.['uri'];
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof named === 'string' && { 'mcp-name': named }),
  };
}
