// The four forms of a report, on a made-up run: what is in them, and that nothing a server says can break them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { reporters, type ReporterName } from '#src/smoke/options.js';
import { exitCode, type Check, type Report } from '#src/smoke/report.js';
import { createReporter } from '#src/smoke/reporters.js';

const checks: readonly Check[] = [
  { group: 'legacy', name: 'handshake', status: 'ok', ms: 120, detail: 'echo 1.0.0, 2025-11-25', problems: [] },
  {
    group: 'legacy',
    name: 'schemas',
    status: 'failed',
    ms: 12_345,
    detail: '',
    problems: ['tool <a> & "b"', 'two\nlines'],
  },
  {
    group: 'modern',
    name: 'handshake',
    status: 'skipped',
    ms: 3,
    detail: 'not supported by the server (#1)',
    problems: [],
  },
];
const report: Report = { command: ['node', 'a b.js'], checks, started: true, ms: 12_500, stderr: 'oh\x1b[31m no' };

function printed(name: ReporterName, of: Report): string {
  const reporter = createReporter(name);
  return reporter.begin(of.command) + of.checks.map((check) => reporter.check(check)).join('') + reporter.end(of);
}

test('text: a line a check with its duration, the problems below it, the last words and the sum at the end', () => {
  assert.equal(
    printed('text', report),
    `mcp-hotline smoke: node a b.js

legacy
  ok        120 ms  handshake                echo 1.0.0, 2025-11-25
  FAILED    12.3 s  schemas
            - tool <a> & "b"
            - two
            lines

modern
  skipped     3 ms  handshake                not supported by the server (#1)

the server's last words on stderr
    oh[31m no

3 checks: 1 passed, 1 failed, 1 skipped (12.5 s)
`,
  );
  assert.match(printed('text', { ...report, started: false }), /\nthe server can't be started; 3 checks: /);
});

test('tap: version 14, a plan, directives, and a block of YAML for what is wrong', () => {
  assert.equal(
    printed('tap', report),
    `TAP version 14
# node a b.js
ok 1 - legacy: handshake
  ---
  duration_ms: 120
  detail: "echo 1.0.0, 2025-11-25"
  ...
not ok 2 - legacy: schemas
  ---
  duration_ms: 12345
  problems:
    - "tool <a> & \\"b\\""
    - "two\\nlines"
  ...
ok 3 - modern: handshake # SKIP not supported by the server (#1)
  ---
  duration_ms: 3
  detail: "not supported by the server (#1)"
  ...
1..3
# the server's last words on stderr:
#   oh[31m no
`,
  );
});

test('json: one document with everything in it, and the verdict', () => {
  assert.deepEqual(JSON.parse(printed('json', report)), { ok: false, exitCode: 1, ...report });
});

test('junit: a test case a check, failures counted, times in seconds; errors if the server could not be started', () => {
  assert.equal(
    printed('junit', report),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mcp-hotline smoke" tests="3" failures="1" errors="0" skipped="1" time="12.500">
  <testsuite name="node a b.js" tests="3" failures="1" errors="0" skipped="1" time="12.500">
    <properties><property name="exitCode" value="1"/></properties>
    <testcase classname="legacy" name="handshake" time="0.120"><system-out>echo 1.0.0, 2025-11-25</system-out></testcase>
    <testcase classname="legacy" name="schemas" time="12.345"><failure message="tool &#60;a&#62; &#38; &#34;b&#34;">tool &#60;a&#62; &#38; &#34;b&#34;
two
lines</failure></testcase>
    <testcase classname="modern" name="handshake" time="0.003"><skipped message="not supported by the server (#1)"/></testcase>
    <system-err>oh[31m no</system-err>
  </testsuite>
</testsuites>
`,
  );
  const never = printed('junit', { ...report, started: false });
  assert.match(never, /failures="0" errors="1"/);
  assert.match(never, /<error message=/);
});

test('the exit code: 0 all well, 1 a check failed, 2 the server could not be started', () => {
  const fine = checks.filter(({ status }) => status !== 'failed');
  assert.equal(exitCode({ started: true, checks: fine }), 0);
  assert.equal(exitCode({ started: true, checks }), 1);
  assert.equal(exitCode({ started: false, checks }), 2);
});

test('whatever a server says, a report keeps its form', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(']]>', '\n1..9', '\nnot ok 1', '<!--', '\u0000\u001b[2J', '\ud800', '# SKIP'),
  );
  const status = fc.constantFrom('ok' as const, 'failed' as const, 'skipped' as const);
  const group = fc.constantFrom('legacy', 'modern');
  const anyCheck = fc.record({ group, name: nasty, status, ms: fc.nat(), detail: nasty, problems: fc.array(nasty) });
  fc.assert(
    fc.property(fc.array(anyCheck, { maxLength: 5 }), nasty, (some, stderr) => {
      const run: Report = { ...report, checks: some, stderr };
      const texts = Object.fromEntries(reporters.map((name) => [name, printed(name, run)]));
      assert.deepEqual(JSON.parse(texts['json']!).checks, JSON.parse(JSON.stringify(some)));
      const tap = texts['tap']!.split('\n').filter((line) => /^(not )?ok |^\d+\.\./.test(line));
      assert.equal(tap.length, some.length + 1, texts['tap']);
      const xml = texts['junit']!.replace(/^<\?xml.*\?>/, '');
      assert.equal(xml.match(/<testcase /g)?.length ?? 0, some.length);
      assert.match(xml.replace(/<\/?[a-z-]+(?: \w+="[^"<>&]*(?:&#\d+;[^"<>&]*)*")*\/?>|&#\d+;/g, ''), /^[^<>&"]*$/);
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(texts['text']! + texts['tap']! + xml, /[\x00-\x08\x0b\x0c\x0e-\x1f]/);
    }),
  );
});
