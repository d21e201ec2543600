// Real peers over a reload: the published SDK v1 client and server, with the client's own notification handlers, and
// the published everything server, which is made to reload by a signal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { until } from '../../support/until.js';
import { cleanup } from '../../support/cleanup.js';
import { newMarker, processesLeft, project, proxyCommand, testEnvironment } from '../../support/harness.js';

interface Connected {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** The notifications, in order, as the handlers got them. */
  readonly heard: string[];
  readonly log: () => string;
}

async function connect(t: TestContext, options: string[], command: string[], cwd: string): Promise<Connected> {
  const marker = newMarker();
  const [file, ...args] = proxyCommand(options, command);
  const transport = new StdioClientTransport({
    command: file!,
    args,
    cwd,
    env: testEnvironment(marker),
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///here' }] }));
  const heard: string[] = [];
  for (const schema of [
    ToolListChangedNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
  ])
    client.setNotificationHandler(schema, ({ method }) => void heard.push(method));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => {});
  let log = '';
  transport.stderr?.on('data', (chunk: Buffer) => (log += String(chunk)));
  // What the client's own checks find wrong is heard of too.
  Object.assign(client, { onerror: (error: Error) => heard.push(`error: ${error.message}`) });
  await client.connect(transport);
  cleanup(t, async () => {
    await client.close();
    assert.deepEqual(await processesLeft(marker), []);
  });
  return { client, transport, heard, log: () => log };
}

const module = (name: string) => JSON.stringify(import.meta.resolve(`@modelcontextprotocol/sdk/server/${name}.js`));

/** A server of SDK v1: one tool that answers, others by name, a resource that can be subscribed to. */
const sdkServer = (answer: string, tools: string[]) => `
import { McpServer } from ${module('mcp')};
import { StdioServerTransport } from ${module('stdio')};
const server = new McpServer({ name: 'sdk', version: '1' }, { capabilities: { resources: { subscribe: true } } });
const text = (text) => ({ content: [{ type: 'text', text }] });
for (const name of ${JSON.stringify(['answer', ...tools])}) server.registerTool(name, {}, () => text(${JSON.stringify(answer)}));
server.registerTool('roots', {}, async () => text(JSON.stringify(await server.server.listRoots())));
server.registerTool('slow', {}, async (extra) => {
  await new Promise((done) => setTimeout(done, 400));
  return text(${JSON.stringify(answer)});
});
server.registerResource('memo', 'memo://1', {}, () => ({ contents: [{ uri: 'memo://1', text: ${JSON.stringify(answer)} }] }));
server.server.setRequestHandler((await import(${JSON.stringify(import.meta.resolve('@modelcontextprotocol/sdk/types.js'))})).SubscribeRequestSchema, () => ({}));
await server.connect(new StdioServerTransport());
`;

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;

test('P1 P9 an SDK v1 client and server over reloads: no call lost, the handlers hear what changed and nothing else', async (t) => {
  const files = project(t, { 'src/server.mjs': sdkServer('one', []) });
  const { client, heard, log } = await connect(t, ['--watch', 'src'], ['node', 'src/server.mjs'], files.directory);
  const call = async (name: string) => textOf(await client.callTool({ name }));
  assert.equal(await call('answer'), 'one');
  assert.equal((await client.listTools()).tools.length, 3);
  await client.subscribeResource({ uri: 'memo://1' });

  const slow = call('slow');
  files.write('src/server.mjs', sdkServer('two', []));
  assert.equal(await call('answer'), 'two');
  assert.equal(await slow.then((text) => ['one', 'two'].includes(text)), true);
  assert.deepEqual(heard, ['memo://1']);

  files.writeAtomic('src/server.mjs', sdkServer('three', ['added']));
  assert.equal(await call('added'), 'three');
  await until(() => heard.length >= 3, 'three notifications', { transcript: log });
  assert.deepEqual(heard.slice(1), ['notifications/tools/list_changed', 'memo://1']);
  assert.equal((await client.listTools()).tools.length, 4);
  assert.deepEqual(JSON.parse(await call('roots')), { roots: [{ uri: 'file:///here' }] });
  const { contents } = await client.readResource({ uri: 'memo://1' });
  assert.equal((contents[0] as { text: string }).text, 'three');
  assert.match(log(), /generation 3: \+ tool added/);
});

test(
  'P1 P10 server-everything, made to reload by SIGUSR2: the session goes on as if nothing had happened',
  { skip: process.platform === 'win32' },
  async (t) => {
    const files = project(t, { 'watched.txt': '' });
    const everything = import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js');
    const command = [process.execPath, new URL(everything).pathname, 'stdio'];
    const { client, transport, heard, log } = await connect(t, ['--watch', 'watched.txt'], command, files.directory);
    const before = await client.listTools();
    const echo = async (message: string) => textOf(await client.callTool({ name: 'echo', arguments: { message } }));
    assert.equal(await echo('é'), 'Echo: é');
    for (const generation of [2, 3]) {
      const calls = Array.from({ length: 5 }, (_, index) => echo(String(index)));
      process.kill(transport.pid!, 'SIGUSR2');
      assert.deepEqual(
        await Promise.all(calls),
        ['0', '1', '2', '3', '4'].map((text) => `Echo: ${text}`),
      );
      await until(() => log().includes(`generation ${generation}`), 'the log', { transcript: log });
      assert.equal(await echo('after'), 'Echo: after');
    }
    // It registers one of its tools some time after the handshake, so it changes its list itself.
    assert.deepEqual(
      heard.filter((method) => method !== 'notifications/tools/list_changed'),
      [],
    );
    const roots = textOf(await client.callTool({ name: 'get-roots-list', arguments: {} }));
    assert.match(roots, /file:\/\/\/here/);
    assert.deepEqual(await client.listTools(), before);
  },
);
