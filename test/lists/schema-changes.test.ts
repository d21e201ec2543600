/** What is said to differ between two input schemas: one row a difference. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyList, schemaChanges, type SchemaChange } from '#src/lists/schema-changes.js';
import { fc } from '../support/property.js';

const text = { type: 'string' };
const number = { type: 'number' };
const takes = (properties: object, required: string[] = [], more: object = {}): object => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
  ...more,
});

const same: [name: string, before: unknown, after: unknown][] = [
  ['the same', takes({ a: text }), takes({ a: text })],
  ['another order', takes({ a: text, b: number }), takes({ b: number, a: text })],
  [
    'another order of what is required',
    takes({ a: text, b: text }, ['a', 'b']),
    takes({ a: text, b: text }, ['b', 'a']),
  ],
  ['another dialect', takes({}, [], { $schema: 'a' }), takes({}, [], { $schema: 'b' })],
  ['no schema at all', undefined, undefined],
  ['another order of types', takes({ a: { type: ['string', 'null'] } }), takes({ a: { type: ['null', 'string'] } })],
  ['another order of values', takes({ a: { enum: ['x', 1, null] } }), takes({ a: { enum: [null, 'x', 1] } })],
  ['another order of alternatives', takes({ a: { anyOf: [text, number] } }), takes({ a: { anyOf: [number, text] } })],
  ['a type that is a list of one', takes({ a: text }), takes({ a: { type: ['string'] } })],
  ['what was allowed anyway', takes({}), takes({}, [], { additionalProperties: true })],
  ['a definition that nobody refers to', takes({}), takes({}, [], { $defs: { a: text } })],
];
for (const [name, before, after] of same)
  test(`nothing differs: ${name}`, () => assert.deepEqual(schemaChanges(before, after), []));

const rows: [name: string, before: object, after: object, changes: readonly object[]][] = [
  [
    'one name for another',
    takes({ duration: text }),
    takes({ lookback: text }, ['lookback']),
    [{ kind: 'renamed', path: 'duration', to: 'lookback', required: true }],
  ],
  [
    'two names for two, told apart by their descriptions',
    takes({ a: { ...text, description: 'From' }, b: { ...text, description: 'To' } }),
    takes({ until: { ...text, description: 'To' }, since: { ...text, description: 'From' } }),
    [
      { kind: 'renamed', path: 'a', to: 'since', required: false },
      { kind: 'renamed', path: 'b', to: 'until', required: false },
    ],
  ],
  [
    'a similar name, though another has come too',
    takes({ maxRows: number }),
    takes({ depth: number, max_row_count: number }),
    [
      { kind: 'renamed', path: 'maxRows', to: 'max_row_count', required: false },
      { kind: 'added', path: 'depth', required: false, type: 'number' },
    ],
  ],
  [
    'a new name of another type is no new name for the old one',
    takes({ when: text }),
    takes({ limit: number }),
    [
      { kind: 'removed', path: 'when' },
      { kind: 'added', path: 'limit', required: false, type: 'number' },
    ],
  ],
  [
    'one switch is not another',
    takes({ verbose: { type: 'boolean' } }),
    takes({ follow: { type: 'boolean' } }),
    [
      { kind: 'removed', path: 'verbose' },
      { kind: 'added', path: 'follow', required: false, type: 'boolean' },
    ],
  ],
  [
    'a new name that allows less',
    takes({ duration: text }),
    takes({ lookback: { ...text, pattern: '^P' } }),
    [
      { kind: 'renamed', path: 'duration', to: 'lookback', required: false },
      { kind: 'tightened', path: 'lookback', keyword: 'pattern', before: undefined, after: '^P' },
    ],
  ],
  ['a new one', takes({}), takes({ a: text }, ['a']), [{ kind: 'added', path: 'a', required: true, type: 'string' }]],
  ['one that is gone', takes({ a: text, b: text }), takes({ b: text }), [{ kind: 'removed', path: 'a' }]],
  ['now required', takes({ a: text }), takes({ a: text }, ['a']), [{ kind: 'required', path: 'a' }]],
  ['no longer required', takes({ a: text }, ['a']), takes({ a: text }), [{ kind: 'optional', path: 'a' }]],
  [
    'another type',
    takes({ a: text }),
    takes({ a: number }),
    [{ kind: 'changed', path: 'a', keyword: 'type', before: 'string', after: 'number' }],
  ],
  [
    'a narrower type',
    takes({ a: number }),
    takes({ a: { type: 'integer' } }),
    [{ kind: 'tightened', path: 'a', keyword: 'type', before: 'number', after: 'integer' }],
  ],
  [
    'a wider type',
    takes({ a: text }),
    takes({ a: { type: ['string', 'null'] } }),
    [{ kind: 'loosened', path: 'a', keyword: 'type', before: 'string', after: ['string', 'null'] }],
  ],
  [
    'fewer values',
    takes({ a: { enum: ['x', 'y'] } }),
    takes({ a: { enum: ['y'] } }),
    [{ kind: 'tightened', path: 'a', keyword: 'enum', before: ['x', 'y'], after: ['y'] }],
  ],
  [
    'more values',
    takes({ a: { enum: ['x'] } }),
    takes({ a: { enum: ['y', 'x'] } }),
    [{ kind: 'loosened', path: 'a', keyword: 'enum', before: ['x'], after: ['y', 'x'] }],
  ],
  [
    'other values',
    takes({ a: { enum: ['x'] } }),
    takes({ a: { enum: ['y'] } }),
    [{ kind: 'changed', path: 'a', keyword: 'enum', before: ['x'], after: ['y'] }],
  ],
  [
    'a lower upper bound',
    takes({ a: { ...number, maximum: 100 } }),
    takes({ a: { ...number, maximum: 50 } }),
    [{ kind: 'tightened', path: 'a', keyword: 'maximum', before: 100, after: 50 }],
  ],
  [
    'no upper bound any more',
    takes({ a: { ...number, maximum: 100 } }),
    takes({ a: number }),
    [{ kind: 'loosened', path: 'a', keyword: 'maximum', before: 100, after: undefined }],
  ],
  [
    'a lower bound',
    takes({ a: text }),
    takes({ a: { ...text, minLength: 1 } }),
    [{ kind: 'tightened', path: 'a', keyword: 'minLength', before: undefined, after: 1 }],
  ],
  [
    'nothing beside the named properties',
    takes({}),
    takes({}, [], { additionalProperties: false }),
    [{ kind: 'tightened', path: '', keyword: 'additionalProperties', before: undefined, after: false }],
  ],
  [
    'something beside them again',
    takes({}, [], { additionalProperties: false }),
    takes({}, [], { additionalProperties: true }),
    [{ kind: 'loosened', path: '', keyword: 'additionalProperties', before: false, after: true }],
  ],
  [
    'one alternative less',
    takes({ a: { anyOf: [text, number] } }),
    takes({ a: { anyOf: [text] } }),
    [{ kind: 'tightened', path: 'a', keyword: 'anyOf', before: [text, number], after: [text] }],
  ],
  [
    'a definition',
    takes({ f: { $ref: '#/$defs/Filter' } }, [], { $defs: { Filter: takes({ from: text }) } }),
    takes({ f: { $ref: '#/$defs/Filter' } }, [], { $defs: { Filter: takes({ since: text }, ['since']) } }),
    [{ kind: 'renamed', path: '$defs.Filter.from', to: '$defs.Filter.since', required: true }],
  ],
  [
    'a definition of the older form, inside',
    takes({ a: { definitions: { b: text } } }),
    takes({ a: { definitions: { b: number } } }),
    [{ kind: 'changed', path: 'a.definitions.b', keyword: 'type', before: 'string', after: 'number' }],
  ],
  [
    'another definition',
    takes({ f: { $ref: '#/$defs/A' } }, [], { $defs: { A: text } }),
    takes({ f: { $ref: '#/$defs/B' } }, [], { $defs: { B: text } }),
    [{ kind: 'changed', path: 'f', keyword: '$ref', before: '#/$defs/A', after: '#/$defs/B' }],
  ],
  [
    'inside of one alternative',
    takes({ f: { anyOf: [takes({ from: text }), { type: 'null' }] } }),
    takes({ f: { anyOf: [takes({ since: text }), { type: 'null' }] } }),
    [{ kind: 'renamed', path: 'f.from', to: 'f.since', required: false }],
  ],
  [
    'inside of two alternatives',
    takes({ f: { oneOf: [takes({ a: text }), takes({ b: text })] } }),
    takes({ f: { oneOf: [takes({ a: number }), takes({ b: number })] } }),
    [
      {
        kind: 'changed',
        path: 'f',
        keyword: 'oneOf',
        before: [takes({ a: text }), takes({ b: text })],
        after: [takes({ a: number }), takes({ b: number })],
      },
    ],
  ],
  [
    'what may stand under any name',
    takes({ f: takes({}, [], { additionalProperties: takes({ a: text }) }) }),
    takes({ f: takes({}, [], { additionalProperties: takes({ b: text }) }) }),
    [{ kind: 'renamed', path: 'f.*.a', to: 'f.*.b', required: false }],
  ],
  [
    'required, though it is described elsewhere',
    { type: 'object', allOf: [takes({ a: text })] },
    { type: 'object', allOf: [takes({ a: text })], required: ['a'] },
    [{ kind: 'required', path: 'a' }],
  ],
  [
    'a list in a list',
    takes({ rows: { type: 'array', items: { type: 'array', items: takes({ a: text }) } } }),
    takes({ rows: { type: 'array', items: { type: 'array', items: takes({ b: text }) } } }),
    [{ kind: 'renamed', path: 'rows[][].a', to: 'rows[][].b', required: false }],
  ],
  [
    'a keyword with the name of something that every object has',
    takes({}),
    takes({}, [], { constructor: 1 }),
    [{ kind: 'changed', path: '', keyword: 'constructor', before: undefined, after: 1 }],
  ],
  [
    'inside of an object',
    takes({ filter: takes({ from: text }) }),
    takes({ filter: takes({ from: text, to: text }, ['to']) }),
    [{ kind: 'added', path: 'filter.to', required: true, type: 'string' }],
  ],
  [
    'the items of a list',
    takes({ ids: { type: 'array', items: text } }),
    takes({ ids: { type: 'array', items: number } }),
    [{ kind: 'changed', path: 'ids[]', keyword: 'type', before: 'string', after: 'number' }],
  ],
  [
    'only words',
    takes({ a: { ...text, description: 'one' } }),
    takes({ a: { ...text, description: 'two' } }),
    [{ kind: 'described', path: 'a' }],
  ],
];
for (const [name, before, after, changes] of rows)
  test(`differs: ${name}`, () => assert.deepEqual(schemaChanges(before, after), changes));

test('what is tightened one way is loosened the other way', () => {
  const opposite = { tightened: 'loosened', loosened: 'tightened' } as const;
  for (const [, before, after, changes] of rows) {
    const [only, ...others] = changes as SchemaChange[];
    if (only === undefined || others.length > 0 || (only.kind !== 'tightened' && only.kind !== 'loosened')) continue;
    assert.equal(schemaChanges(after, before)[0]?.kind, opposite[only.kind]);
  }
});

test('a schema that nests deeper than anybody looks differs as a whole', () => {
  const deep = (inner: object, depth = 40): object => (depth === 0 ? inner : takes({ a: deep(inner, depth - 1) }));
  const [change, ...others] = schemaChanges(deep(text), deep(number));
  assert.deepEqual(others, []);
  assert.equal(change?.kind === 'changed' && change.keyword, 'schema');
});

const nested = (inner: object): unknown =>
  JSON.parse(`${'{"type":"array","items":'.repeat(100_000)}${JSON.stringify(inner)}${'}'.repeat(100_000)}`) as unknown;

test('a schema may nest deeper than the stack', () => {
  const [change] = schemaChanges(nested(text), nested(number));
  assert.equal(change?.kind, 'changed');
  assert.equal(schemaChanges(takes({ a: text }), takes({ a: nested(text) }))[0]?.path, 'a');
  const type = nested([]);
  assert.doesNotThrow(() => schemaChanges(takes({ a: { type } }), takes({ a: text })));
  assert.doesNotThrow(() => propertyList(takes({ a: { type } })));
});

const named = (count: number, prefix: string): object =>
  takes(Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}_property_${at}`, text])));

test('of many names that are others now it is not tried to tell which was which', { timeout: 120_000 }, () => {
  const changes = schemaChanges(named(20_000, 'old'), named(20_000, 'new'));
  assert.deepEqual(new Set(changes.map(({ kind }) => kind)), new Set(['removed', 'added']));
  assert.equal(changes.length, 40_000);
  assert.equal(schemaChanges(named(40, 'old'), named(40, 'new')).length, 40);
});

test('a long list of values is compared in about the time that it takes to read it', { timeout: 120_000 }, () => {
  const values = Array.from({ length: 200_000 }, (_, at) => `value ${at}`);
  const [less] = schemaChanges(takes({ a: { enum: values } }), takes({ a: { enum: values.toReversed().slice(1) } }));
  assert.equal(less?.kind, 'tightened');
  const objects = values.map((value) => ({ const: value }));
  const [other] = schemaChanges(takes({ a: { anyOf: objects } }), takes({ a: { anyOf: objects.toReversed() } }));
  assert.equal(other?.kind, 'changed');
});

test('whatever schemas are, they differ from themselves in nothing, and from others without an exception', () => {
  const schema = fc.anything({
    withNullPrototype: false,
    maxDepth: 4,
    key: fc.constantFrom(
      'type',
      'properties',
      'required',
      'items',
      'enum',
      'anyOf',
      '$defs',
      'a',
      '__proto__',
      'constructor',
      'toString',
    ),
  });
  fc.assert(
    fc.property(schema.map(asJson), schema.map(asJson), (one, other) => {
      assert.deepEqual(schemaChanges(one, one), []);
      schemaChanges(one, other);
      propertyList(one);
    }),
  );
});

function asJson(value: unknown): unknown {
  try {
    const json = JSON.stringify(value);
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return null;
  }
}

test('the properties of a schema, the required ones first', () => {
  const schema = takes({ a: { type: ['string', 'null'] }, b: {}, c: number }, ['c']);
  assert.deepEqual(propertyList(schema), [
    { name: 'c', type: 'number', required: true },
    { name: 'a', type: 'string or null', required: false },
    { name: 'b', type: undefined, required: false },
  ]);
});
