/*
 * Proves what counts as a difference between two versions of a list (P9), by tables and by properties over random
 * items.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { compareLists, describe, notificationsFor } from '#src/lists/compare.js';
import type { ListName } from '#src/lists/lists.js';
import { listByMethod, listNamed, LISTS } from '#src/lists/lists.js';

const tools = listNamed('tools');
const shown = (name: ListName, before: unknown[], after: unknown[]) =>
  compareLists(listNamed(name), before, after).map(describe);

const cases: [title: string, list: ListName, before: unknown[], after: unknown[], expected: string[]][] = [
  ['two empty lists', 'tools', [], [], []],
  ['a new tool', 'tools', [], [{ name: 'add' }], ['+ tool add']],
  ['a prompt that is gone', 'prompts', [{ name: 'x' }], [], ['- prompt x']],
  [
    'a changed schema',
    'tools',
    [{ name: 'search', inputSchema: { type: 'object' } }],
    [{ name: 'search', inputSchema: { type: 'object', required: [] } }],
    ['~ tool search (inputSchema)'],
  ],
  [
    'several changed members, sorted',
    'tools',
    [{ name: 'a', title: 'A', description: 'x' }],
    [{ name: 'a', description: 'y', annotations: {} }],
    ['~ tool a (annotations, description, title)'],
  ],
  [
    'a resource by its URI',
    'resources',
    [{ uri: 'a:1', name: 'x' }],
    [{ uri: 'a:1', name: 'y' }],
    ['~ resource a:1 (name)'],
  ],
  [
    'a template',
    'resourceTemplates',
    [{ uriTemplate: 'a:{b}' }],
    [{ uriTemplate: 'a:{c}' }],
    ['+ template a:{c}', '- template a:{b}'],
  ],
  ['the order of items', 'tools', [{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }], []],
  ['the order of members', 'tools', [{ name: 'a', x: { p: 1, q: 2 } }], [{ x: { q: 2, p: 1 }, name: 'a' }], []],
  ['the order inside an array', 'tools', [{ name: 'a', x: [1, 2] }], [{ name: 'a', x: [2, 1] }], ['~ tool a (x)']],
  [
    '_meta and ttlMs of an item',
    'tools',
    [{ name: 'a', _meta: { at: 1 }, ttlMs: 5 }],
    [{ name: 'a', _meta: { at: 2 } }],
    [],
  ],
  [
    '_meta as a property of a schema',
    'tools',
    [{ name: 'a', inputSchema: { properties: { _meta: {} } } }],
    [{ name: 'a', inputSchema: { properties: {} } }],
    ['~ tool a (inputSchema)'],
  ],
  ['null against nothing', 'tools', [{ name: 'a', title: null }], [{ name: 'a' }], ['~ tool a (title)']],
  ['an array against an object', 'tools', [{ name: 'a', x: [] }], [{ name: 'a', x: {} }], ['~ tool a (x)']],
  [
    '__proto__ as a member',
    'tools',
    [JSON.parse('{"name":"a","__proto__":{"b":1}}')],
    [{ name: 'a' }],
    ['~ tool a (__proto__)'],
  ],
  ['equal duplicates', 'tools', [{ name: 'a' }, { name: 'a', x: 1 }], [{ name: 'a' }, { name: 'a', x: 1 }], []],
  [
    'duplicates in another order',
    'tools',
    [{ name: 'a' }, { name: 'a', x: 1 }],
    [{ name: 'a', x: 1 }, { name: 'a' }],
    ['~ tool a (x)'],
  ],
  ['one duplicate fewer', 'tools', [{ name: 'a' }, { name: 'a' }], [{ name: 'a' }], ['~ tool a']],
  ['items that are none', 'tools', [null, 1], [null, 2], ['~ tool (unnamed) (item)']],
  ['a name that would break the line', 'tools', [], [{ name: 'a\nb' }, { name: '' }], ['+ tool "a\\nb"', '+ tool ""']],
];
for (const [title, list, before, after, expected] of cases) {
  test(`P9 ${title}: ${expected.join(', ') || 'no difference'}`, () =>
    assert.deepEqual(shown(list, before, after), expected));
}

const member = fc.constantFrom('title', 'description', 'inputSchema', 'annotations', 'constructor', '__proto__');
const item = fc
  .tuple(fc.string({ maxLength: 3 }), fc.dictionary(member, fc.jsonValue({ maxDepth: 3 })))
  .map(([name, rest]) => Object.assign(rest, { name }));
const items = fc.uniqueArray(item, { selector: (i) => i.name, maxLength: 8 });

/** The same value with the members of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([k, v]) => [k, reversed(v)]),
  );
}

test('P9 a list is equal to itself in any order, with any _meta', () => {
  fc.assert(
    fc.property(items, fc.jsonValue(), (list, meta) => {
      const other = list.map((i) => ({ ...(reversed(i) as object), _meta: meta })).toReversed();
      assert.deepEqual(compareLists(tools, list, other), []);
    }),
  );
});

test('P9 the changes are exactly the items that differ, and swap signs when compared backwards', () => {
  const canonical = (value: unknown): string =>
    JSON.stringify(value, (_, v: unknown) =>
      typeof v === 'object' && v !== null && !Array.isArray(v)
        ? Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))
        : v,
    );
  fc.assert(
    fc.property(items, items, (before, after) => {
      const named = (list: typeof before) => new Map(list.map((i) => [i.name, canonical(i)]));
      const [old, now] = [named(before), named(after)];
      const expected = new Set([
        ...[...now.keys()].filter((n) => !old.has(n)).map((n) => `+${n}`),
        ...[...old.keys()].filter((n) => !now.has(n)).map((n) => `-${n}`),
        ...[...now].filter(([n, i]) => old.has(n) && old.get(n) !== i).map(([n]) => `~${n}`),
      ]);
      const found = compareLists(tools, before, after);
      assert.deepEqual(new Set(found.map((c) => c.kind + c.name)), expected);
      const swap = { '+': '-', '-': '+', '~': '~' };
      const back = compareLists(tools, after, before).map((c) => swap[c.kind] + c.name);
      assert.deepEqual(new Set(back), expected);
    }),
  );
});

test('a schema deeper than the stack is compared', () => {
  const deep = (end: string): unknown =>
    JSON.parse(`{"name":"a","x":${'['.repeat(200_000)}${end}${']'.repeat(200_000)}}`);
  assert.deepEqual(compareLists(tools, [deep('1')], [deep('1')]), []);
  assert.deepEqual(compareLists(tools, [deep('1')], [deep('2')]).map(describe), ['~ tool a (x)']);
});

test('P9 resources and templates share one notification', () => {
  assert.deepEqual(notificationsFor([]), []);
  assert.deepEqual(notificationsFor(['resourceTemplates', 'tools', 'resources']), [
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
  ]);
  assert.deepEqual(notificationsFor(LISTS.map((l) => l.name)).length, 3);
});

test('a list is found by its method', () => {
  for (const list of LISTS) assert.equal(listByMethod(list.method), list);
  assert.equal(listByMethod('tools/call'), undefined);
});
