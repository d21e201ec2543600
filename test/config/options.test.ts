// Every option of the table with values that are good and values that are bad, as text and as data. What the values
// then do is for the tests of those who act on them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowed, checkOptions, checkTexts, checkValue } from '#src/config/check.js';
import { defaults } from '#src/config/option-values.js';
import { options } from '#src/config/options.js';

interface Row {
  good: readonly [text: string, value: unknown][];
  bad: readonly string[];
}

const time: Row = {
  good: [
    ['0', 0],
    ['1500', 1500],
    ['86400000', 86_400_000],
  ],
  bad: ['-1', '1.5', '1e3', '0x10', 'soon', '10s', '86400001', 'Infinity', 'NaN', ' 1', ''],
};
const choice = (...words: string[]): Row => ({
  good: words.map((word) => [word, word]),
  bad: ['', 'sometimes', words[0]!.toUpperCase()],
});
const text: Row = { good: [['some/where', 'some/where']], bad: ['', 'a\0b'] };

const rows: Readonly<Record<string, Row>> = {
  watch: {
    good: [
      ['src', ['src']],
      ['src/**/*.{js,ts}', ['src/**/*.{js,ts}']],
      ['a,b', ['a,b']],
    ],
    bad: ['', 'a\0'],
  },
  'also-watch': { good: [['data/*.json', ['data/*.json']]], bad: ['', 'a\0'] },
  ignore: { good: [['**/*.log', ['**/*.log']]], bad: [''] },
  ext: {
    good: [
      ['ts', ['ts']],
      ['.ts,tsx', ['ts', 'tsx']],
      ['*.js, .d.ts', ['js', 'd.ts']],
    ],
    bad: ['', ',', 'ts,', 'src/a', 'a b', '*'],
  },
  debounce: {
    ...time,
    good: [
      ['0', 0],
      ['60000', 60_000],
    ],
    bad: [...time.bad, '60001'],
  },
  poll: {
    good: [
      ['10', 10],
      ['2000', 2000],
    ],
    bad: ['9', '-1', 'fast', '1.5', '3600001'],
  },
  build: {
    good: [
      ['compile', 'compile'],
      ['make -j all', 'make -j all'],
    ],
    bad: ['', '\0'],
  },
  'build-timeout': time,
  reload: {
    good: [
      ['true', true],
      ['off', false],
    ],
    bad: ['maybe'],
  },
  strategy: choice('overlap', 'replace'),
  'while-reloading': choice('hold', 'serve'),
  'on-failure': choice('report', 'serve'),
  retry: choice('safe', 'never'),
  notify: choice('changed', 'always', 'never'),
  signal: {
    good: [
      ['SIGTERM', 'SIGTERM'],
      ['SIGUSR2', 'SIGUSR2'],
    ],
    bad: ['', 'TERM', 'sigterm', 'SIGNOTHING', '15', 'toString'],
  },
  'restart-delay': {
    ...time,
    good: [
      ['0', 0],
      ['600000', 600_000],
    ],
  },
  drain: time,
  hold: time,
  'start-timeout': time,
  'stop-timeout': time,
  concurrency: {
    good: [
      ['1', 1],
      ['16', 16],
    ],
    bad: ['0', '-1', 'many', '1.5'],
  },
  'call-timeout': time,
  'max-message': {
    good: [
      ['1', 1],
      ['2048', 2048],
    ],
    bad: ['0', '2049', '0.5', '1MB'],
  },
  'agent-tools': {
    good: [
      ['true', true],
      ['0', false],
      ['on', true],
      ['off', false],
      ['auto', 'auto'],
    ],
    bad: ['please'],
  },
  hints: choice('changes', 'stderr', 'off'),
  http: {
    good: [
      ['0', 0],
      ['6280', 6280],
      ['65535', 65_535],
    ],
    bad: ['70000', '65536', '-1', '8080.5', 'on port 80', ''],
  },
  host: {
    good: ['127.0.0.1', '::1', '0.0.0.0', '::', 'fe80::1', 'localhost', 'my-machine.local'].map((word) => [word, word]),
    bad: ['', 'http://127.0.0.1', '127.0.0.1:80', 'localhost:80', '[::1]', 'a b', 'a/b'],
  },
  token: {
    good: ['auto', '0123456789abcdef', 'a'.repeat(1024), '~!$%&/()=?{}[]<>'].map((word) => [word, word]),
    bad: [
      '',
      'abc',
      '0123456789abcde',
      'a'.repeat(1025),
      '0123456789 abcdef',
      '0123456789abcdefä',
      '0123456789abcdef\n',
    ],
  },
  'allowed-host': {
    good: ['dev.example.com', 'my_host', '192.168.1.5', '[fd00::1]'].map((word) => [word, [word]]),
    bad: ['', 'https://dev.example.com', 'dev.example.com/mcp', 'dev.example.com:80', 'fd00::1', '*', 'a b', '.com'],
  },
  'allowed-origin': {
    good: ['https://a.example.com', 'http://192.168.1.5:3000', 'http://[fd00::1]:80', 'vscode-webview://x1'].map(
      (word) => [word, [word]],
    ),
    bad: [
      '',
      'a.example.com',
      'https://a.example.com/',
      'https://a.example.com/x',
      'null',
      '*',
      'file://',
      'https://a b',
    ],
  },
  'max-sessions': {
    good: [
      ['1', 1],
      ['10000', 10_000],
    ],
    bad: ['0', '-1', '10001', '1.5', 'many'],
  },
  'session-timeout': time,
  share: {
    good: [
      ['true', true],
      ['0', false],
    ],
    bad: ['please'],
  },
  upstream: {
    good: [
      'http://127.0.0.1:{port}/mcp',
      'http://127.0.0.1:8000/mcp',
      'https://localhost:8443/mcp/',
      'http://[::1]:{port}/sse',
      'http://api:3000',
      'http://localhost',
      'https://mcp.example.com/v1/mcp?tenant=a',
    ].map((word) => [word, word]),
    bad: [
      '',
      '3000',
      'localhost:3000/mcp',
      '127.0.0.1:3000',
      '/mcp',
      'ws://127.0.0.1:3000/mcp',
      'file:///tmp/mcp',
      'http://',
      'http:///mcp',
      'http://127.0.0.1:port/mcp',
      'http://127.0.0.1:{PORT}/mcp',
      'http://127.0.0.1:30{port}/mcp',
      'http://{port}/mcp',
      'http://{port}:3000/mcp',
      'http://127.0.0.1:{port}/{port}',
      'http://127.0.0.1:3000/{port}/mcp',
      'http://127.0.0.1:$PORT/mcp',
      'http://user:secret@127.0.0.1:3000/mcp',
      'http://127.0.0.1:3000/mcp#there',
      'http://127.0.0.1:3000/m cp',
    ],
  },
  reap: {
    good: [
      ['true', true],
      ['0', false],
    ],
    bad: ['please'],
  },
  'log-level': choice('debug', 'info', 'warn', 'error', 'silent'),
  'log-format': choice('text', 'json'),
  'log-file': text,
  'env-file': { good: [['conf/.env', ['conf/.env']]], bad: ['', 'a\0'] },
  cwd: text,
  'state-dir': text,
  config: text,
};

