// Tasks through reloads: a server that runs some drains until they are over and fetched, requests about them reach it
// meanwhile, and of those that are lost the client is told so.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { modern, script as modernScript } from '../modern/modern.js';

/** Its tool `work` begins a task that ends when there is a file called `done`. */
const body = (version: string, more = ''): string => `import { existsSync } from 'node:fs';
  const status = () => (existsSync('done') ? 'completed' : existsSync('failed') ? 'failed' : 'working');
  const task = (taskId) => ({ taskId, status: status(), ttl: null, createdAt: '', lastUpdatedAt: '' });
  const known = new Set();
  const find = (taskId) => { if (!known.has(taskId)) throw new Error('no such task here'); return task(taskId); };
  ${more}
  export const methods = {
    'tools/list': () => ({ tools: [{ name: 'work', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
    'tools/call': ({ name, task: wanted }) => {
      if (name === 'which') return { content: [{ type: 'text', text: '${version}' }] };
      if (wanted === undefined) return never;
      if (globalThis.dies) process.exit(3);
      const taskId = '${version}-' + known.size;
      known.add(taskId);
      return { task: task(taskId) };
    },
    'tasks/get': ({ taskId }) => find(taskId),
    'tasks/cancel': ({ taskId }) => ({ ...find(taskId), status: 'cancelled' }),
    'tasks/result': ({ taskId }) => { find(taskId); return { content: [{ type: 'text', text: 'done by ${version}' }] }; },
  };`;
const capabilities = 'export const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };';
const files = () => scripted(body('1', capabilities));

async function begin(proxy: ReloadProject): Promise<string> {
  const { result, error } = await proxy.request('tools/call', { name: 'work', task: { ttl: 60_000 } });
  assert.equal(error, undefined, proxy.transcript());
  return result.task.taskId as string;
}

const about = (proxy: ReloadProject, method: string, taskId: string) => proxy.request(`tasks/${method}`, { taskId });

for (const strategy of ['overlap', 'replace']) {
  test(`P1 a save leaves a running task with the server that runs it, until it is over and fetched (${strategy})`, async (t) => {
    const proxy = await live(t, files(), { options: ['--strategy', strategy, '--drain', '60000'] });
    const id = await begin(proxy);
    const { pid } = proxy.journal()[0]!;
    proxy.save(script(body('2', capabilities)));
    if (strategy === 'overlap') assert.equal(await proxy.call('which'), '2');
    else await proxy.waitForLog('changed: ');
    assert.equal((await about(proxy, 'get', id)).result.status, 'working', proxy.transcript());
    proxy.files.write('done', '');
    assert.equal((await about(proxy, 'get', id)).result.status, 'completed');
    assert.equal((await about(proxy, 'result', id)).result.content[0].text, 'done by 1');
    await proxy.gone(pid);
    assert.equal(await proxy.call('which'), '2');
    const { error } = await about(proxy, 'get', id);
    assert.equal(error?.code, -32602);
    assert.match(error.message, /^The task "1-0" is over, .*replaced after an edit/);
  });
}

test('P1 a task that is cancelled keeps its server no longer, and one that outlasts --drain is lost with it', async (t) => {
  const proxy = await live(t, files(), { options: ['--drain', '1000'] });
  const [cancelled, lasting] = [await begin(proxy), await begin(proxy)];
  const { pid } = proxy.journal()[0]!;
  proxy.save(script(body('2', capabilities)));
  assert.equal(await proxy.call('which'), '2');
  assert.equal((await about(proxy, 'cancel', cancelled)).result.status, 'cancelled');
  await proxy.gone(pid);
  for (const method of ['get', 'result', 'cancel']) {
    const { error } = await about(proxy, method, lasting);
    assert.equal(error?.code, -32602);
    assert.match(error.message, /^The task "1-1" was lost: .*replaced after an edit/);
    assert.match((await about(proxy, method, cancelled)).error?.message ?? '', /^The task "1-0" is over/);
  }
  const again = await begin(proxy);
  assert.equal((await about(proxy, 'get', again)).result.status, 'working', 'the new server has tasks of its own');
});

test('P1 a task that fails while its server drains is told as failed, and its result can be had', async (t) => {
  // As SDK servers do it: they tell of the end without being asked, and the client's next poll comes later.
  const tells = `import { watch } from 'node:fs';
    const tell = (status) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tasks/status',
      params: { taskId: '1-0', status } }) + '\\n');
    const timer = setInterval(() => { if (existsSync('failed')) { clearInterval(timer); tell('failed'); } }, 20);`;
  const proxy = await live(t, scripted(body('1', `${capabilities} ${tells}`)), { options: ['--drain', '60000'] });
  const id = await begin(proxy);
  const { pid } = proxy.journal()[0]!;
  proxy.save(script(body('2', capabilities)));
  assert.equal(await proxy.call('which'), '2');
  const from = proxy.messages.length;
  proxy.files.write('failed', '');
  while (!proxy.notifications(from).includes('notifications/tasks/status')) await proxy.call('which');
  assert.equal((await about(proxy, 'get', id)).result?.status, 'failed', proxy.transcript());
  assert.equal((await about(proxy, 'result', id)).result?.content[0].text, 'done by 1', proxy.transcript());
  await proxy.gone(pid);
  assert.match((await about(proxy, 'get', id)).error?.message ?? '', /^The task "1-0" is over/);
});

test('P8 a task-augmented call is never sent again, though its tool is read-only', async (t) => {
  const proxy = await live(t, scripted(body('1', `${capabilities} globalThis.dies = true;`)));
  await proxy.request('tools/list');
  const { error } = await proxy.request('tools/call', { name: 'work', task: {} });
  assert.equal(error?.code, -32603);
  assert.equal(error.data.mayHaveRun, true);
  assert.equal(await proxy.call('which'), '1');
  assert.equal(proxy.journal().filter(({ line }) => line.includes('"work"')).length, 1);
});

test('P1 P16 modern: a task of the extension stays with its server too', async (t) => {
  const modernBody = (version: string) => `import { existsSync } from 'node:fs';
    const status = () => (existsSync('done') ? 'completed' : 'working');
    export const tools = { which: () => '${version}' };
    export const methods = {
      'tools/call': ({ name }) => name === 'work'
        ? { resultType: 'task', taskId: '${version}', status: status() }
        : { resultType: 'complete', content: [{ type: 'text', text: '${version}' }] },
      'tasks/get': ({ taskId }) => ({ resultType: 'complete', taskId, status: status(), by: '${version}' }),
    };`;
  const proxy = await modern(t, modernScript(modernBody('1')), { options: ['--drain', '60000'] });
  const meta = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const begun = await proxy.ask('tools/call', { name: 'work' }, { meta });
  assert.equal(begun.result.taskId, '1', proxy.transcript());
  const { pid } = proxy.journal()[0]!;
  proxy.save(modernScript(modernBody('2')));
  assert.equal(await proxy.which(), '2');
  assert.equal((await proxy.ask('tasks/get', { taskId: '1' })).result.by, '1');
  proxy.files.write('done', '');
  assert.equal((await proxy.ask('tasks/get', { taskId: '1' })).result.status, 'completed');
  await proxy.gone(pid);
  assert.equal((await proxy.ask('tasks/get', { taskId: '1' })).error?.code, -32602);
});
