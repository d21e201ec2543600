// A project with a modern server behind the proxy, at line level: requests that carry the modern `_meta`, streams, and
// what each generation was told. When a test ends, every line that a generation received is checked: nothing of the
// other era, no cancellation of what it never saw. The server is modern-server.mjs; starting and saving is left to
// reload-project.ts.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { JournalEntry } from '../../support/journal.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import type { Message, Received } from '../../support/message.js';
import { root } from '../../support/paths.js';

const server = pathToFileURL(join(root, 'test/e2e/modern/modern-server.mjs')).href;

export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** What every modern request carries. */
export const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test-client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const toolsChanged = { toolsListChanged: true };

/** The source of the server: exports `tools`, `capabilities`, `lists`, `methods`, `closing`, or some of them. */
export function script(body: string): string {
  return `import { appears, generation, never, send, tell } from ${JSON.stringify(server)};\n${body}\n`;
}

/** A server with one tool besides those given, which says its generation. */
export function withTools(more = ''): string {
  return script(`export const tools = { which: () => generation, ${more} };`);
}

type Id = string | number;

export interface Modern extends ReloadProject {
  /** Sends a request with the modern `_meta`, and resolves with its response. */
  ask(method: string, params?: object, options?: { id?: Id; meta?: object }): Promise<Message>;
  /** The text that the tool `which`, or another, answers with. */
  which(name?: string, given?: object): Promise<string>;
  /** Starts a tool call and resolves when a generation has it. */
  start(name: string, given?: object, more?: object): Promise<{ readonly id: Id; readonly answer: Promise<Message> }>;
  /** Sends `subscriptions/listen` without waiting. */
  listen(id: Id, notifications: object): Promise<void>;
  /** The same, and resolves with the acknowledgement. */
  open(id: Id, notifications: object): Promise<Received>;
  /** Everything that the client got for this stream, in order: methods, and `end` for a response. */
  stream(id: Id): string[];
  /** Resolves when the stream has got this many messages of the method. */
  streamed(id: Id, method: string, count?: number): Promise<Received>;
  /** The lines of one generation as it read them, without those of the proxy's own. */
  forwarded(generation: number): string[];
  /** Saves and resolves when the new generation serves. */
  reload(source: string): Promise<void>;
}

interface ModernOptions {
  options?: readonly string[];
  /** The era that every generation must find itself in; `either`: the test looks for itself. */
  era?: 'modern' | 'legacy' | 'either';
  env?: NodeJS.ProcessEnv;
  /** On top of the server's own. */
  files?: Record<string, string>;
}

export async function modern(t: TestContext, source: string, given: ModernOptions = {}): Promise<Modern> {
  const proxy = await live(
    t,
    { 'server.mjs': entry, 'src/script.mjs': source, ...given.files },
    {
      ...given,
      initialize: false,
      atEnd: (ended) => assert.deepEqual(wrongEra(ended.journal(), given.era ?? 'modern'), [], ended.transcript()),
    },
  );
  let asked = 0;
  let generations = 1;

  const ask: Modern['ask'] = (method, params = {}, { id = `ask-${++asked}`, meta: more } = {}) =>
    proxy.request(method, { ...params, _meta: { ...meta, ...more } }, { id });
  const listen = (id: Id, notifications: object) =>
    proxy.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { _meta: meta, notifications } });
  const ofStream = (id: Id, { method, params, id: answers }: Message) =>
    method === undefined ? answers === id : params?.['_meta']?.[SUBSCRIPTION] === id || params?.requestId === id;
  const streamed: Modern['streamed'] = (id, method, count = 1) => {
    let seen = 0;
    return proxy.waitFor(
      (message) => ofStream(id, message) && message.method === method && ++seen === count,
      `${method} no. ${count} for the stream ${id}`,
    );
  };
  return {
    ...proxy,
    ask,
    async which(name = 'which', args) {
      const { result, error } = await ask('tools/call', { name, arguments: args ?? {} });
      assert.equal(error, undefined, proxy.transcript());
      return result.content[0].text as string;
    },
    async start(name, args, more) {
      const id = `call-${++asked}`;
      const answer = ask('tools/call', { name, arguments: args ?? {} }, { id, ...(more && { meta: more }) });
      await proxy.received(new RegExp(`"${id}"`));
      return { id, answer };
    },
    listen,
    async open(id, notifications) {
      await listen(id, notifications);
      return streamed(id, 'notifications/subscriptions/acknowledged');
    },
    stream: (id) => proxy.messages.flatMap(({ message }) => (ofStream(id, message) ? [message.method ?? 'end'] : [])),
    streamed,
    forwarded: (generation) =>
      proxy
        .journal()
        .filter((entry) => entry.generation === generation && !entry.line.includes('"mcp-hotline:'))
        .map(({ line }) => line),
    async reload(changed) {
      proxy.save(changed);
      // A server that nobody has spoken to yet has nothing to take over.
      await proxy.waitForLog(new RegExp(`(reloaded .*|starting: )generation ${++generations}\\b`));
    },
  };
}

export const entry = [
  `import { serve } from ${JSON.stringify(server)};`,
  `import * as given from './src/script.mjs';`,
  `await serve(given);\n`,
].join('\n');

/** What a generation should never have been told, if it was. */
function wrongEra(journal: readonly JournalEntry[], era: string): string[] {
  const seen = new Map<number, Set<unknown>>();
  return journal.flatMap(({ generation, line }) => {
    const { id, method, params } = JSON.parse(line) as Message;
    const ids = seen.get(generation) ?? new Set();
    seen.set(generation, ids);
    if (id !== undefined) ids.add(id);
    if (method === 'notifications/cancelled')
      return ids.has(params.requestId) ? [] : [`generation ${generation} never saw what is cancelled: ${line}`];
    if (era === 'either' || method === undefined || method === 'server/discover') return [];
    const isModern = params?.['_meta']?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
    return isModern === (era === 'modern') ? [] : [`generation ${generation} was told of another era: ${line}`];
  });
}
