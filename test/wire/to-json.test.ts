/** JSON of whatever came from JSON, however deep. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '#src/wire/to-json.js';
import { fc } from '../support/property.js';

test('it is the JSON that it came from', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(toJson(value), JSON.stringify(value))));
});

test('of what nests deeper than the stack too, with all that stands beside it', () => {
  const depth = 50_000;
  const side = '"s":[1,"é\\n",null,{},[],true],"n":-0.5';
  const json = `{${side},"a":${`{"b":[`.repeat(depth)}1${']}'.repeat(depth)},"z":"end"}`;
  assert.equal(toJson(JSON.parse(json)), json);
  assert.equal(
    toJson({ gone: undefined, list: [undefined], deep: JSON.parse(json) as unknown }),
    `{"list":[null],"deep":${json}}`,
  );
});
