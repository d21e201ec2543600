// `npm run demo`: clients made with the SDKs talk through mcp-hotline to servers made with the SDKs, in both eras of
// the protocol, and the servers' source is edited while they talk. Works on copies of fixtures/projects/demo, and fails
// if anything is not as promised.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const begin = performance.now();
const add = `  { name: 'add', inputSchema: { a: z.number(), b: z.number() }, run: ({ a, b }) => String(a + b) },`;

console.log('A client, mcp-hotline, and a server whose source changes while they talk.');
console.log('The lines with a bar are what mcp-hotline says on stderr.');

await act('With a handshake, as MCP was until 2025-11-25', {
  server: 'src/legacy.mjs',
  client: (options) => new LegacyClient(info(), options),
  transport: (target) => new LegacyTransport(target),
  async play({ edit, call, listChangedAfter, offered }) {
    tell(`connected, the server offers: ${await offered()}`);
    await call('greet', { name: 'Ada' }, /^Hello, Ada!$/);
    await edit('Hello', 'Good evening');
    tell('the source is edited, "Hello" becomes "Good evening", and the client calls at once:');
    await call('greet', { name: 'Ada' }, /^Good evening, Ada!$/);

    const waited = await listChangedAfter(() => {
      tell('a tool is added to the source, and the client only listens:');
      return edit('];', `${add}\n];`);
    });
    tell(`list_changed arrived ${waited} after the save, the server offers: ${await offered()}`);
    await call('add', { a: 2, b: 3 }, /^5$/);
  },
});

await act('Without one, as MCP is since 2026-07-28', {
  server: 'src/modern.mjs',
  client: (options) => new ModernClient(info(), { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  transport: (target) => new ModernTransport(target),
  async play({ edit, call, listChangedAfter, offered, sent }) {
    tell(`connected, the server offers: ${await offered()}; the client has opened a stream for changes`);
    await call('greet', { name: 'Ada' }, /^Hello, Ada!$/);
    await edit('Hello', '`Oops, ');
    tell('an edit with a mistake is saved; the old server stays, and the agent is told what is wrong:');
    await call('greet', { name: 'Ada' }, /SyntaxError/);

    const waited = await listChangedAfter(async () => {
      tell('the mistake is mended and a tool added; the news come by the same stream:');
      await edit('`Oops, ', 'Good evening');
      await edit('];', `${add}\n];`);
    });
    tell(`list_changed arrived ${waited} after the save, the server offers: ${await offered()}`);
    await call('greet', { name: 'Ada' }, /^Good evening, Ada!$/);
    assert.equal(sent('subscriptions/listen'), 1, 'the stream was never broken');
    assert.equal(sent('initialize'), 0, 'there was no handshake');
  },
});

/** One connection from its start to its end. */
async function act(title, { server, client: newClient, transport: newTransport, play }) {
  console.log(`\n${title}\n`);
  const project = await copyOfTheProject();
  const options = ['--watch', 'src', '--', 'node', server];
  const transport = newTransport({
    command: process.execPath,
    args: [join(root, 'bin/mcp-hotline.js'), ...options],
    cwd: project,
    env: environment(project),
    stderr: 'pipe',
  });
  const log = [];
  createInterface(transport.stderr).on('line', (line) => {
    log.push(line);
    console.log(`             | ${line}`);
  });
  const methods = [];
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    methods.push(message.method);
    return send(message, ...rest);
  };
  const news = new EventEmitter();
  const onChanged = () => news.emit('list_changed');
  const client = newClient({ listChanged: { tools: { onChanged, autoRefresh: false, debounceMs: 0 } } });

  try {
    tell(`the client starts: mcp-hotline ${options.join(' ')}`);
    await client.connect(transport);
    await play({
      sent: (method) => methods.filter((name) => name === method).length,
      async edit(before, after) {
        const file = join(project, 'src/tools.mjs');
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.replace(before, after));
      },
      async call(name, input, expected) {
        const from = performance.now();
        const { text } = (await client.callTool({ name, arguments: input })).content[0];
        assert.match(text, expected);
        const line = text.split('\n').find((part) => expected.test(part)) ?? text;
        tell(`${name}(${Object.values(input).join(', ')}) → ${line}   (${since(from)})`);
      },
      async listChangedAfter(save) {
        const changed = once(news, 'list_changed', { signal: AbortSignal.timeout(20_000) });
        await save();
        const saved = performance.now();
        await changed;
        return since(saved);
      },
      async offered() {
        const { tools } = await client.listTools();
        return tools.map(({ name }) => name).join(', ');
      },
    });
    await client.close();
    tell('the client closed the session: it was one connection, and no call was lost');
    assert.ok(!log.some((line) => line.includes('a bug in mcp-hotline')), 'mcp-hotline ended by a bug');
  } finally {
    await client.close();
    await rm(project, { recursive: true, force: true });
  }
}

function info() {
  return { name: 'demo-client', version: '1.0.0' };
}

function tell(text) {
  console.log(`${since(begin).padStart(10)}   ${text}`);
}

function since(time) {
  return `${Math.round(performance.now() - time)} ms`;
}

/** Outside of this repository, where nothing but the demo writes; only the installed packages are shared. */
async function copyOfTheProject() {
  const directory = await mkdtemp(join(tmpdir(), 'hotline-demo-'));
  await cp(join(root, 'fixtures/projects/demo'), directory, { recursive: true });
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  return directory;
}

function environment(project) {
  const env = { ...process.env, XDG_STATE_HOME: join(project, 'state') };
  // Where it is set, Node 20 spends 60 ms more on every start.
  delete env.NODE_EXTRA_CA_CERTS;
  return env;
}
