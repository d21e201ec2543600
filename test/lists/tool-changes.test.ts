/** Which tools of a client are others by now, and what comes near one that is gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientTools, outdatedOf } from '#src/lists/client-tools.js';
import { nearestTools, outdatedTools, toolsByName } from '#src/lists/tool-changes.js';

const takes = (...names: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const tool = (name: string, inputSchema: object = takes('a'), more: object = {}): object => ({
  name,
  inputSchema,
  ...more,
});

const rows: [name: string, served: object[], now: object[], outdated: Record<string, string>][] = [
  ['the same tools', [tool('a'), tool('b')], [tool('b'), tool('a')], {}],
  ['another schema', [tool('a'), tool('b')], [tool('a', takes('x')), tool('b')], { a: 'changed' }],
  ['a tool less', [tool('a'), tool('b')], [tool('b')], { a: 'gone' }],
  ['a tool more', [tool('a')], [tool('a'), tool('b')], {}],
  [
    'words, hints and what it gives',
    [tool('a')],
    [tool('a', takes('a'), { description: 'x', outputSchema: {}, annotations: {} })],
    {},
  ],
  ['no schema any more', [tool('a')], [{ name: 'a' }], { a: 'changed' }],
  ['what is no tool', [1, null, { name: 2 }] as object[], [], {}],
];
for (const [name, served, now, outdated] of rows)
  test(`outdated: ${name}`, () => {
    const found = outdatedTools(toolsByName(served), toolsByName(now));
    assert.deepEqual(Object.fromEntries([...found].map(([of, { kind }]) => [of, kind])), outdated);
  });

const near: [name: string, served: object[], now: object[], names: string[]][] = [
  ['nothing', [tool('search')], [], []],
  ['nothing that is like it', [tool('search')], [tool('delete', takes('x')), tool('list', takes('y'))], []],
  ['a similar name', [tool('search')], [tool('add', takes('x')), tool('search_all', takes('y'))], ['search_all']],
  ['a new tool that takes the same', [tool('search'), tool('add')], [tool('add'), tool('find')], ['find']],
  ['the one tool that is new', [tool('search'), tool('add')], [tool('add'), tool('find', takes('q'))], ['find']],
  [
    'a new tool of the same description goes before a similar name',
    [tool('search', takes('a'), { description: 'Looks for it' }), tool('research')],
    [tool('research'), tool('find', takes('q'), { description: 'Looks for it' }), tool('x', takes('z'))],
    ['find', 'research'],
  ],
  [
    'what takes nothing is not the same for that',
    [tool('search', takes())],
    [tool('a', takes()), tool('b', takes())],
    [],
  ],
];
for (const [name, served, now, names] of near)
  test(`near a tool that is gone: ${name}`, () => {
    const found = nearestTools('search', toolsByName(served), toolsByName(now));
    assert.deepEqual(
      found.map((one) => one.name),
      names,
    );
  });

test('a client that is served the list again has nothing that is outdated', () => {
  const tools = createClientTools();
  const page = (...items: object[]): object => ({ tools: items });
  const now = [tool('a', takes('x'))];
  assert.equal(outdatedOf(tools, now).size, 0);
  tools.served.onPage('tools', undefined, page(tool('a')));
  assert.deepEqual([...outdatedOf(tools, now).keys()], ['a']);
  assert.equal(outdatedOf(tools, now), outdatedOf(tools, now));
  assert.equal(outdatedOf(tools, undefined).size, 0);
  tools.served.onPage('tools', undefined, page(...now));
  assert.equal(outdatedOf(tools, now).size, 0);
});
