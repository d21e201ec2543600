// How the words of a command line are read: options, the server's command, and one-line errors that show what would be
// right.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandLine } from '#src/cli/command-line.js';
import { commands } from '#src/cli/commands.js';
import { camelCase } from '#src/config/option-values.js';
import { options } from '#src/config/options.js';

const understood: readonly [words: string, given: object][] = [
  ['-- node server.js', { command: 'node', args: ['server.js'] }],
  ['run -- node server.js', { command: 'node', args: ['server.js'] }],
  ['-- run', { command: 'run', args: [] }],
  ['', {}],
  ['--', {}],
  ['run', {}],
  ['-- node -- --watch x --help -e', { command: 'node', args: ['--', '--watch', 'x', '--help', '-e'] }],
  ['-- 007 1e3 0x1f', { command: '007', args: ['1e3', '0x1f'] }],
  ['--watch a -w b --watch=c -- x', { watch: ['a', 'b', 'c'], command: 'x', args: [] }],
  ['-i a -e .ts,js -d 5 -- x', { ignore: ['a'], ext: ['ts', 'js'], debounce: 5, command: 'x', args: [] }],
  ['--hold 1 --hold 2 -- x', { hold: 2, command: 'x', args: [] }],
  ['--poll -- x', { poll: 2000, command: 'x', args: [] }],
  ['--poll 50 -- x', { poll: 50, command: 'x', args: [] }],
  ['--poll=50 x y', { poll: 50, command: 'x', args: ['y'] }],
  ['--no-poll -- x', { poll: false, command: 'x', args: [] }],
  ['--http -- x', { http: true, command: 'x', args: [] }],
  ['--http 0 -- x', { http: 0, command: 'x', args: [] }],
  ['--http=8080 x', { http: 8080, command: 'x', args: [] }],
  ['--no-http -- x', { http: false, command: 'x', args: [] }],
  ['--http --share -- x', { http: true, share: true, command: 'x', args: [] }],
  ['--allowed-host a --allowed-host b -- x', { allowedHost: ['a', 'b'], command: 'x', args: [] }],
  ['--build -- x', { build: 'build', command: 'x', args: [] }],
  ['--build --poll -- x', { build: 'build', poll: 2000, command: 'x', args: [] }],
  ['--build compile -- x', { build: 'compile', command: 'x', args: [] }],
  ['--no-build -- x', { build: false, command: 'x', args: [] }],
  ['--no-reload -- x', { reload: false, command: 'x', args: [] }],
  ['--reload -- x', { reload: true, command: 'x', args: [] }],
  ['--agent-tools -- x', { agentTools: true, command: 'x', args: [] }],
  ['--agent-tools=false -- x', { agentTools: false, command: 'x', args: [] }],
  ['--agent-tools node server.js', { agentTools: true, command: 'node', args: ['server.js'] }],
  ['--agent-tools auto -- x', { agentTools: 'auto', command: 'x', args: [] }],
  ['--agent-tools=auto x', { agentTools: 'auto', command: 'x', args: [] }],
  ['--agent-tools on x', { agentTools: true, command: 'x', args: [] }],
  ['--agent-tools off x auto', { agentTools: false, command: 'x', args: ['auto'] }],
  ['--agent-tools auto --watch a on', { agentTools: 'auto', watch: ['a'], command: 'on', args: [] }],
  ['--agent-tools --watch auto -- x', { agentTools: true, watch: ['auto'], command: 'x', args: [] }],
  ['--agent-tools off --agent-tools auto -- x', { agentTools: 'auto', command: 'x', args: [] }],
  ['--agent-tools auto --agent-tools -- x', { agentTools: true, command: 'x', args: [] }],
  ['--no-agent-tools -- x', { agentTools: false, command: 'x', args: [] }],
  ['run --agent-tools auto auto', { agentTools: 'auto', command: 'auto', args: [] }],
  ['npx --agent-tools auto', { command: 'npx', args: ['--agent-tools', 'auto'] }],
  ['--agent-tools automatic x', { agentTools: true, command: 'automatic', args: ['x'] }],
  ['-- x --agent-tools auto', { command: 'x', args: ['--agent-tools', 'auto'] }],
  ['--watch=--agent-tools=x -- x', { watch: ['--agent-tools=x'], command: 'x', args: [] }],
  ['--watch src node server.js --watch y', { watch: ['src'], command: 'node', args: ['server.js', '--watch', 'y'] }],
  ['node server.js -xyz --poll 5 --build', { command: 'node', args: ['server.js', '-xyz', '--poll', '5', '--build'] }],
  ['--build=a node --build b', { build: 'a', command: 'node', args: ['--build', 'b'] }],
  ['node server.js --help', { command: 'node', args: ['server.js', '--help'] }],
  ['run node server.js', { command: 'node', args: ['server.js'] }],
  ['--no-reload node', { reload: false, command: 'node', args: [] }],
  ['--watch a.b.c --state-dir 007 -- x', { watch: ['a.b.c'], stateDir: '007', command: 'x', args: [] }],
];

