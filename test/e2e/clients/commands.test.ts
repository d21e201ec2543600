// `wrap`, `unwrap` and `clients` as a user meets them: what they do, what they say, and their exit codes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startDirect } from '../../support/harness.js';
import { bin, root } from '../../support/paths.js';
import { machine, mine, withServers } from './machine.js';

test('an edit after wrap reaches the client, which is the point of it', async (t) => {
  const here = withServers(t, { mine });
  assert.equal((await here.run('wrap', '--yes')).code, 0);
  const { command, args } = JSON.parse(here.read(here.file).toString()).mcpServers.mine;
  const peer = startDirect(t, { command: [command, ...args], cwd: here.project, env: here.env });
  await peer.initialize();
  const call = async () => {
    const { result } = await peer.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
    return result?.content[0].text as string;
  };
  assert.equal(await call(), '5');
  const source = join(here.project, 'src/tools.mjs');
  here.write(source, here.read(source).toString().replace('String(a + b)', 'String(a * b)'));
  assert.equal(await call(), '6', peer.transcript());
  peer.end();
  await peer.exit();
});

test('--json: what was done as data, without secrets; nothing is done without --yes', async (t) => {
  const here = withServers(t, {
    mine: { ...mine, args: ['src/tools.mjs', '--api-key', 's3cret'], env: { TOKEN: 's3cret' } },
    http: { url: 'https://example.com/mcp' },
  });
  const asked = await here.run('wrap', '--json');
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /add --yes/);
  assert.equal(JSON.parse(asked.stdout).changed, false);
  assert.doesNotMatch(here.read(here.file).toString(), /mcp-hotline\.js/);
  const done = await here.run('wrap', '--json', '--yes');
  assert.equal(done.code, 0, done.stderr);
  assert.doesNotMatch(done.stdout, /s3cret/);
  const { changed, files, problems, next } = JSON.parse(done.stdout);
  assert.deepEqual([changed, problems], [true, []]);
  assert.equal(files[0].path, here.file);
  assert.deepEqual(files[0].clients, ['claude-code', 'vscode', 'qwen', 'copilot']);
  assert.deepEqual(
    files[0].servers.map(({ name, action, written }: Record<string, unknown>) => [name, action, written]),
    [
      ['mine', 'wrap', true],
      ['http', 'leave', false],
    ],
  );
  assert.deepEqual(files[0].servers[0].before, ['node', 'src/tools.mjs', '--api-key', '…']);
  assert.equal(next[0].client, 'claude-code');
});

test("VS Code's dev key is named, with what it would do", async (t) => {
  const here = machine(t);
  here.write(
    join(here.project, '.vscode/mcp.json'),
    JSON.stringify({ servers: { mine: { ...mine, dev: { watch: 'src/**' } } } }),
  );
  const { stdout } = await here.run('wrap', '--dry-run');
  assert.match(stdout, /"dev" key: VS Code would restart the proxy itself on a change, and attach its debugger to it/);
});

test('--portable: no path of this machine; the default where mcp-hotline is a dependency; it starts', async (t) => {
  const here = withServers(t, { mine });
  const given = await here.run('wrap', '--portable', '--yes');
  assert.match(given.stdout, /! mcp-hotline is not installed in .*project: run npm i -D mcp-hotline there/);
  const portable = [
    'node_modules/mcp-hotline/bin/mcp-hotline.js',
    '--agent-tools',
    'auto',
    '--',
    'node',
    'src/tools.mjs',
  ];
  const entry = () => JSON.parse(here.read(here.file).toString()).mcpServers.mine;
  assert.deepEqual(entry(), { command: 'node', args: portable });
  assert.equal((await here.run('unwrap', '--yes')).code, 0);

  here.write(join(here.project, 'package.json'), JSON.stringify({ devDependencies: { 'mcp-hotline': '*' } }));
  mkdirSync(join(here.project, 'node_modules'));
  symlinkSync(root, join(here.project, 'node_modules/mcp-hotline'));
  const usual = await here.run('wrap', '--yes');
  assert.doesNotMatch(usual.stdout, /!/);
  assert.deepEqual(entry(), { command: 'node', args: portable });
  const peer = startDirect(t, { command: [process.execPath, ...portable], cwd: here.project, env: here.env });
  await peer.initialize();
  peer.end();
  await peer.exit();
  assert.equal((await here.run('unwrap', '--yes')).code, 0);
  assert.equal((await here.run('wrap', '--no-portable', '--yes')).code, 0);
  assert.deepEqual([entry().command, entry().args[0]], [process.execPath, bin]);

  here.write(join(here.project, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { mine } }));
  const { stdout } = await here.run('wrap', '--client', 'cursor', '--dry-run');
  assert.match(stdout, /\+ npx mcp-hotline --cwd \$\{workspaceFolder\} --agent-tools auto -- node src\/tools\.mjs/);
});

