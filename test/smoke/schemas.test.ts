// Which schemas of tools are accepted, by draft, and in whose words the others are turned down.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mismatch, schemasResult } from '#src/smoke/schemas.js';

const draft7 = 'http://json-schema.org/draft-07/schema#';
const draft2019 = 'https://json-schema.org/draft/2019-09/schema';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

const accepted: readonly [title: string, schema: object][] = [
  ['an empty object', { type: 'object' }],
  ['unknown keywords and formats', { type: 'object', 'x-hint': 1, properties: { a: { type: 'string', format: 'x' } } }],
  [
    'draft 7 with its definitions',
    { $schema: draft7, type: 'object', definitions: { a: {} }, properties: { a: { $ref: '#/definitions/a' } } },
  ],
  ['draft 7 by https', { $schema: draft7.replace('http:', 'https:').replace('#', ''), type: 'object' }],
  ['items as a list in draft 7', { $schema: draft7, type: 'object', properties: { a: { items: [{}, {}] } } }],
  [
    '2019-09 with its own words',
    { $schema: draft2019, type: 'object', $recursiveAnchor: true, dependentRequired: { a: ['b'] } },
  ],
  ['2020-12 with its own words', { $schema: draft2020, type: 'object', properties: { a: { prefixItems: [{}] } } }],
  ['2020-12 if none is named', { type: 'object', $defs: { a: { $anchor: 'a' } }, properties: { a: { $ref: '#a' } } }],
  ['a pattern that is one with the flag for Unicode', { type: 'object', properties: { a: { pattern: '^\\p{L}+$' } } }],
  ['a pattern that is one without it', { type: 'object', properties: { a: { pattern: '^[\\w-.]+$' } } }],
  ['a schema that refers to itself', { type: 'object', properties: { child: { $ref: '#' } } }],
];

for (const [title, schema] of accepted) {
  test(`accepted: ${title}`, async () => {
    const { status, problems } = await schemasResult([{ name: 't', inputSchema: schema }], 'legacy');
    assert.deepEqual([status, problems], ['ok', []]);
  });
}

const refused: readonly [title: string, schema: unknown, problem: RegExp][] = [
  ['none', undefined, /^tool t: inputSchema is missing$/],
  ['a boolean', true, /is not an object$/],
  ['a list', [], /is not an object$/],
  ['no type', {}, /must have "type": "object" at its top, not none$/],
  ['another type', { type: ['object', 'null'] }, /at its top, not \["object","null"\]$/],
  [
    'a type that there is not',
    { type: 'object', properties: { a: { type: 'int' } } },
    /is not a JSON Schema \(2020-12\): \/properties\/a\/type must be/,
  ],
  ['required that is no list', { type: 'object', required: true }, /\/required must be array$/],
  [
    'items as a list in 2020-12',
    { type: 'object', properties: { a: { items: [{}, {}] } } },
    /\/properties\/a\/items must be/,
  ],
  [
    'a reference to nowhere',
    { type: 'object', properties: { a: { $ref: '#/$defs/no' } } },
    /can't resolve reference #\/\$defs\/no/,
  ],
  [
    'a reference to elsewhere',
    { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } },
    /can't resolve reference https:\/\/example\.com\/a/,
  ],
  [
    'a pattern that is none',
    { type: 'object', properties: { a: { pattern: '(?P<x>' } } },
    /can't be used: Invalid regular expression/,
  ],
  [
    'a draft that is too old',
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
    /expected that of draft-07, 2019-09, 2020-12$/,
  ],
  ['a $schema of somebody', { $schema: 7, type: 'object' }, /has the \$schema 7, expected/],
];

for (const [title, schema, problem] of refused) {
  test(`refused: ${title}`, async () => {
    const { status, problems } = await schemasResult([{ name: 't', inputSchema: schema }], 'modern');
    assert.equal(status, 'failed');
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, problem);
  });
}

test('an output schema must be of an object in the legacy era only', async () => {
  const tools = [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }];
  assert.equal((await schemasResult(tools, 'legacy')).status, 'failed');
  assert.equal((await schemasResult(tools, 'modern')).status, 'ok');
});

test('two tools may use the same $id', async () => {
  const inputSchema = { $id: 'https://example.com/x', type: 'object' };
  const tools = [
    { name: 'a', inputSchema },
    { name: 'b', inputSchema: { ...inputSchema, title: 'b' } },
  ];
  assert.deepEqual((await schemasResult(tools, 'legacy')).problems, []);
});

test('a value is measured by its schema', async () => {
  const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  assert.equal(await mismatch(schema, { sum: 1 }), undefined);
  assert.equal(await mismatch(schema, { sum: '1' }), '/sum must be number');
  assert.equal(await mismatch(schema, {}), "must have required property 'sum'");
});
