/**
 * Rules and the configuration file on the built bin: signals, imports, continue, notify, and edits of the file itself.
 */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { project, startProxy, type Started } from '../support/harness.js';
import { root } from '../support/paths.js';
import type { Project } from '../support/project.js';

const kitchen = `${root}/fixtures/projects/yaml-config`;

interface Running {
  readonly files: Project;
  readonly proxy: Started;
  call(name: string): Promise<string>;
  generation(): number;
}

async function run(
  t: TestContext,
  prepare: (files: Project) => void,
  command: readonly string[] = [],
): Promise<Running> {
  const files = project(t);
  prepare(files);
  const options = ['--log-format', 'json'];
  const proxy = startProxy(t, { options, command, cwd: files.directory });
  await proxy.initialize();
  return {
    files,
    proxy,
    async call(name) {
      const { result } = await proxy.request('tools/call', { name, arguments: {} });
      return result.content[0].text as string;
    },
    generation: () => Math.max(...[...proxy.stderr().matchAll(/"generation":(\d+)/g)].map(([, n]) => Number(n))),
  };
}

const inTheKitchen = (t: TestContext): Promise<Running> =>
  run(t, (files) => cpSync(kitchen, files.directory, { recursive: true }));

const edit = (files: Project, name: string, from: string, to: string): void => {
  const text = readFileSync(files.path(name), 'utf8');
  assert.ok(text.includes(from), `${name} has ${from}`);
  files.write(name, text.replace(from, to));
};

const told = (proxy: Started): string[] =>
  proxy.messages
    .map(({ message }) => message.method)
    .filter((method) => method?.endsWith('list_changed') === true) as string[];

test('P4 P9 a rule with a signal: the server reads its files again, the call after the save sees them, only the list that changed is told', async (t) => {
  const { files, proxy, call, generation } = await inTheKitchen(t);
  await proxy.request('tools/list');
  await proxy.request('prompts/list');
  assert.equal(await call('greet'), 'Welcome to the kitchen.');
  edit(files, 'context.yaml', 'Welcome to the kitchen.', 'Good evening.');
  assert.equal(await call('greet'), 'Good evening.');
  assert.deepEqual(told(proxy), []);
  edit(files, 'context.yaml', '- name: greet', '- name: hail');
  await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'the tools to be told');
  assert.equal(await call('hail'), 'Good evening.');
  assert.deepEqual(told(proxy), ['notifications/tools/list_changed']);
  assert.equal(generation(), 1, 'no restart');
});

test('P4 a rule that imports: what is imported counts, and so does what is imported later', async (t) => {
  const { files, proxy, call, generation } = await inTheKitchen(t);
  files.write('tools/late.yaml', 'tools:\n  - name: late\n    text: one\n');
  edit(files, 'context.yaml', '  - path: tools/cook.yaml', '  - path: tools/cook.yaml\n  - path: tools/late.yaml');
  assert.equal(await call('late'), 'one');
  files.write('tools/late.yaml', 'tools:\n  - name: late\n    text: two\n');
  assert.equal(await call('late'), 'two');
  assert.equal(generation(), 1, 'no restart');
  await proxy.request('ping');
});

test("P7 an imported file that can't be parsed is reported like a failed build, and mended by the next save", async (t) => {
  const { files, call } = await inTheKitchen(t);
  const good = readFileSync(files.path('context.yaml'), 'utf8');
  files.write('context.yaml', 'import: [unclosed\n');
  assert.match(await call('greet'), /configuration.*context\.yaml:/s);
  files.write('context.yaml', good.replace('Welcome', 'Hello and welcome'));
  assert.equal(await call('greet'), 'Hello and welcome to the kitchen.');
});

const server = (says: string): string => `
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'say', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: '${says} ' + (process.env.MOOD ?? 'plain') + ' ' + data() }] }),
};
const data = () => { try { return readFileSync('data.txt', 'utf8').trim(); } catch { return 'none'; } };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && method) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
}
`;

const withConfig = (t: TestContext, config: object): Promise<Running> =>
  run(t, (files) => {
    files.write('server.mjs', server('one'));
    files.write(
      'mcp-hotline.config.json',
      JSON.stringify({ command: process.execPath, args: ['server.mjs'], ...config }),
    );
  });