test('the tables of this test and of the product name the same options', () => {
  assert.deepEqual(
    Object.keys(rows),
    options.map(({ name }) => name),
  );
});

for (const spec of options) {
  const { good, bad } = rows[spec.name] ?? { good: [], bad: [] };
  test(`--${spec.name} takes what is good and refuses what is bad`, () => {
    for (const [word, value] of good) assert.deepEqual(checkTexts(spec, [word]), { ok: true, value }, word);
    for (const word of bad) {
      const result = checkTexts(spec, [word]);
      assert.equal(result.ok, false, `${JSON.stringify(word)} was taken`);
      if (result.ok) continue;
      const isSecret = 'secret' in spec;
      const named = isSecret ? `a value of ${word.length} characters` : JSON.stringify(word);
      assert.ok(result.error.includes(named) || result.error.includes(word), `names the value: ${result.error}`);
      assert.ok(!isSecret || word.length < 3 || !result.error.includes(word), `keeps the secret: ${result.error}`);
      assert.ok(result.error.endsWith(`expected ${allowed(spec)}`), `says what is allowed: ${result.error}`);
      assert.ok(!result.error.includes('\n'), 'is one line');
    }
  });
}

test('every default is a good value', () => {
  for (const spec of options) {
    if ('default' in spec)
      assert.deepEqual(checkValue(spec, spec.default), { ok: true, value: spec.default }, spec.name);
    if ('bare' in spec) assert.deepEqual(checkValue(spec, spec.bare), { ok: true, value: spec.bare }, spec.name);
  }
  assert.equal(defaults.debounce, 100);
  assert.equal(defaults.buildTimeout, 120_000);
});

