// The built bin as a user meets it: what it prints, where, and its exit code. What it does as a proxy is for test/e2e.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commands } from '#src/cli/commands.js';
import { helpText } from '#src/cli/help.js';
import { options } from '#src/config/options.js';
import { bin } from '../support/paths.js';

const manifest = fileURLToPath(new URL('../../../package.json', import.meta.url));
const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-hotline-cli-')));
after(() => rmSync(cwd, { recursive: true }));

const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(MCP_|NODE_EXTRA_CA_CERTS)/.test(name))),
  XDG_STATE_HOME: join(cwd, 'state'),
};

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function run(words: readonly string[], more: NodeJS.ProcessEnv = {}, input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [bin, ...words], { cwd, env: { ...env, ...more }, timeout: 30_000 });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {}).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

test('--help goes to stdout and shows every option and its default', async () => {
  const { code, stdout, stderr } = await run(['--help']);
  assert.deepEqual([code, stderr], [0, '']);
  const squeezed = stdout.replace(/\s+/g, ' ');
  for (const spec of options) {
    const name = spec.name === 'reload' ? '--no-reload' : `--${spec.name}`;
    assert.match(squeezed, new RegExp(`(^| )${spec.alias === undefined ? '' : `-${spec.alias}, `}${name}( |$)`), name);
    const [, entry = ''] = squeezed.split(` ${name} `);
    const own = entry.split(/ (?:-\w, )?--\w/)[0]!;
    if (spec.type !== 'switch' && 'default' in spec) assert.ok(own.includes(`(default: ${spec.default}`), own);
  }
  for (const word of ['--no-build', '-h, --help', '--version', 'Examples:', 'Watching', 'MCP_HOTLINE_']) {
    assert.ok(stdout.includes(word), word);
  }
});

test('the version goes to stdout and is that of the package, however it is asked for', async () => {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const word of ['--version', 'version', '-v', '-V'])
    assert.deepEqual(await run([word]), { code: 0, stdout: `${version}\n`, stderr: '' }, word);
});

test('help is a command too, for the program and for each command', async () => {
  const whole = await run(['--help']);
  assert.deepEqual(await run(['help']), whole);
  const ofSmoke = await run(['smoke', '--help']);
  assert.match(ofSmoke.stdout, /^mcp-hotline smoke /);
  assert.deepEqual(await run(['help', 'smoke']), ofSmoke);
});

const posix = { skip: process.platform === 'win32' };

