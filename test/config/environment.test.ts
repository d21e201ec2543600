// What the environment can say: every option under its own name, the inherited variables, and errors that name the
// variable.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEnvironment, type FromEnvironment } from '#src/config/environment.js';
import { camelCase } from '#src/config/option-values.js';
import type { OptionSpec } from '#src/config/option-spec.js';
import { options } from '#src/config/options.js';

function read(env: NodeJS.ProcessEnv): FromEnvironment {
  const result = readEnvironment(env);
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.value;
}

const cases: readonly [variable: string, text: string, option: string, value: unknown][] = [
  ['MCP_HOT_RELOAD', 'false', 'reload', false],
  ['MCP_HOT_RELOAD', '0', 'reload', false],
  ['MCP_HOT_RELOAD', 'Off', 'reload', false],
  ['MCP_HOT_RELOAD', 'NO', 'reload', false],
  ['MCP_HOT_RELOAD', 'true', 'reload', true],
  ['MCP_WATCH_FILE', 'src/a.js, src/b.js', 'watch', ['src/a.js', 'src/b.js']],
  ['MCP_WATCH_FILE', 'src/*.{js,ts},lib', 'watch', ['src/*.{js,ts}', 'lib']],
  ['MCP_RESTART_DELAY', '300', 'debounce', 300],
  ['MCP_HOTLINE_WATCH', 'src,lib,', 'watch', ['src', 'lib']],
  ['MCP_HOTLINE_IGNORE', '**/*.{tmp,bak},out', 'ignore', ['**/*.{tmp,bak}', 'out']],
  ['MCP_HOTLINE_EXT', '.ts,tsx', 'ext', ['ts', 'tsx']],
  ['MCP_HOTLINE_DEBOUNCE', '20', 'debounce', 20],
  ['MCP_HOTLINE_POLL', '500', 'poll', 500],
  ['MCP_HOTLINE_POLL', 'true', 'poll', 2000],
  ['MCP_HOTLINE_POLL', 'off', 'poll', false],
  ['MCP_HOTLINE_NO_POLL', '1', 'poll', false],
  ['MCP_HOTLINE_RELOAD', 'no', 'reload', false],
  ['MCP_HOTLINE_NO_RELOAD', 'true', 'reload', false],
  ['MCP_HOTLINE_NO_RELOAD', 'false', 'reload', undefined],
  ['MCP_HOTLINE_BUILD', 'npm run compile', 'build', 'npm run compile'],
  ['MCP_HOTLINE_BUILD', 'true', 'build', 'build'],
  ['MCP_HOTLINE_BUILD', 'false', 'build', false],
  ['MCP_HOTLINE_NO_BUILD', 'yes', 'build', false],
  ['MCP_HOTLINE_STRATEGY', 'replace', 'strategy', 'replace'],
  ['MCP_HOTLINE_START_TIMEOUT', '0', 'startTimeout', 0],
  ['MCP_HOTLINE_SIGNAL', 'SIGINT', 'signal', 'SIGINT'],
  ['MCP_HOTLINE_AGENT_TOOLS', '1', 'agentTools', true],
  ['MCP_HOTLINE_AGENT_TOOLS', 'auto', 'agentTools', 'auto'],
  ['MCP_HOTLINE_AGENT_TOOLS', 'off', 'agentTools', false],
  ['MCP_HOTLINE_NO_AGENT_TOOLS', '1', 'agentTools', false],
  ['MCP_HOTLINE_HTTP', 'true', 'http', true],
  ['MCP_HOTLINE_HTTP', '1', 'http', true],
  ['MCP_HOTLINE_HTTP', 'off', 'http', false],
  ['MCP_HOTLINE_HTTP', '0', 'http', 0],
  ['MCP_HOTLINE_HTTP', '8080', 'http', 8080],
  ['MCP_HOTLINE_NO_HTTP', '1', 'http', false],
  ['MCP_HOTLINE_HOST', '::1', 'host', '::1'],
  ['MCP_HOTLINE_TOKEN', '0123456789abcdef', 'token', '0123456789abcdef'],
  ['MCP_HOTLINE_ALLOWED_HOST', 'a.example.com, b', 'allowedHost', ['a.example.com', 'b']],
  ['MCP_HOTLINE_UPSTREAM', 'http://a:{port}/mcp', 'upstream', 'http://a:{port}/mcp'],
  ['MCP_HOTLINE_ALLOWED_ORIGIN', 'https://a,http://b:80', 'allowedOrigin', ['https://a', 'http://b:80']],
  ['MCP_HOTLINE_MAX_SESSIONS', '3', 'maxSessions', 3],
  ['MCP_HOTLINE_SESSION_TIMEOUT', '0', 'sessionTimeout', 0],
  ['MCP_HOTLINE_SHARE', 'on', 'share', true],
  ['MCP_HOTLINE_REAP', '1', 'reap', true],
  ['MCP_HOTLINE_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
  ['MCP_HOTLINE_LOG_LEVEL', '', 'logLevel', undefined],
];

for (const [variable, text, option, value] of cases) {
  test(`${variable}=${text} sets ${option} to ${JSON.stringify(value)}`, () => {
    const expected = value === undefined ? {} : { [option]: value };
    assert.deepEqual(read({ [variable]: text }).options, expected);
  });
}

function goodText(spec: OptionSpec): string {
  if (spec.name === 'token') return 'auto';
  if (spec.name === 'allowed-origin' || spec.name === 'upstream') return 'https://example.com';
  switch (spec.type) {
    case 'number':
      return '50';
    case 'switch':
      return 'true';
    case 'choice':
      return spec.choices[0]!;
    default:
      return 'SIGINT';
  }
}

test('every option has its variable, and a bad value is an error that names it', () => {
  for (const spec of options) {
    const variable = `MCP_HOTLINE_${spec.name.toUpperCase().replaceAll('-', '_')}`;
    const good = goodText(spec);
    assert.ok(Object.hasOwn(read({ [variable]: good }).options, camelCase(spec.name)), variable);
    if (spec.type === 'list' || spec.type === 'text') continue;
    const result = readEnvironment({ [variable]: 'nonsense' });
    assert.ok(!result.ok, variable);
    assert.ok(result.error.startsWith(`${variable}: "nonsense" is not allowed, expected `), result.error);
  }
});

test('bad values of the inherited variables are errors too', () => {
  for (const [variable, text] of [
    ['MCP_HOT_RELOAD', 'perhaps'],
    ['MCP_RESTART_DELAY', '1s'],
    ['MCP_HOTLINE_NO_BUILD', 'x'],
  ]) {
    const result = readEnvironment({ [variable!]: text });
    assert.ok(!result.ok);
    assert.ok(result.error.startsWith(`${variable}: ${JSON.stringify(text)} is not allowed`), result.error);
  }
});

test('our own name overrides an inherited one', () => {
  const { options: found } = read({
    MCP_WATCH_FILE: 'a',
    MCP_HOTLINE_WATCH: 'b',
    MCP_RESTART_DELAY: '1',
    MCP_HOTLINE_DEBOUNCE: '2',
    MCP_HOT_RELOAD: 'true',
    MCP_HOTLINE_RELOAD: 'false',
  });
  assert.deepEqual(found, { watch: ['b'], debounce: 2, reload: false });
});

test('MCP_SERVER_ARGS is a JSON array, or split like a shell would', () => {
  const argsOf = (text: string) => read({ MCP_SERVER_COMMAND: 'node', MCP_SERVER_ARGS: text }).args;
  assert.deepEqual(argsOf(' ["a b", "", "$(rm x)"]'), ['a b', '', '$(rm x)']);
  assert.deepEqual(argsOf(`server.js --name 'a b' $(touch x)`), ['server.js', '--name', 'a b', '$(touch', 'x)']);
  assert.deepEqual(argsOf(''), []);
});

test('bad MCP_SERVER_ARGS are an error that names it', () => {
  for (const text of ['["a"', '[1]', '[["a"]]', 'a "b']) {
    const result = readEnvironment({ MCP_SERVER_ARGS: text });
    assert.ok(!result.ok, text);
    assert.match(result.error, /^MCP_SERVER_ARGS: /);
  }
});

test('a variable that is no option is a warning, and what we tell servers is none', () => {
  const { warnings } = read({
    MCP_HOTLINE_DEBOUCE: '5',
    MCP_HOTLINE_GENERATION: '2',
    MCP_HOTLINE_MARK: 'm:1',
    MCP_OTHER: 'x',
  });
  assert.deepEqual(warnings, [
    'MCP_HOTLINE_DEBOUCE is not an option and has no effect; did you mean MCP_HOTLINE_DEBOUNCE?',
  ]);
});