test('P6 then continue: the build runs, held calls wait for it, and nothing is restarted', async (t) => {
  const build = `node -e "require('fs').copyFileSync('source.txt', 'data.txt')"`;
  const { files, proxy, call, generation } = await withConfig(t, {
    rules: [
      { name: 'data', watch: ['source.txt'], build, then: 'continue' },
      { name: 'server', watch: ['server.mjs'] },
    ],
  });
  files.write('source.txt', 'fresh');
  assert.equal(await call('say'), 'one plain fresh');
  assert.equal(generation(), 1, proxy.stderr());
  files.write('server.mjs', server('two'));
  assert.equal(await call('say'), 'two plain fresh');
  assert.equal(generation(), 2);
});

test('P2 a rule with note: the first tool result after its build has one more text block, and no other has', async (t) => {
  const build = `node -e "require('fs').copyFileSync('source.txt', 'data.txt')"`;
  const { files, proxy, generation } = await withConfig(t, {
    rules: [
      { name: 'data', watch: ['source.txt'], build, then: 'continue', note: true },
      { name: 'server', watch: ['server.mjs'] },
    ],
  });
  const texts = async (): Promise<string[]> =>
    (await proxy.request('tools/call', { name: 'say', arguments: {} })).result.content.map(
      (block: { text: string }) => block.text,
    );
  files.write('source.txt', 'first');
  assert.equal((await texts())[0], 'one plain first');
  files.write('source.txt', 'fresh');
  const [said, note, ...more] = await texts();
  assert.equal(said, 'one plain fresh');
  assert.match(note ?? '', /rule "data" was built in \d+ ms at .* because of source\.txt/);
  assert.deepEqual(more, []);
  assert.deepEqual(await texts(), ['one plain fresh']);
  assert.equal(generation(), 1);
});

test('P2 a rule with note: builds with no call in between are one text block, which has the newest note of each rule', async (t) => {
  const note = { build: 'node -e 0', then: 'continue', note: true };
  const { files, proxy, call } = await withConfig(t, {
    rules: [
      { name: 'data', watch: ['source.txt'], ...note },
      { name: 'more', watch: ['more.txt'], ...note },
      { name: 'server', watch: ['server.mjs'] },
    ],
  });
  await call('say');
  for (const name of ['source.txt', 'source.txt', 'more.txt', 'source.txt']) {
    const from = proxy.stderr().split('\n').length - 1;
    files.write(name, String(from));
    await proxy.waitForLog('"event":"built"', { from });
  }
  const { result } = await proxy.request('tools/call', { name: 'say', arguments: {} });
  const [said, notes, ...others] = (result.content as { text: string }[]).map(({ text }) => text);
  assert.equal(said, 'one plain none');
  assert.deepEqual(
    [...(notes ?? '').matchAll(/rule "(\w+)" was built in .* at (\S+) because of (\S+),/g)].map(([, rule, , why]) => [
      rule,
      why,
    ]),
    [
      ['data', 'source.txt'],
      ['more', 'more.txt'],
    ],
  );
  const [, data = '', more = ''] = /at (\S+) because of source[^]* at (\S+) because of more/.exec(notes ?? '') ?? [];
  assert.ok(Date.parse(data) > Date.parse(more), notes);
  assert.deepEqual(others, []);
});

test('P6 then continue: the status names what was built, also by a command that can not be run, and denies no change', async (t) => {
  const rules = (build: string) => [
    { name: 'data', watch: ['source.txt'], build, then: 'continue' },
    { name: 'server', watch: ['server.mjs'] },
  ];
  const { files, proxy, call } = await withConfig(t, { agentTools: true, rules: rules('node -e 0') });
  const status = async () =>
    (await proxy.request('tools/call', { name: 'server_status', arguments: {} })).result.structuredContent;
  await call('say');
  assert.match(
    (await status()).message,
    /no reload has happened in this session, so no edit of a watched file was seen/,
  );
  files.write('source.txt', 'x');
  await call('say');
  const built = await status();
  assert.match(built.message, /The last build was that of rule "data" .*source\.txt.*went well/);
  assert.match(built.message, /source\.txt changed at .*which needed no restart.*may not be watched/);
  assert.doesNotMatch(built.message, /no edit of a watched file was seen/);
  const config = JSON.parse(readFileSync(files.path('mcp-hotline.config.json'), 'utf8')) as object;
  files.write('mcp-hotline.config.json', JSON.stringify({ ...config, rules: rules('no-such-program') }));
  // One after the other: what is saved together may be built because of the configuration alone.
  await call('say');
  files.write('source.txt', 'y');
  assert.match(await call('say'), /no-such-program/);
  const failed = await status();
  const { rule, files: caused, ok } = failed.lastBuild;
  assert.deepEqual([rule, caused, ok], ['data', ['source.txt'], false]);
  assert.doesNotMatch(failed.message, /went well/);
});