test('a command goes before a program of its name; a program goes before a misspelt command', posix, async () => {
  const programs = join(cwd, 'programs');
  mkdirSync(programs);
  for (const name of ['status', 'staus']) {
    writeFileSync(join(programs, name), `#!/bin/sh\necho "the program ${name}" >&2\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const PATH = `${programs}:${env['PATH']}`;
  const said = async (...words: string[]): Promise<string> => (await run(words, { PATH })).stderr;
  assert.match(await said('status'), /^mcp-hotline: nothing is known of /);
  assert.match(await said('--', 'status'), /^the program status$/m);
  assert.match(await said('run', 'status'), /^the program status$/m);
  assert.match(await said('staus'), /^the program staus$/m);
});

test('options may stand before the command', async () => {
  const { code, stdout } = await run(['--watch', 'plain.txt', 'explain', '--', 'node', 'server.js']);
  assert.equal(code, 0);
  assert.match(stdout, /^ +watch +plain\.txt +\(.*option.*\)$/m);
});

writeFileSync(join(cwd, 'plain.txt'), 'no program');
chmodSync(join(cwd, 'plain.txt'), 0o644);

const refused: readonly [words: readonly string[], code: number, line: RegExp, env?: NodeJS.ProcessEnv][] = [
  [
    [],
    1,
    /^mcp-hotline: no server command, expected mcp-hotline \[options\] -- <command> \[args…\]; mcp-hotline --help shows/,
  ],
  [
    ['smoke'],
    1,
    /^mcp-hotline: no server command, expected mcp-hotline smoke \[options\] -- .*; mcp-hotline smoke --help shows/,
  ],
  [
    ['staus'],
    1,
    /^mcp-hotline: "staus" is neither a command of mcp-hotline nor a program on the PATH; did you mean status\?$/,
  ],
  [['--no-reload', 'hlep', 'smoke'], 1, /"hlep" is neither .*; did you mean help\?$/],
  [['--', 'staus'], 127, /^mcp-hotline: .*staus/],
  [['run', 'staus'], 127, /^mcp-hotline: .*staus/],
  [['help', 'staus'], 1, /^mcp-hotline: help: unknown command "staus"; did you mean status\?$/],
  [['--wach', 'src', '--', 'node'], 1, /^mcp-hotline: unknown option --wach; did you mean --watch\?$/],
  [['--hold', 'x', '--', 'node'], 1, /^mcp-hotline: --hold: "x" is not allowed, expected a whole number/],
  [['--cwd', 'nowhere', '--', 'node'], 1, /^mcp-hotline: the directory .*nowhere does not exist$/],
  [['--', 'node'], 1, /^mcp-hotline: MCP_HOTLINE_HOLD: "x" is not allowed/, { MCP_HOTLINE_HOLD: 'x' }],
  [
    ['--http', '70000', '--', 'node'],
    1,
    /^mcp-hotline: --http: 70000 is not allowed, expected a whole number from 0 to 65535$/,
  ],
  [['serve', '--port', '70000', '--', 'node'], 1, /^mcp-hotline: --port: 70000 is not allowed, expected .* to 65535$/],
  [
    ['--port', '70', '--', 'node'],
    1,
    /^mcp-hotline: --port: it belongs to mcp-hotline serve; .* it is --http \[port\]$/,
  ],
  [
    ['serve', '--http', '--', 'node'],
    1,
    /^mcp-hotline: --http: serve listens on HTTP anyway; name the port with --port$/,
  ],
  [['serve', '--no-http', '--', 'node'], 1, /^mcp-hotline: --no-http: serve listens on HTTP anyway/],
  [['--http', '--host', '0.0.0.0', '--', 'node'], 1, /^mcp-hotline: --host: "0\.0\.0\.0" .* add --token auto/],
  [['serve', '--host', '0.0.0.0', '--', 'node'], 1, /^mcp-hotline: --host: "0\.0\.0\.0" .* add --token auto/],
  [['serve', '--share', '--no-reload', '--', 'node'], 1, /^mcp-hotline: --share: nothing is shared with --no-reload/],
  [
    ['--token', 'abc', '--', 'node'],
    1,
    /^mcp-hotline: --token: a value of 3 characters is not allowed, expected auto, or 16/,
  ],
  [['serve', '--', 'node'], 1, /^mcp-hotline: MCP_HOTLINE_TOKEN: a value of 3 char/, { MCP_HOTLINE_TOKEN: 'abc' }],
  [
    ['serve', '--allowed-origin', 'a', '--', 'node'],
    1,
    /^mcp-hotline: --allowed-origin: "a" is not allowed, expected an origin/,
  ],
  [
    ['serve', '--allowed-host', 'http://a/b', '--', 'node'],
    1,
    /^mcp-hotline: --allowed-host: .* without scheme, port and path/,
  ],
  [
    ['serve'],
    1,
    /^mcp-hotline: no server command, expected mcp-hotline serve \[options\] -- .*; mcp-hotline serve --help/,
  ],
  [['serve', '--', 'no-such-command-here'], 127, /^mcp-hotline: .*no-such-command-here/],
  [['--', 'no-such-command-here'], 127, /^mcp-hotline: .*no-such-command-here/],
  [['no-such-command-here'], 127, /^mcp-hotline: .*no-such-command-here/],
  [['--', './plain.txt'], 126, /^mcp-hotline: .*plain\.txt/],
];

for (const [words, expected, line, more] of refused) {
  test(`mcp-hotline ${words.join(' ')} exits ${expected} with one line on stderr`, async () => {
    const { code, stdout, stderr } = await run(words, more);
    assert.match(stderr.replace(/\n$/, ''), line);
    assert.equal(stderr.indexOf('\n'), stderr.length - 1, stderr);
    assert.deepEqual([code, stdout], [expected, '']);
  });
}

const cat = ['-e', 'process.stdin.pipe(process.stdout)'];
const message = '{"jsonrpc":"2.0","method":"x"}\n';

test('what the client sends reaches the server, and the exit is clean when the client ends', async () => {
  const { code, stdout } = await run(['--', process.execPath, ...cat], {}, message);
  assert.deepEqual([code, stdout], [0, message]);
});

test('the command may come from the environment', async () => {
  const more = { MCP_SERVER_COMMAND: process.execPath, MCP_SERVER_ARGS: JSON.stringify(cat) };
  const { code, stdout } = await run([], more, message);
  assert.deepEqual([code, stdout], [0, message]);
});

test('everything after -- is the command, untouched', async () => {
  const script = 'process.stderr.write(JSON.stringify(process.argv.slice(1)))';
  const words = ['a b', '--watch', '', '--', '$HOME', '007', '*'];
  const { stderr } = await run(['--log-level', 'silent', '--', process.execPath, '-e', script, '--', ...words]);
  assert.deepEqual(JSON.parse(stderr), words);
});

test('the log can be JSON, and can go to a file', async () => {
  const words = ['--log-format', 'json', '--log-file', 'a.log', '--', process.execPath, ...cat];
  const { stderr } = await run(words, {}, message);
  assert.equal(stderr, '');
  const lines = readFileSync(join(cwd, 'a.log'), 'utf8').trimEnd().split('\n');
  for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line)).slice(0, 3), ['time', 'level', 'event']);
  assert.ok(lines.length > 0);
});

test('P14 a log file that cannot be written does not touch the traffic', async () => {
  const { code, stdout, stderr } = await run(
    ['--log-file', 'no/dir/a.log', '--', process.execPath, ...cat],
    {},
    message,
  );
  assert.deepEqual([code, stdout], [0, message]);
  assert.match(stderr, /^mcp-hotline: cannot write the log file: ENOENT/m);
});

test('every command has a page of its own, with its options and an example', async () => {
  for (const { name, options: own } of commands) {
    const text = await helpText(100, name, commands);
    assert.match(text, name === 'run' ? /^mcp-hotline \[run\] / : new RegExp(`^mcp-hotline ${name}( |$)`, 'm'), name);
    assert.match(text, /^Examples:$/m, name);
    const shown = ['run', 'serve', 'explain', 'smoke'].includes(name) ? [] : own;
    for (const option of shown) assert.ok(text.includes(`--${option.name}`), `${name} --${option.name}`);
  }
});

test('the build helper is no command: it is in no help and no completion, and refuses to be started by hand', async () => {
  for (const words of [['internal:build-helper'], ['internal:build-helper', '--', 'node']]) {
    const { code, stdout, stderr } = await run(words);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^mcp-hotline: internal:build-helper is started by mcp-hotline itself/);
  }
  for (const words of [['--help'], ['completion', 'bash'], ['completion', 'zsh'], ['completion', 'fish']]) {
    assert.doesNotMatch((await run(words)).stdout, /build-helper|internal/);
  }
});

test('--help into a pipe that is closed at once is no error', { skip: process.platform === 'win32' }, async () => {
  const child = spawn('/bin/sh', ['-c', `"$0" "$1" --help | true`, process.execPath, bin], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  assert.equal(stderr, '');
});

test('a signal ends the proxy with 128 and its number', posix, async () => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const) {
    const child = spawn(process.execPath, [bin, '--', process.execPath, ...cat], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write(message);
    await once(child.stdout, 'data');
    child.kill(signal);
    assert.deepEqual(await once(child, 'close'), [code, null], signal);
  }
});

test('a bug of our own is one line on stderr, exit code 70, and the end of the server', posix, async () => {
  const preload = `data:text/javascript,process.on('SIGALRM', () => { throw new Error('boom') })`;
  const words = ['--import', preload, bin, '--log-level', 'silent', '--', process.execPath, ...cat];
  const child = spawn(process.execPath, words, { cwd, env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.write(message);
  await once(child.stdout, 'data');
  child.kill('SIGALRM');
  assert.deepEqual(await once(child, 'close'), [70, null]); // 'close' waits for every process that holds the pipes
  assert.match(stderr, /^mcp-hotline: a bug in mcp-hotline ended it: Error: boom, at [^\n]+\n$/);
});

test('a current directory that is gone is an error that says so', posix, async () => {
  const gone = join(cwd, 'gone');
  mkdirSync(gone);
  const script = 'cd "$0" && rmdir "$0" && exec "$1" "$2" -- node';
  const child = spawn('/bin/sh', ['-c', script, gone, process.execPath, bin], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(
    stderr,
    'mcp-hotline: the current directory does not exist any more, give another one with --cwd <absolute path>\n',
  );
  assert.equal(code, 1);
});
