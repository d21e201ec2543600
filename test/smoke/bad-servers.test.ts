// Servers that are wrong in one way each: a smoke run must fail, for that reason and no other, and leave nothing
// behind.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../support/harness.js';
import { find, named, runSmoke } from './run-smoke.js';

interface Bad {
  title: string;
  server: string[];
  options?: string[];
  code?: number;
  /** `group: name`, and what its problems say. */
  failures: Record<string, RegExp>;
}

const linux = process.platform === 'linux';

const bad: readonly Bad[] = [
  {
    title: 'no handshake',
    server: fixture('smoke-no-handshake'),
    options: ['--timeout', '1500'],
    failures: {
      'legacy: handshake': /^initialize: no answer within 1500 ms$/,
      'modern: handshake': /^server\/discover: no answer within 1500 ms$/,
    },
  },
  {
    title: 'invalid schemas',
    server: fixture('smoke-invalid-schema'),
    failures: {
      'legacy: schemas': new RegExp(
        [
          'tool no_type: inputSchema is not a JSON Schema \\(2020-12\\): /properties/a/type must be .*',
          'tool no_object: inputSchema must have "type": "object" at its top, not "array"',
          "tool no_such_reference: inputSchema can't be used: can't resolve reference #/\\$defs/missing.*",
          'tool no_such_draft: inputSchema has the \\$schema .*draft-03.*, expected that of draft-07, 2019-09, 2020-12',
          'tool none: inputSchema is missing',
          'tool bad_output: outputSchema is not a JSON Schema \\(2020-12\\): /required must be array',
        ].join('\n'),
      ),
    },
  },
  {
    title: 'noise on stdout',
    server: fixture('smoke-noise'),
    failures: { 'legacy: stdout': /^the server printed text on stdout, which belongs to the protocol/ },
  },
  {
    title: 'an id that is answered twice',
    server: fixture('smoke-ids-repeated'),
    failures: { 'legacy: answers': /^tools\/list was answered twice, under the id 1$/ },
  },
  {
    title: 'a list that never ends',
    server: fixture('smoke-endless-list'),
    failures: { 'legacy: tools/list': /^tools\/list has more than 100 pages$/ },
  },
  {
    title: 'a process that got away and stayed',
    server: fixture('smoke-orphan'),
    failures: linux ? { 'legacy: processes': /^a process was left behind: \d+ .*setInterval/ } : {},
    ...(linux ? {} : { code: 0 }),
  },
  {
    title: 'a server that does not go',
    server: fixture('stubborn'),
    failures: { 'legacy: exit': /^the server was still there \d\.\d s after its stdin had ended, SIGTERM or not$/ },
  },
  {
    title: 'another list and other results after a reload, though nothing is found to watch',
    server: ['sh', '-c', `exec ${fixture('smoke-other-after-reload').join(' ')}`],
    options: ['--reload', '--call', 'start'],
    failures: {
      'legacy, over a reload: lists':
        /^the reload changed a list: \+ tool start_\d+\nthe reload changed a list: - tool start_\d+$/,
      'legacy, over a reload: call start': /^the result differs after the reload: .*started as \d+.*--expect/,
    },
  },
  {
    title: 'two tools of one name, and calls that go wrong',
    server: fixture('smoke-structured', 'twice'),
    options: 'broken missing failing bare sond exit'.split(' ').flatMap((tool) => ['--call', tool]),
    failures: {
      'legacy: names': /^more than one tool has the name "sound"$/,
      'legacy: call broken': /^structuredContent does not match the outputSchema: \/sum must be number$/,
      'legacy: call missing': /^the tool has an outputSchema, but the result has no structuredContent$/,
      'legacy: call failing': /^it failed: out of order$/,
      'legacy: call bare': /^the result has no content$/,
      'legacy: call sond': /^there is no tool "sond"; did you mean sound\?$/,
      'legacy: call exit': /^the server exited with code 3$/,
      'legacy: exit': /^the server exited with code 3 before its stdin ended$/,
    },
  },
  {
    title: 'a result without what is expected',
    server: fixture('smoke-structured'),
    options: ['--call', 'sound', '--expect', 'the sum', '--expect', 'is 4', '--call', 'sound', '--expect', 'is 3'],
    failures: { 'legacy: call sound': /^expected "is 4" in: the sum is 3\n\{"sum":3\}$/ },
  },
  {
    title: 'a command that does not exist',
    server: ['no-such-command-here'],
    code: 2,
    failures: { 'legacy: handshake': /^command not found: no-such-command-here$/ },
  },
  {
    title: 'a server that ends at once',
    server: fixture('exit-code', '5'),
    code: 2,
    failures: {
      'legacy: handshake': /^initialize: the server exited with code 5$/,
      'modern: handshake': /^server\/discover: the server exited with code 5$/,
    },
  },
];

for (const { title, server, options = [], code = 1, failures } of bad) {
  test(`a smoke run fails for the right reason: ${title}`, async () => {
    const report = await runSmoke(options, server);
    const story = JSON.stringify(report, undefined, 2);
    assert.deepEqual(named(report, 'failed').sort(), Object.keys(failures).sort(), story);
    for (const [check, reason] of Object.entries(failures)) {
      const [group = '', name = ''] = check.split(': ');
      assert.match(find(report, group, name).problems.join('\n'), reason);
    }
    assert.equal(report.exitCode, code, story);
    assert.equal(report.started, code !== 2);
  });
}

test("a report of a failure ends with the server's last words on stderr, and only then", async () => {
  assert.match((await runSmoke([], fixture('exit-code', '5'))).stderr, /^up$/);
  assert.equal((await runSmoke([], fixture('exit-code'))).stderr, '');
});
