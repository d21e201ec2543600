// The arguments of the agent's own tools: what is taken, and that whatever else comes is refused by the name of its
// field.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { fc } from '../support/property.js';
import { refusedArguments } from './refused-arguments.js';
import { checkArguments } from '#src/agent/arguments.js';
import { listedTools, shownNames, toolDefinitions, type AgentTool } from '#src/agent/tools.js';

test('what is taken, with what is left out filled in', () => {
  const taken = [
    ['restart_server', { reason: 'x' }, { reason: 'x', rebuild: false }],
    ['restart_server', { reason: 'x'.repeat(500), rebuild: true }, { reason: 'x'.repeat(500), rebuild: true }],
    ['restart_server', { reason: '\u{1f527}'.repeat(500) }, { reason: '\u{1f527}'.repeat(500), rebuild: false }],
    ['verify_server_restarted', { since_timestamp: '2028-02-29' }, { since: 1835395200000 }],
    ['verify_server_restarted', { since_timestamp: '2026-11-16T09:30:00Z' }, { since: 1794821400000 }],
    ['verify_server_restarted', { since_timestamp: '2026-11-16T10:30:00.000+01:00' }, { since: 1794821400000 }],
    ['verify_server_restarted', { since_timestamp: '2026-11-16' }, { since: 1794787200000 }],
    ['server_status', undefined, { wait: false, log: 0 }],
    ['server_status', { wait: true, log: 1000 }, { wait: true, log: 1000 }],
    ['list_server_tools', {}, { name: undefined }],
    ['list_server_tools', { name: 'ad' }, { name: 'ad' }],
    ['call_server_tool', { name: 'add' }, { name: 'add', arguments: {} }],
    ['call_server_tool', { name: 'add', arguments: { a: 1 } }, { name: 'add', arguments: { a: 1 } }],
  ] as const;
  for (const [tool, given, value] of taken) {
    assert.deepEqual(checkArguments(tool, given), { ok: true, value: { tool, ...value } });
  }
});

test('whatever is given, it is taken or refused in a sentence that names a field', () => {
  const names = toolDefinitions.map(({ name }) => name);
  const fields = ['reason', 'rebuild', 'since_timestamp', 'wait', 'log', 'name', 'arguments', 'other'];
  const given = fc.oneof(fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()), fc.jsonValue());
  fc.assert(
    fc.property(fc.constantFrom(...names), given, (tool, value) => {
      const checked = checkArguments(tool, value);
      if (!checked.ok) assert.match(checked.problem, /^".*" is .*(expected .+|it takes .+)\.$/s);
    }),
  );
});

const ajv = new Ajv();
const schemas = new Map(toolDefinitions.map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]));
const isValid = (tool: AgentTool, given: unknown): boolean => schemas.get(tool)?.(given) === true;

test('what is refused, the published schema refuses too', () => {
  for (const [tool, given, says] of refusedArguments) {
    const checked = checkArguments(tool, given);
    assert.match(checked.ok ? '' : checked.problem, says);
    assert.equal(isValid(tool, given), false, `${tool} ${JSON.stringify(given)}`);
  }
});

test('whatever is given, the check and the published schema are of one opinion', () => {
  const fields = [
    ...new Set(toolDefinitions.flatMap(({ inputSchema }) => Object.keys(inputSchema['properties'] ?? {}))),
  ];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(' ', '\ufeff', 'x', true, 7, 1000, {}, '2026-11-16', '2026-11-16T09:30Z'),
    fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  );
  const given = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 2 });
  fc.assert(
    fc.property(fc.constantFrom(...schemas.keys()), given, (tool, all) =>
      assert.equal(checkArguments(tool, all).ok, isValid(tool, all)),
    ),
    { numRuns: 2000 },
  );
});

test('a day that no calendar has is no point in time: that a schema can not say', () => {
  for (const since_timestamp of ['2026-02-30', '2026-02-29T00:00:00Z', '2026-04-31T12:00:00+02:00']) {
    assert.equal(checkArguments('verify_server_restarted', { since_timestamp }).ok, false, since_timestamp);
  }
});

test('only the names that are taken change, in the list as well', () => {
  const taken = new Set(['server_status', 'add']);
  assert.equal(shownNames(taken).get('hotline_server_status'), 'server_status');
  assert.equal(shownNames(taken).has('server_status'), false);
  const listed = listedTools(taken).map((tool) => (JSON.parse(tool) as { name: string }).name);
  assert.deepEqual(listed, [...shownNames(taken).keys()]);
});

test('a server that has the other name too keeps both', () => {
  const taken = new Set(['server_status', 'hotline_server_status']);
  assert.equal(shownNames(taken).get('hotline_hotline_server_status'), 'server_status');
  for (const name of taken) assert.equal(shownNames(taken).has(name), false);
});