test('an absolute path into a file that git tracks is warned of, with npm i -D', async (t) => {
  const here = withServers(t, { mine });
  const git = (...words: string[]) => execFileSync('git', ['-C', here.project, ...words], { stdio: 'pipe' });
  git('init', '-q');
  assert.doesNotMatch((await here.run('wrap', '--dry-run')).stdout, /git tracks/);
  git('add', '.mcp.json');
  assert.match(
    (await here.run('wrap', '--dry-run')).stdout,
    /! git tracks this file.*npm i -D mcp-hotline.*--portable/,
  );
  assert.doesNotMatch((await here.run('wrap', '--dry-run', '--portable')).stdout, /git tracks/);
});

test('in a directory of a repository: the files above it count, up to its root, and start where they lie', async (t) => {
  const here = withServers(t, { mine });
  mkdirSync(join(here.project, '.git'));
  const { code, stdout, stderr } = await here.runIn(join(here.project, 'src'), 'wrap', '--yes');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^wrapped mine in .*\.mcp\.json$/m);
  const { args } = JSON.parse(here.read(here.file).toString()).mcpServers.mine;
  assert.deepEqual(args.slice(1), ['--agent-tools', 'auto', '--', 'node', 'src/tools.mjs']);
});

test('a file behind a symbolic link stays behind it; a read-only one is refused', async (t) => {
  const here = withServers(t, { mine });
  const link = join(here.project, '.gemini/settings.json');
  mkdirSync(join(here.project, '.gemini'));
  symlinkSync('../.mcp.json', link);
  assert.equal((await here.run('wrap', '--client', 'gemini', '--yes')).code, 0);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal((await here.run('unwrap', '--client', 'gemini', '--yes')).code, 0);
  rmSync(link);
  chmodSync(here.file, 0o444);
  const { code, stderr } = await here.run('wrap', '--yes');
  assert.equal(code, 1);
  assert.match(stderr, /\.mcp\.json is read-only/);
});

test('P21 without its record unwrap restores an equivalent entry, and says so', async (t) => {
  const here = machine(t);
  const file = join(here.project, '.mcp.json');
  here.write(join(here.project, 'serve'), '#!/usr/bin/env node\nimport "./src/tools.mjs";\n');
  chmodSync(join(here.project, 'serve'), 0o755);
  here.write(file, '{ "mcpServers": { "mine": { "command": "./serve" } } }');
  const before = here.read(file);
  assert.equal((await here.run('wrap', 'mine', '--yes')).code, 0);
  assert.equal((await here.run('unwrap', '--yes')).code, 0);
  assert.ok(here.read(file).equals(before));
  assert.equal((await here.run('wrap', 'mine', '--yes')).code, 0);
  rmSync(here.env['XDG_STATE_HOME']!, { recursive: true });
  const { code, stdout } = await here.run('unwrap', '--yes');
  assert.equal(code, 0);
  assert.match(stdout, /! there is no record of how it was written before: the entry means the same/);
  const { mine: now } = JSON.parse(here.read(file).toString()).mcpServers;
  assert.deepEqual([now.command, now.args ?? []], ['./serve', []]);

  here.write(file, before);
  assert.equal((await here.run('wrap', 'mine', '--yes')).code, 0);
  here.write(file, JSON.stringify(JSON.parse(here.read(file).toString()), undefined, 4));
  assert.match(
    (await here.run('unwrap', '--yes')).stdout,
    /! it was edited since it was wrapped: the entry means the same/,
  );
  assert.deepEqual(JSON.parse(here.read(file).toString()), JSON.parse(before.toString()));
});

test('~/.claude.json: that Claude Code may write it again is said', async (t) => {
  const here = machine(t);
  const file = join(here.home, '.claude.json');
  here.write(file, JSON.stringify({ projects: { [here.project]: { mcpServers: { mine } } } }));
  const { code, stdout } = await here.run('wrap', '--yes');
  assert.equal(code, 0);
  assert.match(stdout, /Claude Code writes ~\/\.claude\.json while it runs\./);
});

