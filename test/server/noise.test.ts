/** What is told apart on a server's stdout beside its messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noiseOf } from '#src/server/noise.js';

const table: [line: string, kind: string][] = [
  ['debug: entering the loop\n', 'text'],
  ['{"level":"info"}\n', 'json'],
  ['\ufeff{"level":"info"}\n', 'json'],
  [`${' '.repeat(60)}[1]\r\n`, 'json'],
  ['"a string"\n', 'json'],
  ['-1.5\n', 'json'],
  ['true\n', 'json'],
  ['null\n', 'json'],
  ['nullable\n', 'text'],
  ['{not json}\n', 'text'],
  ['[main] started\n', 'text'],
  ['2026-11-17 started\n', 'text'],
  [' \t\r\n', 'blank'],
  ['\n', 'blank'],
];

for (const [line, kind] of table) {
  test(`P11 ${JSON.stringify(line.trim())} is ${kind}`, () => assert.equal(noiseOf(Buffer.from(line)), kind));
}