test('names and aliases are unique', () => {
  const all = options.flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias])]);
  assert.deepEqual(all, [...new Set(all)]);
});

test('of several values the last one counts, and a list keeps them all', () => {
  const specOf = (name: string) => options.find((spec) => spec.name === name)!;
  assert.deepEqual(checkTexts(specOf('hold'), ['1', '2']), { ok: true, value: 2 });
  assert.deepEqual(checkTexts(specOf('watch'), ['a', 'b']), { ok: true, value: ['a', 'b'] });
  assert.deepEqual(checkTexts(specOf('ext'), ['js,.ts', 'py']), { ok: true, value: ['js', 'ts', 'py'] });
});

test('data: the words of a switch that has further modes mean the same as true and false', () => {
  for (const [agentTools, value] of [
    ['auto', 'auto'],
    ['on', true],
    ['off', false],
    [true, true],
    [false, false],
  ])
    assert.deepEqual(checkOptions({ agentTools }), { ok: true, value: { agentTools: value } });
  for (const agentTools of ['yes', 'AUTO', 1, null]) assert.equal(checkOptions({ agentTools }).ok, false);
  assert.equal(checkOptions({ reap: 'on' }).ok, false, 'a plain switch has no words');
});

test('data: good values pass, the bare and the negated form included', () => {
  const given = {
    watch: ['src'],
    poll: true,
    build: false,
    hold: 5,
    startTimeout: 1,
    agentTools: true,
    cwd: undefined,
  };
  assert.deepEqual(checkOptions(given), {
    ok: true,
    value: { watch: ['src'], poll: 2000, build: false, hold: 5, startTimeout: 1, agentTools: true },
  });
});

test('data: every bad option has a line, and the others are there', () => {
  const result = checkOptions({ wach: 1, hold: -1, drain: 7, reload: 'false' });
  assert.ok(!result.ok);
  assert.deepEqual(
    result.error.split('\n').map((line) => line.split(/:| /)[0]),
    ['wach', 'hold', 'reload'],
  );
  assert.deepEqual(result.usable, { drain: 7 });
});

const badData: readonly [given: object, error: RegExp][] = [
  [{ wach: ['src'] }, /^wach is not an option; did you mean watch\?$/],
  [{ 'start-timeout': 5 }, /^start-timeout is not an option; did you mean startTimeout\?$/],
  [{ entirelyDifferent: 5 }, /^entirelyDifferent is not an option$/],
  [{ watch: 'src' }, /^watch: "src" is not allowed, expected <path or glob>, repeatable$/],
  [{ watch: ['src', 5] }, /^watch: 5 is not allowed/],
  [{ debounce: '100' }, /^debounce: "100" is not allowed, expected a whole number of milliseconds from 0 to 60000$/],
  [{ debounce: NaN }, /^debounce: NaN is not allowed/],
  [{ hold: Infinity }, /^hold: Infinity is not allowed/],
  [{ hold: null }, /^hold: null is not allowed/],
  [{ reload: 'false' }, /^reload: "false" is not allowed, expected true or false$/],
  [{ strategy: 'swap' }, /^strategy: "swap" is not allowed, expected overlap or replace$/],
  [{ signal: 15 }, /^signal: 15 is not allowed/],
  [{ build: {} }, /^build: \{\} is not allowed, expected \[script or command\]$/],
  [{ cwd: { toString: 0 } }, /^cwd: \{ toString: 0 \} is not allowed/],
  [{ cwd: Symbol('here') }, /^cwd: Symbol\(here\) is not allowed/],
  [{ ext: Object.create(null) as object }, /^ext: \[Object: null prototype\] \{\} is not allowed/],
];

for (const [given, error] of badData) {
  test(`data: ${String(error)}`, () => {
    const result = checkOptions(given);
    assert.ok(!result.ok);
    assert.match(result.error, error);
  });
}