test('--skill copies the skill to where the client looks for it, also when all is wrapped already', async (t) => {
  const here = withServers(t, { mine });
  const skill = join(here.project, '.claude/skills/mcp-hotline/SKILL.md');
  const dry = await here.run('wrap', '--skill', '--dry-run');
  assert.doesNotMatch(dry.stdout, /skill/);
  const offered = await here.run('wrap', '--yes');
  assert.match(offered.stdout, /The same with --skill also gives Claude Code the skill for agents/);
  assert.equal((await here.run('unwrap', '--yes')).code, 0);
  const { code, stdout, stderr } = await here.run('wrap', '--skill', '--yes');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /the skill for Claude Code is in \.claude\/skills\/mcp-hotline\/SKILL\.md/);
  const text = here.read(skill);
  assert.ok(text.equals(readFileSync(join(root, 'skills/mcp-hotline/SKILL.md'))));
  rmSync(skill);
  assert.equal((await here.run('wrap', '--skill')).code, 0);
  assert.ok(here.read(skill).equals(text));
  assert.doesNotMatch((await here.run('unwrap', '--yes')).stdout, /--skill/);
  assert.doesNotMatch((await here.run('wrap', '--yes')).stdout, /--skill/);
  here.write(join(here.home, '.warp/.mcp.json'), JSON.stringify({ mcpServers: { mine } }));
  const none = await here.run('wrap', '--skill', '--client', 'warp', '--yes');
  assert.equal(none.code, 0, none.stderr);
  assert.match(none.stdout, /no skill for Warp: warp documents no directory of skills/);
});

test('two clients whose files are links to one file: it is changed once', async (t) => {
  const here = withServers(t, { mine });
  mkdirSync(join(here.project, '.gemini'));
  symlinkSync('../.mcp.json', join(here.project, '.gemini/settings.json'));
  const { code, stdout, stderr } = await here.run('wrap', '--yes');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^wrapped mine in \.mcp\.json$/m);
  assert.match(stdout, /mine: left alone: it is wrapped already/);
  assert.equal(
    here
      .read(here.file)
      .toString()
      .match(/mcp-hotline\.js/g)?.length,
    1,
  );
  assert.equal((await here.run('unwrap', '--yes')).code, 0);
  assert.deepEqual(JSON.parse(here.read(here.file).toString()), { mcpServers: { mine } });
});

test('clients: files, servers, whether they are wrapped, and whose bin is gone; 100 columns; as data too', async (t) => {
  const here = withServers(t, {
    mine,
    long: { command: 'node', args: ['x'.repeat(200)], env: { TOKEN: 's3cret' } },
    http: { url: 'https://example.com' },
    gone: { command: 'node', args: ['/gone/mcp-hotline/bin/mcp-hotline.js', '--', 'node', 'a.js'] },
  });
  here.write(join(here.home, '.codex/config.toml'), 'not toml');
  mkdirSync(join(here.home, '.cursor'));
  assert.equal((await here.run('wrap', 'mine', '--yes')).code, 0);
  const { code, stdout } = await here.run('clients');
  assert.equal(code, 0);
  for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  assert.match(
    stdout,
    /^Claude Code \(claude-code\): shows new tools after an edit \(in the same turn, seen in a run\)$/m,
  );
  assert.match(stdout, /^ {4}mine {2}wrapped {6}node src\/tools\.mjs$/m);
  assert.match(stdout, /^ {4}http {2}HTTP$/m);
  assert.match(stdout, /^ {4}long {2}not wrapped {2}node x+…$/m);
  assert.match(stdout, /! \/gone\/mcp-hotline\/bin\/mcp-hotline\.js is gone: unwrap gone, and wrap it again/);
  assert.match(stdout, /^Codex \(codex\): shows new tools only after a reconnect \(seen in a run\)$/m);
  assert.match(stdout, /! .*config\.toml:1:\d+/);
  assert.match(stdout, /^Cursor \(cursor\)/m);
  assert.match(stdout, /\nNot found here: Claude Desktop \(claude-desktop\), .*\n(?: {2}\S.*\n){2,}$/);
  const data = JSON.parse((await here.run('clients', '--json')).stdout);
  assert.equal(data.clients.length, 19);
  const [claude] = data.clients;
  assert.deepEqual(
    [claude.id, claude.found, claude.showsNewTools, claude.evidence],
    ['claude-code', true, true, 'run'],
  );
  assert.deepEqual(
    claude.files[0].servers.map(({ state }: { state: string }) => state),
    ['wrapped', 'not wrapped', 'HTTP', 'wrapped'],
  );
  assert.doesNotMatch(JSON.stringify(data), /s3cret/);
});

test('--help of each command names its options and what it exits with', async (t) => {
  const here = machine(t);
  for (const [command, words] of [
    ['wrap', ['--client', '--portable', '--dry-run', '--skill', 'byte for byte', '--yes']],
    ['unwrap', ['--file', '--user', '--all', '--json']],
    ['clients', ['--json']],
  ] as const) {
    const { code, stdout } = await here.run(command, '--help');
    assert.equal(code, 0);
    for (const word of words) assert.ok(stdout.replace(/\s+/g, ' ').includes(word), `${command}: ${word}`);
  }
});
