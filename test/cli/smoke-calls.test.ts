// How the calls of a smoke run are read from the command line, and options turned back into words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandLine } from '#src/cli/command-line.js';
import { commands } from '#src/cli/commands.js';
import { readCalls } from '#src/cli/smoke-calls.js';
import { toWords } from '#src/cli/words.js';
import type { Options } from '#src/config/option-values.js';

function callsOf(...words: string[]) {
  const line = readCommandLine(['smoke', ...words, '--', 'node', 'a.js'], commands);
  assert.ok(line.ok, JSON.stringify(line));
  const { call = [], expect = [] } = line.value.given as { call?: string[]; expect?: string[] };
  return readCalls(line.value.typed, call, expect);
}

test('each --expect belongs to the --call before it', () => {
  const words = [
    '--call',
    'a={"x":[1]}',
    '--expect',
    '1',
    '--expect=2',
    '--timeout',
    '5',
    '--call=b',
    '--call',
    'c={}',
    '--expect',
    '=',
  ];
  assert.deepEqual(callsOf(...words), {
    ok: true,
    value: [
      { tool: 'a', input: { x: [1] }, expect: ['1', '2'] },
      { tool: 'b', input: {}, expect: [] },
      { tool: 'c', input: {}, expect: ['='] },
    ],
  });
  assert.deepEqual(callsOf(), { ok: true, value: [] });
});

test('what is no call is told with an example', () => {
  for (const text of ['a={', 'a=[1]', 'a=1', 'a=null', '={}', '{"x":1}={}x']) {
    const read = callsOf('--call', text);
    assert.ok(!read.ok, text);
    assert.equal(
      read.error,
      `--call: ${JSON.stringify(text)} is not allowed, expected name={json}, as in --call 'add={"a":1}'`,
    );
  }
  assert.deepEqual(callsOf('--expect', '3'), {
    ok: false,
    error: '--expect: there is no --call before it, whose result it could be compared with',
  });
});

test('options make the round trip to words and back', () => {
  const given: Options = {
    watch: ['a b', '-c'],
    ext: ['ts', 'js'],
    poll: 50,
    build: false,
    reload: true,
    strategy: 'replace',
    stateDir: '=x',
  };
  const line = readCommandLine([...toWords(given), '--', 'x'], commands);
  assert.ok(line.ok);
  assert.deepEqual(line.value.given, { ...given, command: 'x', args: [] });
});
