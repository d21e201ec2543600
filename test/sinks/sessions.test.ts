// What the status file and `mcp-hotline status` say of a proxy that serves several clients: one line each, with its
// transport, and the URL. The events are emitted here; the file is a real one.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { status } from '#src/cli/status.js';
import { createEventBus, withOrigin, type EventBus } from '#src/events/bus.js';
import { logEntry } from '#src/sinks/log-words.js';
import { openStateSinks } from '#src/sinks/open-state-sinks.js';
import { observe } from '#src/sinks/programmatic.js';
import { runningProxies } from '#src/state/status-file.js';
import { project } from '../support/project.js';

const serving = { kind: 'health', health: { state: 'serving' } } as const;
const url = 'http://127.0.0.1:6280/mcp';
const listening = { kind: 'listening', url, port: 6280, host: '127.0.0.1' } as const;

interface Proxy {
  readonly events: EventBus;
  /** Waits until the file says it. */
  shown(holds: (text: string) => boolean): Promise<string[]>;
  sessions(): Promise<(string | undefined)[][]>;
}

function proxyOf(t: TestContext): Proxy {
  const { directory } = project(t);
  const events = createEventBus();
  const sinks = openStateSinks(events, { stateDir: directory, cwd: directory, command: 'node', args: ['server.js'] });
  t.after(() => sinks.close());
  const text = async (): Promise<string> => {
    const outcome = await status({ stateDir: directory });
    return outcome.ok ? outcome.value.text : outcome.error;
  };
  return {
    events,
    async shown(holds) {
      const deadline = performance.now() + 10_000;
      while (!holds(await text()) && performance.now() < deadline)
        await new Promise((resolve) => setImmediate(resolve));
      const last = await text();
      assert.ok(holds(last), last);
      return last
        .replaceAll(/\d{4}-\d\d-\d\d [\d:]+/g, 'TIME')
        .replaceAll(String(process.pid), 'PID')
        .split('\n')
        .slice(1, -2);
    },
    async sessions() {
      return (await runningProxies(directory)).map(({ session, client, transport }) => [session, client, transport]);
    },
  };
}

function ready(events: EventBus, generation: number): void {
  events.emit({ kind: 'ready', generation, pid: process.pid, ms: 1, failing: false });
}

test('sessions with servers of their own are listed each, with client and transport, until they end', async (t) => {
  const { events, shown, sessions } = proxyOf(t);
  events.emit(listening);
  ready(events, 1);
  events.emit({ ...serving, client: 'editor 1.0' });
  const http = withOrigin(events, { session: '2', transport: 'http' });
  http.emit({ kind: 'session-opened', client: 'claude-code 2.1' });
  ready(http, 3);
  http.emit({ ...serving, client: 'claude-code 2.1' });
  const sse = withOrigin(events, { session: '3', transport: 'sse' });
  ready(sse, 4);
  sse.emit({ ...serving, client: 'old 0.1' });
  assert.deepEqual(await shown((text) => text.includes('old 0.1')), [
    '  proxy PID, for editor 1.0, since TIME',
    `    http          ${url}`,
    '    now           serving, generation 1 (pid PID)',
    '  proxy PID, for claude-code 2.1 over HTTP, session 2, since TIME',
    '    now           serving, generation 3 (pid PID)',
    '  proxy PID, for old 0.1 over HTTP+SSE, session 3, since TIME',
    '    now           serving, generation 4 (pid PID)',
  ]);
  http.emit({ kind: 'session-closed' });
  http.emit({ kind: 'health', health: { state: 'closing' }, client: 'claude-code 2.1' });
  sse.emit({ kind: 'closed' });
  await shown((text) => !text.includes('claude') && !text.includes('old'));
  assert.deepEqual(await sessions(), [[undefined, 'editor 1.0', undefined]]);
});

test('sessions that share a server are listed each, and the server once', async (t) => {
  const { events, shown } = proxyOf(t);
  events.emit(listening);
  ready(events, 7);
  events.emit({ ...serving, client: undefined });
  assert.deepEqual(await shown((text) => text.includes('generation 7')), [
    '  proxy PID, since TIME',
    `    http          ${url}`,
    '    now           serving, generation 7 (pid PID)',
  ]);
  for (const session of ['1', '2'])
    withOrigin(events, { session, transport: 'http' }).emit({ kind: 'session-opened', client: `client ${session}` });
  assert.deepEqual(await shown((text) => text.includes('client 2')), [
    '  proxy PID, for client 1 over HTTP, session 1, since TIME',
    `    http          ${url}`,
    '  proxy PID, for client 2 over HTTP, session 2, since TIME',
    '    now           serving, generation 7 (pid PID)',
  ]);
});

test('the event says where, and where the token is, in text and as data', () => {
  const entry = (tokenFile?: string) =>
    logEntry({ ...listening, ...(tokenFile !== undefined && { tokenFile }) }, { isFile: false });
  assert.deepEqual(entry(), {
    level: 'info',
    name: 'listening',
    text: `listening on ${url}`,
    fields: { url, port: 6280, host: '127.0.0.1' },
  });
  const { text, fields } = entry('/state/http-token');
  assert.equal(text, `listening on ${url}; clients need the token that is in /state/http-token`);
  assert.deepEqual(fields, { url, port: 6280, host: '127.0.0.1', tokenFile: '/state/http-token' });
});

test('the status of the programmatic entry is that of the client on its streams', () => {
  const events = createEventBus();
  const observed = observe(events);
  events.emit({ ...serving, client: 'editor 1.0' });
  withOrigin(events, { session: '2', transport: 'http' }).emit({ ...serving, client: 'other 2.0' });
  assert.equal(observed.status().client, 'editor 1.0');
});