const split = (words: string): string[] => words.split(' ').filter((word) => word !== '');

/** The name of the command, the options and the server's command, and the words besides; or the error. */
function read(words: readonly string[]): readonly [name: string, given: object, operands: readonly string[]] | string {
  const line = readCommandLine(words, commands);
  return line.ok ? [line.value.command.name, line.value.given, line.value.operands] : line.error;
}

for (const [words, given] of understood) {
  test(`mcp-hotline ${words}`, () => assert.deepEqual(read(split(words)), ['run', given, []]));
}

const server = { command: 'x', args: ['y'] };
const others: readonly [words: string, name: string, given: object, operands?: readonly string[]][] = [
  ['explain -- x y', 'explain', server],
  ['--watch a explain -- x y', 'explain', { watch: ['a'], ...server }],
  ['--watch a explain --json x y', 'explain', { watch: ['a'], json: true, ...server }],
  ['--json explain x y', 'explain', { json: true, ...server }],
  ['--agent-tools auto explain x y', 'explain', { agentTools: 'auto', ...server }],
  ['--agent-tools explain x y', 'explain', { agentTools: true, ...server }],
  ['explain --agent-tools off x y', 'explain', { agentTools: false, ...server }],
  ['serve -- x y', 'serve', server],
  ['serve --port 0 --token auto x y', 'serve', { port: 0, token: 'auto', ...server }],
  ['--watch a serve --share -- x y', 'serve', { watch: ['a'], share: true, ...server }],
  ['--port 7 serve x y', 'serve', { port: 7, ...server }],
  ['-- serve y', 'run', { command: 'serve', args: ['y'] }],
  ['--call t --watch a smoke --reload -- x y', 'smoke', { call: ['t'], watch: ['a'], reload: true, ...server }],
  ['-w explain -- x y', 'run', { watch: ['explain'], ...server }],
  ['--build explain -- x y', 'run', { build: 'explain', ...server }],
  ['--no-reload run x y', 'run', { reload: false, ...server }],
  ['run explain y', 'run', { command: 'explain', args: ['y'] }],
  ['-- explain y', 'run', { command: 'explain', args: ['y'] }],
  ['node explain', 'run', { command: 'node', args: ['explain'] }],
  ['--cwd a status', 'status', { cwd: 'a' }],
  ['-f log', 'log', { follow: true }],
  ['log --json -f', 'log', { json: true, follow: true }],
  ['completion', 'completion', {}],
  ['completion zsh', 'completion', {}, ['zsh']],
  ['help', 'help', {}],
  ['help smoke', 'help', {}, ['smoke']],
  ['version', 'version', {}],
  ['wrap', 'wrap', {}],
  ['wrap a b --client cursor --yes', 'wrap', { client: 'cursor', yes: true }, ['a', 'b']],
  ['wrap --client cursor a -y', 'wrap', { client: 'cursor', yes: true }, ['a']],
  ['wrap --no-portable', 'wrap', { portable: false }],
  ['wrap a -- --watch src', 'wrap', {}, ['a']],
  ['unwrap a --dry-run', 'unwrap', { dryRun: true }, ['a']],
  ['clients --json', 'clients', { json: true }],
];

