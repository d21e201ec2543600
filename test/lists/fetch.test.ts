/*
 * Proves that a list is fetched over all its pages, and that whatever goes wrong makes it unknown with a reason, in
 * bounded time, without an exception.
 */
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import type { Request } from '#src/lists/fetch.js';
import { fetchList } from '#src/lists/fetch.js';
import { listNamed } from '#src/lists/lists.js';

const tools = listNamed('tools');
const never = new AbortController().signal;

/** Answers by the cursor, '' for the first page. */
function pages(table: Record<string, unknown>): { request: Request; asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    request: async (method, params) => {
      asked.push([method, params]);
      const cursor = params !== undefined && 'cursor' in params ? String(params.cursor) : '';
      return { ok: true, result: table[cursor] };
    },
  };
}

test('all pages of a list are fetched, in order', async () => {
  const { request, asked } = pages({
    '': { tools: [1, 2], nextCursor: 'a' },
    a: { tools: [], nextCursor: 'b' },
    b: { tools: [3] },
  });
  assert.deepEqual(await fetchList(request, tools, never), { known: true, items: [1, 2, 3] });
  assert.deepEqual(asked, [
    ['tools/list', undefined],
    ['tools/list', { cursor: 'a' }],
    ['tools/list', { cursor: 'b' }],
  ]);
});

for (const end of [null, '']) {
  test(`a nextCursor ${JSON.stringify(end)} ends the list`, async () => {
    const { request } = pages({ '': { tools: [1], nextCursor: end } });
    assert.deepEqual(await fetchList(request, tools, never), { known: true, items: [1] });
  });
}

const unknowns: [title: string, request: Request, why: RegExp][] = [
  [
    'an error',
    async () => ({ ok: false, error: { code: -32603, message: 'Method not found' } }),
    /tools\/list failed: Method not found/,
  ],
  ['an error of no shape', async () => ({ ok: false, error: undefined }), /tools\/list failed: no reason given/],
  ['a request that throws', () => Promise.reject(new Error('gone')), /tools\/list failed: gone/],
  ['a result without the list', pages({ '': { prompts: [] } }).request, /no list of tools/],
  ['a cursor that is no string', pages({ '': { tools: [], nextCursor: 7 } }).request, /no list of tools/],
  [
    'a repeated cursor',
    pages({ '': { tools: [1], nextCursor: 'a' }, a: { tools: [2], nextCursor: 'a' } }).request,
    /cursor "a" twice/,
  ],
];
for (const [title, request, why] of unknowns) {
  test(`P9 ${title} makes a list unknown`, async () => {
    const fetched = await fetchList(request, tools, never);
    assert.ok(!fetched.known);
    assert.match(fetched.why, why);
  });
}

test('P9 a list whose method the server does not have is empty, not unknown', async () => {
  const missing: Request = async () => ({ ok: false, error: { code: -32601, message: 'Method not found' } });
  assert.deepEqual(await fetchList(missing, tools, never), { known: true, items: [] });
});

test('P9 a list may have 100 pages and no more', async () => {
  const upTo =
    (last: number): Request =>
    async (_, params) => {
      const page = params !== undefined && 'cursor' in params ? Number(params.cursor) : 1;
      return { ok: true, result: { tools: [page], ...(page < last && { nextCursor: String(page + 1) }) } };
    };
  const fetched = await fetchList(upTo(100), tools, never);
  assert.ok(fetched.known);
  assert.equal(fetched.items.length, 100);
  assert.deepEqual(await fetchList(upTo(101), tools, never), {
    known: false,
    why: 'tools/list has more than 100 pages',
  });
});

test('P9 a list that takes too long is unknown, and its request is told to stop', async () => {
  let told: AbortSignal | undefined;
  const hang: Request = (_, __, signal) => {
    told = signal;
    return new Promise(() => {});
  };
  assert.deepEqual(await fetchList(hang, tools, never, 20), { known: false, why: 'tools/list took more than 20 ms' });
  assert.ok(told?.aborted);
  assert.equal(getEventListeners(never, 'abort').length, 0);
});

test('giving up ends a fetch at once', async () => {
  const give = new AbortController();
  const asked = new EventTarget();
  const hang: Request = () => {
    asked.dispatchEvent(new Event('asked'));
    return new Promise(() => {});
  };
  const seen = once(asked, 'asked');
  const fetching = fetchList(hang, tools, give.signal);
  await seen;
  give.abort();
  assert.deepEqual(await fetching, { known: false, why: 'tools/list was given up' });
  assert.deepEqual(await fetchList(hang, tools, give.signal), { known: false, why: 'tools/list was given up' });
});