test('P4 an edit of the configuration file applies without a reconnect', async (t) => {
  const { files, call, generation } = await withConfig(t, { rules: [{ name: 'server', watch: ['server.mjs'] }] });
  assert.equal(await call('say'), 'one plain none');
  const config = { command: process.execPath, args: ['server.mjs'], env: { MOOD: 'merry' } };
  files.write(
    'mcp-hotline.config.json',
    JSON.stringify({ ...config, rules: [{ name: 'other', watch: ['other.txt'] }] }),
  );
  assert.equal(await call('say'), 'one merry none');
  assert.equal(generation(), 2);
  files.write('server.mjs', server('two'));
  assert.equal(await call('say'), 'one merry none', 'it is not watched any more');
  files.write('other.txt', 'x');
  assert.equal(await call('say'), 'two merry none');
});

test("P9 the agent's tools are switched on and off by an edit of the configuration file, and the client is told", async (t) => {
  const { files, proxy, generation } = await withConfig(t, { rules: [{ name: 'server', watch: ['server.mjs'] }] });
  const good = JSON.parse(readFileSync(files.path('mcp-hotline.config.json'), 'utf8')) as object;
  const names = async () =>
    (await proxy.request('tools/list')).result.tools.map((tool: { name: string }) => tool.name) as string[];
  const before = await names();
  for (const [at, agentTools] of [true, false].entries()) {
    let news = 0;
    files.write('mcp-hotline.config.json', JSON.stringify({ ...good, agentTools }));
    await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed' && ++news > at, 'news of tools');
    assert.equal((await names()).includes('restart_server'), agentTools);
  }
  assert.deepEqual(await names(), before);
  assert.deepEqual([generation(), told(proxy).length], [1, 2], 'the server stays, and nothing is told twice');
});

test("P7 an edit of the configuration file that can't be used is reported, and what was in force stays", async (t) => {
  const { files, proxy, call } = await withConfig(t, { rules: [{ name: 'server', watch: ['server.mjs'] }] });
  const good = readFileSync(files.path('mcp-hotline.config.json'), 'utf8');
  files.write('mcp-hotline.config.json', good.replace('"rules"', '"ruels"'));
  const text = await call('say');
  assert.match(text, /The configuration of mcp-hotline has an error/);
  assert.match(text, /ruels/);
  await proxy.waitForLog(/configuration error: .*mcp-hotline.config.json:\d+:\d+: ruels is not a known key/);
  assert.deepEqual((await proxy.request('tools/list')).result.tools.length, 1);
  files.write('mcp-hotline.config.json', good);
  assert.equal(await call('say'), 'one plain none');
});

test('P7 a configuration with which no server starts is mended by the next edit of the file', async (t) => {
  const { files, proxy, call } = await withConfig(t, { rules: [{ name: 'server', watch: ['server.mjs'] }] });
  const good = JSON.parse(readFileSync(files.path('mcp-hotline.config.json'), 'utf8')) as object;
  const configure = (config: object) => files.write('mcp-hotline.config.json', JSON.stringify(config));
  configure({ ...good, command: 'no-such-command' });
  assert.match(await call('say'), /`no-such-command` can't be run/);
  configure({ ...good, args: ['no-such-file.mjs'] });
  assert.match(await call('say'), /no-such-file/);
  files.write('server.mjs', server('two'));
  assert.match(await call('say'), /no-such-file/);
  configure({ ...good, env: { MOOD: 'merry' } });
  assert.equal(await call('say'), 'two merry none', proxy.stderr());
  configure({ ...good, command: 'no-such-command' });
  assert.match(await call('say'), /`no-such-command` can't be run/);
  configure({ ...good, env: { MOOD: 'merry' } });
  assert.equal(await call('say'), 'two merry none', 'also back to what it was');
});
