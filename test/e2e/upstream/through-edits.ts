// What a published client does through the proxy with a server that speaks HTTP itself: it connects once, and all that
// can happen to the server happens then: edits, broken ones too, a kill, a lost session. Beside that, what is larger
// than a call and its answer: long answers, progress, cancelling, questions. The pairs of server and client are the
// callers'.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { until } from '../../support/until.js';
import { behaviour, eraOf, kinds, live } from './servers.js';
import type { Live, Pair } from './servers.js';

/** In milliseconds, for whatever may wait for a start on a busy machine. */
const PATIENCE = { timeout: 120_000 };
const SIZE = 2 * 1024 * 1024;
const capabilities = { roots: {}, sampling: {}, elicitation: {} };

export async function throughEdits(t: TestContext, pair: Pair): Promise<void> {
  const sdk = await live(t, pair, { client: { capabilities } });
  const kind = kinds[pair.server];
  const save = (source: string): void => sdk.files.write('src/behaviour.json', source);
  assert.equal(sdk.era, eraOf(pair));
  assert.deepEqual(await sdk.tools(), sdk.names());
  assert.equal(await sdk.call('answer'), 'one');

  save(behaviour('two', 'added'));
  assert.equal(await sdk.call('answer'), 'two', 'P4 the answer to a call right after a save');
  await sdk.changed(...sdk.names('added'));
  assert.equal(await sdk.call('added'), 'two');

  save('{ "answer":');
  assert.match(await sdk.call('answer'), /SyntaxError|JSONDecodeError/, 'P7 what is wrong, in its own words');
  assert.deepEqual(await sdk.tools(), sdk.names('added'));

  save(behaviour('three', 'other'));
  assert.equal(await sdk.call('answer'), 'three');
  await sdk.changed(...sdk.names('other'));

  const { pid } = JSON.parse(await sdk.call('generation')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  assert.equal(await sdk.call('answer'), 'three', 'P15 a call after the server was killed');

  if ('hasSessions' in kind) {
    await sdk.call('forget');
    assert.equal(await sdk.call('answer'), 'three', 'a call after the server has lost its sessions');
  }
  // The stream that news come by is the one that was opened first.
  save(behaviour('four', 'last'));
  await sdk.changed(...sdk.names('last'));
  assert.equal(await sdk.call('answer'), 'four');
}

export async function largerThanCalls(t: TestContext, pair: Pair): Promise<void> {
  const sdk = await live(t, pair, { client: { capabilities } });
  const kind = kinds[pair.server];
  assert.equal((await sdk.call('big', { size: SIZE })).length, SIZE);

  const progress: number[] = [];
  // Clients hear of an answer before they tell of progress that came in the same piece: so the answer waits.
  const onprogress = (step: { progress: number }): void => {
    if (progress.push(step.progress) === 3) sdk.files.write('until', '');
  };
  const steps = await callTool(sdk, 'steps', { count: 3, until: sdk.files.path('until') }, { onprogress });
  assert.match(steps, /^3 steps/);
  assert.deepEqual(progress, [1, 2, 3]);

  if ('listens' in kind || eraOf(pair) === 'modern') {
    const file = sdk.files.path('cancelled');
    const begun = sdk.files.path('begun');
    const gone = new AbortController();
    const called = callTool(sdk, 'forever', { file, begun }, { signal: gone.signal });
    // Each request has a connection of its own, so the answer to a later call says nothing of this one.
    await until(() => existsSync(begun), 'a call that runs', { transcript: () => sdk.files.path('') });
    gone.abort();
    await assert.rejects(called);
    await until(() => existsSync(file), 'a server that hears of the end of the call', {
      transcript: () => sdk.files.path(''),
    });
  }
  if ('asks' in kind || eraOf(pair) === 'modern') await questions(sdk, 'asks' in kind);
}

/** By the stream of the call, and, where there is one, by the one that belongs to no call. */
async function questions(sdk: Live, hasStream: boolean): Promise<void> {
  answer(sdk.client);
  const asked = {
    'sampling/createMessage': /"text":"a sample"/,
    'elicitation/create': /"name":"somebody"/,
    'roots/list': /file:\/\/\/here/,
  };
  for (const by of hasStream ? ['call', 'session'] : ['call'])
    for (const [method, expected] of Object.entries(asked))
      assert.match(await callTool(sdk, 'ask', { method, by }), expected, `${method} by the stream of the ${by}`);
}

function answer(client: Live['client']): void {
  const roots = { roots: [{ uri: 'file:///here' }] };
  const sample = { model: 'none', role: 'assistant' as const, content: { type: 'text' as const, text: 'a sample' } };
  const name = { action: 'accept' as const, content: { name: 'somebody' } };
  if (client instanceof Client1) {
    client.setRequestHandler(ListRootsRequestSchema, () => roots);
    client.setRequestHandler(CreateMessageRequestSchema, () => sample);
    client.setRequestHandler(ElicitRequestSchema, () => name);
  } else {
    client.setRequestHandler('roots/list', () => roots);
    client.setRequestHandler('sampling/createMessage', () => sample);
    client.setRequestHandler('elicitation/create', () => name);
  }
}

interface CallOptions {
  onprogress?: (step: { progress: number }) => void;
  signal?: AbortSignal;
}

async function callTool({ client }: Live, name: string, given: object, options: CallOptions = {}): Promise<string> {
  const params = { name, arguments: { ...given } };
  const all = { ...PATIENCE, ...options };
  const result = await (client instanceof Client1
    ? client.callTool(params, undefined, all)
    : client.callTool(params, all));
  return (result as { content: { text: string }[] }).content[0]!.text;
}