for (const [words, name, given, operands = []] of others) {
  test(`mcp-hotline ${words} is the command ${name}`, () =>
    assert.deepEqual(read(split(words)), [name, given, operands]));
}

test('options of the proxy after -- are kept as they were typed', () => {
  const line = readCommandLine(split('wrap a -- --agent-tools off --watch src -w b'), commands);
  assert.deepEqual(line.ok && line.value.proxyOptions, split('--agent-tools off --watch src -w b'));
});

const form = 'mcp-hotline [options] -- <command> [args…]';
const refused: readonly [words: string, error: string][] = [
  ['--wach src -- x', 'unknown option --wach; did you mean --watch?'],
  ['wrap a -- --wach src', 'unknown option --wach; did you mean --watch?'],
  ['wrap a -- --watch src x', 'unexpected "x" after --, where only options of mcp-hotline itself may stand'],
  ['wrap a -- --watch src -- x', 'unexpected "--" after --, where only options of mcp-hotline itself may stand'],
  ['wrap a -- -h', 'unexpected "--help" after --, where only options of mcp-hotline itself may stand'],
  ['--wach=src -- x', 'unknown option --wach; did you mean --watch?'],
  ['-watch src -- x', 'unknown option -watch; did you mean --watch?'],
  ['--no-relod -- x', 'unknown option --no-relod; did you mean --no-reload?'],
  ['--startTimeout 5 -- x', 'unknown option --startTimeout; did you mean --start-timeout?'],
  ['--frobnicate -- x', 'unknown option --frobnicate; mcp-hotline --help lists them all'],
  ['-q -- x', 'unknown option -q; mcp-hotline --help lists them all'],
  ['--log-level debug status', 'status has no option --log-level; mcp-hotline status --help lists those it has'],
  ['log -w', 'log has no option -w; mcp-hotline log --help lists those it has'],
  ['--no-watch -- x', 'unknown option --no-watch; mcp-hotline --help lists them all'],
  ['--constructor -- x', 'unknown option --constructor; mcp-hotline --help lists them all'],
  ['--$0 -- x', 'unknown option --$0; mcp-hotline --help lists them all'],
  [
    '--debounce soon -- x',
    '--debounce: "soon" is not allowed, expected a whole number of milliseconds from 0 to 60000',
  ],
  ['--debounce -5 -- x', '--debounce: "-5" is not allowed, expected a whole number of milliseconds from 0 to 60000'],
  ['-d 1.5 -- x', '--debounce: "1.5" is not allowed, expected a whole number of milliseconds from 0 to 60000'],
  ['--strategy swap -- x', '--strategy: "swap" is not allowed, expected overlap or replace'],
  ['--max-message 0 -- x', '--max-message: 0 is not allowed, expected a whole number of MiB from 1 to 2048'],
  ['--watch -- x', '--watch: a value is missing, expected <path or glob>, repeatable'],
  ['--watch --ignore a -- x', '--watch: a value is missing, expected <path or glob>, repeatable'],
  ['--hold', '--hold: a value is missing, expected a whole number of milliseconds from 0 to 86400000'],
  ['--agent-tools=maybe -- x', '--agent-tools: "maybe" is not allowed, expected on, off or auto'],
  ['--agent-tools maybe -- x', `unexpected "maybe" before --; expected ${form}`],
  ['--agent-tools auto --no-agent-tools', '--agent-tools and --no-agent-tools exclude each other, give one of them'],
  ['--reap=maybe -- x', '--reap: "maybe" is not allowed, expected true or false'],
  ['--no-reload=1 -- x', '--no-reload: "1" is not allowed, expected true or false'],
  ['--build a --no-build -- x', '--build and --no-build exclude each other, give one of them'],
  ['--poll node x', '--poll: "node" is not allowed, expected a whole number of milliseconds from 10 to 3600000'],
  ['--build node x', `--build leaves open where the server's command begins, expected ${form}`],
  ['--poll 50 node x', `--poll leaves open where the server's command begins, expected ${form}`],
  ['server -- x', `unexpected "server" before --; did you mean serve?`],
  ['program -- x', `unexpected "program" before --; expected ${form}`],
  ['rnu -- x', 'unexpected "rnu" before --; did you mean run?'],
  ['completion --watch x', 'completion has no option --watch; mcp-hotline completion --help lists those it has'],
  ['smoke --rpeorter tap', 'unknown option --rpeorter; did you mean --reporter?'],
  ['smoke --reporter xml', '--reporter: "xml" is not allowed, expected text, tap, json or junit'],
  ['smoek -- x', 'unexpected "smoek" before --; did you mean smoke?'],
  ['--call x -- y', 'unknown option --call; mcp-hotline --help lists them all'],
  ['status now', 'unexpected "now", expected mcp-hotline status [--json]'],
  ['--json status -- now', 'unexpected "--", expected mcp-hotline status [--json]'],
  ['version 2', 'unexpected "2", expected mcp-hotline version'],
  ['completion tcsh', 'completion: unknown shell "tcsh"; expected bash, zsh, fish'],
  ['completion bsh', 'completion: unknown shell "bsh"; did you mean bash?'],
  ['completion bash zsh', 'unexpected "zsh", expected mcp-hotline completion [bash|zsh|fish]'],
  ['help staus', 'help: unknown command "staus"; did you mean status?'],
  ['--json run -- x', 'unknown option --json; mcp-hotline --help lists them all'],
  ['--json -- x', 'unknown option --json; mcp-hotline --help lists them all'],
  ['run server -- x', `unexpected "server" before --; did you mean serve?`],
  ['run program -- x', `unexpected "program" before --; expected ${form}`],
  ['--port 5 -- x', '--port: it belongs to mcp-hotline serve; beside a client on stdio it is --http [port]'],
  ['serve --http -- x', '--http: serve listens on HTTP anyway; name the port with --port'],
];

