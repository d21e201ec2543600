// `mcp-hotline status` and `mcp-hotline log` on the built bin: what they print of the proxies of a directory, running,
// killed or gone, for people and as data, and that no environment is in it, and no argument that looks like a key. What
// the trail holds is for test/e2e/agent and test/log.

import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/until.js';
import { newMarker, project, startProxy, testEnvironment } from '../support/harness.js';
import { bin, scratch } from '../support/paths.js';
import { behaviour, reloadable } from '../support/reloadable.js';
import { cleanup } from '../support/cleanup.js';

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(cwd: string, words: readonly string[]): ChildProcess {
  const env = testEnvironment(newMarker());
  return spawn(process.execPath, [bin, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
}

async function run(cwd: string, ...words: string[]): Promise<Outcome> {
  const child = start(cwd, words);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

const secret = 'do-not-write-this-down';

test('a running proxy is shown with its generation, last reload and failure, and a gone one is not', async (t) => {
  const { directory, write } = project(t, reloadable('one'));
  const before = await run(directory, 'status');
  assert.equal(before.code, 1);
  assert.match(before.stderr, /nothing is known of .*no proxy that reloads has run there/);

  const proxy = startProxy(t, {
    command: [process.execPath, 'server.mjs', `--token=${secret}`],
    options: ['--watch', 'src'],
    cwd: directory,
    env: { SECRET: secret },
  });
  await proxy.initialize();
  write('src/behaviour.mjs', behaviour('two'));
  await proxy.waitForLog('reloaded in');
  await proxy.request('tools/call', { name: 'answer' });
  write('src/behaviour.mjs', 'broken(');
  await proxy.request('tools/call', { name: 'answer' });

  const shown = await untilShown(() => run(directory, 'status'), /now +failing/);
  assert.equal(shown.code, 0);
  const [first, second, now] = shown.stdout.split('\n');
  assert.match(first ?? '', /^\S*node server\.mjs --token=\*\*\*\* {2}\[[0-9a-f]{4}\]$/);
  assert.match(second ?? '', new RegExp(`^  proxy ${proxy.pid}, for [\\w-]+ [\\d.]+, since [\\d-]+ [\\d:]+$`));
  assert.match(now ?? '', /^ {4}now {11}failing since [\d-]+ [\d:]+, generation 2 \(pid \d+\)$/);
  assert.match(
    shown.stdout,
    /failing {7}start failed: node exited with code 1 before the handshake was done; next try at the/,
  );
  assert.match(shown.stdout, /\n {18}SyntaxError: /, 'in the words of the server');
  assert.match(shown.stdout, /last reload {3}.* in \d+ ms \(start \d+, lists \d+\) \(src\/behaviour\.mjs\)/);
  assert.ok(shown.stdout.includes(`\n  in ${directory}\n`));

  write('src/behaviour.mjs', behaviour('two'));
  const mended = await untilShown(() => run(directory, 'status'), /now +serving, generation 2/);
  assert.match(mended.stdout, /last failure {2}.* failed: node exited with code 1 .*; mended [\d-]+ [\d:]+\n/);

  const { servers } = JSON.parse((await run(directory, 'status', '--json')).stdout) as { servers: Server[] };
  assert.equal(servers.length, 1);
  assert.equal(servers[0]?.running[0]?.proxy, proxy.pid);
  assert.equal(typeof servers[0]?.running[0]?.lastReload?.phases['start'], 'number');
  const stateDir = servers[0]?.stateDir ?? '';
  for (const name of readdirSync(stateDir)) {
    assert.equal(statSync(join(stateDir, name)).mode & 0o077, 0, name);
    assert.ok(!readFileSync(join(stateDir, name), 'utf8').includes(secret), name);
  }

  proxy.end();
  await proxy.exit();
  const after = await run(directory, 'status');
  assert.equal(after.code, 1);
  assert.match(after.stdout, /no proxy is running; last: stopped at/);
  assert.ok(!readdirSync(stateDir).some((name) => name.startsWith('proxy-')), 'nothing is left at a clean exit');

  const trail = await run(directory, 'log');
  assert.equal(trail.code, 0);
  const events = trail.stdout.split('\n').flatMap((line) => {
    const [, label, event] = line.split(/\s{2,}/);
    return line.startsWith('20') && label === `node #${proxy.pid}` ? [event] : [];
  });
  assert.deepEqual(events, ['started', 'change', 'reloaded', 'change', 'failed', 'mended', 'stopped']);
  assert.match(trail.stdout, / failed {3,}generation 3, node exited with code 1 .*\n(?: {4}.*\n|\n)* {4}SyntaxError: /);
  const last = await run(directory, 'log', '-n', '2');
  assert.match(last.stdout, /^.* mended .*the files are back to the code that runs\n.* stopped\n$/);
  assert.equal((await run(directory, 'log', '--since', '1h')).stdout, trail.stdout);
  const none = await run(directory, 'log', '--since', '0s');
  assert.deepEqual([none.code, none.stdout], [0, '']);
  assert.match(none.stderr, /^mcp-hotline: nothing has happened to the servers of .* since [\d-]+ [\d:]+\n$/);
  assert.match(
    (await run(directory, 'log', '--since', 'now')).stderr,
    /--since: "now" is not allowed, expected a time/,
  );
  const data = (await run(directory, 'log', '--json')).stdout.trimEnd().split('\n');
  assert.deepEqual(
    data.map((line) => (JSON.parse(line) as { event: string }).event),
    events,
  );
  assert.ok(!trail.stdout.includes(secret) && !data.join('').includes(secret));
});

test('a proxy that was killed is not shown, two on one directory are', async (t) => {
  const { directory } = project(t, reloadable('one'));
  const given = { command: [process.execPath, 'server.mjs'], options: ['--watch', 'src'], cwd: directory };
  const killed = startProxy(t, { ...given, mayLeave: true });
  await killed.initialize();
  await untilShown(() => run(directory, 'status'), new RegExp(`proxy ${killed.pid},`));
  killed.kill('SIGKILL');
  await killed.exit();
  assert.match((await run(directory, 'status')).stdout, /no proxy is running; last: started/);

  const both = [startProxy(t, given), startProxy(t, given)];
  await Promise.all(both.map((proxy) => proxy.initialize()));
  for (const { pid } of both) await untilShown(() => run(directory, 'status'), new RegExp(`proxy ${pid},`));
  assert.doesNotMatch((await run(directory, 'status')).stdout, new RegExp(`proxy ${killed.pid},`));
});

test('two servers of one directory are told apart, in status and log', async (t) => {
  const { directory } = project(t, reloadable('one'));
  const startServer = (...args: string[]) =>
    startProxy(t, { command: [process.execPath, 'server.mjs', ...args], options: ['--watch', 'src'], cwd: directory });
  const both = [startServer('--name', 'one'), startServer('--name', 'two', secret)];
  await Promise.all(both.map((proxy) => proxy.initialize()));
  for (const { pid } of both) await untilShown(() => run(directory, 'status'), new RegExp(`proxy ${pid}, for `));
  const { stdout } = await run(directory, 'status');
  const ids = ['one', 'two'].map((name) => new RegExp(`server\\.mjs --name ${name}.*\\[(\\w{4})\\]`).exec(stdout)?.[1]);
  assert.equal(new Set(ids).size, 2, stdout);
  const log = await run(directory, 'log');
  for (const [at, { pid }] of both.entries()) assert.match(log.stdout, new RegExp(`node ${ids[at]} #${pid}  started`));
  assert.doesNotMatch(log.stdout, /--name/, 'no arguments');
});

test('a trail with nothing in it is told of', async (t) => {
  const { directory } = project(t, { 'about.json': '{"cwd":"/","command":"node"}' });
  const log = await run(directory, 'log', '--state-dir', directory);
  assert.match(log.stderr, /^mcp-hotline: nothing has happened yet to the servers of /);
});

test('a server that has ended is not shown as one that runs', async (t) => {
  const { directory, write } = project(t, reloadable('one'));
  const options = ['--watch', 'src', '--strategy', 'replace'];
  const proxy = startProxy(t, { command: [process.execPath, 'server.mjs'], options, cwd: directory });
  await proxy.initialize();
  write('src/behaviour.mjs', 'broken(');
  await proxy.request('tools/call', { name: 'answer' });
  const shown = await untilShown(() => run(directory, 'status'), /now +failing/);
  assert.match(shown.stdout, /now +failing since .*, no server is running; generation 1 has ended\n/);
  assert.match(shown.stdout, /; next try at [\d-]+ [\d:]+, or at the next save\n/);
  assert.doesNotMatch(shown.stdout, /pid/);
});

test('what an agent gave as a reason is one line, and can not write over others', async (t) => {
  const { directory } = project(t, reloadable('one'));
  const options = ['--watch', 'src', '--agent-tools'];
  const proxy = startProxy(t, { command: [process.execPath, 'server.mjs'], options, cwd: directory });
  await proxy.initialize();
  const reason = 'one\ntwo \u001b[2Jthree';
  await proxy.request('tools/call', { name: 'restart_server', arguments: { reason } });
  const log = await run(directory, 'log');
  assert.match(log.stdout, /restart requested  one\\ntwo \\u001b\[2Jthree\n/);
  const shown = await untilShown(() => run(directory, 'status'), /last reload/);
  assert.match(shown.stdout, /\(one\\ntwo \\u001b\[2Jthree\)/);
});

test('log -f goes on with what happens, and a directory can be named', async (t) => {
  const { directory, write } = project(t, reloadable('one'));
  const stateDir = join(scratch, 'followed');
  const proxy = startProxy(t, {
    command: [process.execPath, 'server.mjs'],
    options: ['--watch', 'src', '--state-dir', stateDir],
    cwd: directory,
  });
  await proxy.initialize();
  await untilShown(() => run(scratch, 'status', '--state-dir', stateDir), /generation 1/);
  const follower = start(scratch, ['log', '-f', '--state-dir', stateDir]);
  cleanup(t, () => follower.kill('SIGKILL'));
  let seen = '';
  const has = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (seen.includes(text)) resolve();
      };
      follower.stdout?.on('data', look);
      look();
    });
  follower.stdout?.setEncoding('utf8').on('data', (text: string) => (seen += text));
  await has('started');
  write('src/behaviour.mjs', behaviour('two'));
  await has('reloaded');
  follower.kill('SIGTERM');
  await once(follower, 'close');
  assert.equal(seen.match(/started/g)?.length, 1);
});

for (const words of [['log'], ['log', '-f']]) {
  test(`P14 ${words.join(' ')} refuses a pipe in place of the trail, in words`, async (t) => {
    const { directory, path } = project(t, { 'about.json': '{"cwd":"/","command":"node"}' });
    execFileSync('mkfifo', [path('audit.jsonl')]);
    const { stderr } = await run(directory, ...words, '--state-dir', directory);
    assert.match(stderr, /^mcp-hotline: .*audit\.jsonl is not a regular file\n$/);
  });
}

test('words that make no sense are refused', async (t) => {
  const { directory } = project(t);
  assert.match(
    (await run(directory, 'status', 'now')).stderr,
    /unexpected "now", expected mcp-hotline status \[--json\]/,
  );
  assert.match((await run(directory, 'log', '--', 'node')).stderr, /unexpected "--", expected mcp-hotline log/);
  assert.match((await run(directory, 'log', '--folow')).stderr, /did you mean --follow/);
  assert.match(
    (await run(directory, 'log', '--help')).stdout,
    /mcp-hotline log \[-f\] \[-n <n>\] \[--since <time>\] \[--json\]/,
  );
  assert.match((await run(directory, 'status', '--help')).stdout, /--json/);
});

interface Server {
  stateDir: string;
  running: { proxy: number; lastReload?: { phases: Record<string, number> } }[];
}

/** What a proxy shows of itself is on the disk a moment after it happened. */
function untilShown(look: () => Promise<Outcome>, pattern: RegExp): Promise<Outcome> {
  let last: Outcome | undefined;
  const shown = async (): Promise<Outcome | undefined> => {
    last = await look();
    return pattern.test(last.stdout) ? last : undefined;
  };
  return until(shown, String(pattern), { transcript: () => `${last?.stdout}${last?.stderr}` });
}
