// The harness itself, on servers without the proxy: what it sends and records is right, and a wait that fails tells
// all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, processesOf, project, startDirect } from './harness.js';
import { readJournal } from './journal.js';
import { behaviour, reloadable } from './reloadable.js';

test('a wait that fails shows what was sent, received and printed', async (t) => {
  const peer = startDirect(t, { command: fixture('stubborn'), env: { UNUSED: '1' } });
  await peer.initialize();
  const failure = await peer.waitFor(({ method }) => method === 'never', 'a wonder', { deadline: 50 }).catch(String);
  assert.match(failure as string, /waiting for a wonder: nothing in 50 ms[^]*→ \{.*initialize[^]*← \{.*stubborn/);
  // Of two pipes nobody knows which is read first.
  assert.match(failure as string, /! stubborn is up/);
  peer.kill('SIGKILL');
});

test('a wait ends early when nothing more can come', async (t) => {
  const peer = startDirect(t, { command: fixture('exit-code', '3') });
  await assert.rejects(peer.request('m'), /stdout has ended/);
  assert.deepEqual(await peer.finished(), { code: 3, signal: null });
  await assert.rejects(peer.waitForLog('never'), /stderr has ended/);
});

test('a second response with the same id is recorded', async (t) => {
  const peer = startDirect(t, { command: fixture('echo') });
  const line = '{"jsonrpc":"2.0","id":"test-1","result":{}}\n';
  await peer.request('raw', { bytes: Buffer.from(line).toString('base64') });
  await peer.waitFor((message) => message.result?.line !== undefined, 'the second response');
  assert.equal(peer.duplicates.length, 1);
});

test('processes are found by their marker, grandchildren too', { skip: process.platform !== 'linux' }, async (t) => {
  const peer = startDirect(t, { command: fixture('grandchild'), mayLeave: true });
  await peer.waitForLog('grandchild');
  assert.equal(processesOf(peer.marker).length, 2);
  peer.end();
  await peer.exited;
  assert.equal(processesOf(peer.marker).length, 1);
});

test('the tools server sleeps until it is told, reports progress and asks its client', async (t) => {
  const peer = startDirect(t, { command: fixture('tools') });
  peer.answer('roots/list', () => ({ roots: [] }));
  await peer.initialize();
  const call = (name: string, given: object) =>
    peer.request('tools/call', { name, arguments: given, _meta: { progressToken: 7 } });
  const sleeping = call('sleep', { name: 'a' });
  await call('steps', { count: 3 });
  assert.equal(peer.messages.filter(({ message }) => message.method === 'notifications/progress').length, 3);
  assert.equal((await call('roots', {})).result.content[0].text, '{"roots":[]}');
  await call('wake', { name: 'a', text: 'good morning' });
  assert.equal((await sleeping).result.content[0].text, 'good morning');
});

test('a reloadable project behaves as its module says', async (t) => {
  const files = project(t, reloadable('one'));
  const journal = files.path('journal');
  const start = () =>
    startDirect(t, { command: [process.execPath, files.path('server.mjs')], env: { JOURNAL: journal } });
  const first = start();
  assert.equal((await first.request('tools/list')).error?.message, 'tools/list while new');
  await first.initialize();
  const call = { name: 'answer' };
  assert.equal((await first.request('tools/call', call)).result.content[0].text, 'one');
  files.writeAtomic('src/behaviour.mjs', behaviour({ answer: 'two', pageSize: 2, handshake: 10 }));
  const second = start();
  await second.initialize();
  assert.equal((await second.request('tools/call', call)).result.content[0].text, 'two');
  const page = (await second.request('tools/list', {})).result;
  assert.deepEqual([page.tools.length, page.nextCursor], [2, '2']);
  assert.equal(readJournal(journal).filter(({ line }) => line.includes('"initialize"')).length, 2);
});