for (const [words, error] of refused) {
  test(`mcp-hotline ${words}: ${error}`, () => {
    assert.deepEqual(read(split(words)), error);
  });
}

test('every option of the table is understood', () => {
  for (const spec of options) {
    const value = {
      list: 'js',
      number: '50',
      text: 'x',
      choice: 'choices' in spec ? spec.choices[0]! : '',
      switch: '',
      signal: 'SIGINT',
    };
    const formed = new Map([
      ['token', 'auto'],
      ['allowed-origin', 'https://x'],
      ['upstream', 'http://x:{port}/mcp'],
    ]);
    const good = formed.get(spec.name) ?? value[spec.type];
    const words = spec.type === 'switch' ? [`--${spec.name}`] : [`--${spec.name}`, good];
    const line = readCommandLine([...words, '--', 'x'], commands);
    assert.ok(line.ok, spec.name);
    assert.ok(Object.hasOwn(line.value.given, camelCase(spec.name)), spec.name);
  }
});

test('help and version are asked for before the command, by any of their names', () => {
  for (const words of ['--help', '-h', '--watch x --help', 'run --help', '--wach --help']) {
    assert.deepEqual(read(split(words)), ['help', {}, ['run']], words);
  }
  for (const words of ['smoke --help', '--help smoke', '--watch x smoke -h']) {
    assert.deepEqual(read(split(words)), ['help', {}, ['smoke']], words);
  }
  for (const words of ['--version', '-v', '-V', '--watch x -v', 'status --version']) {
    assert.deepEqual(read(split(words)), ['version', {}, []], words);
  }
});
