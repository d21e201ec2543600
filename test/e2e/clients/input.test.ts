// What `wrap` and `unwrap` make of what they are given: names, clients, files, options, and entries that can't be
// wrapped.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startDirect } from '../../support/harness.js';
import { bin } from '../../support/paths.js';
import { machine, mine, withServers } from './machine.js';

test('no configuration: says where it looked and what to do, and exits with 1', async (t) => {
  const here = machine(t);
  for (const command of ['wrap', 'unwrap']) {
    const { code, stdout, stderr } = await here.run(command);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /no server was found in the configuration of an MCP client for .*project/);
    for (const place of [
      '.mcp.json (Claude Code, VS Code, Qwen Code, Copilot CLI)',
      '.vscode/mcp.json',
      '~/.claude.json ("projects")',
    ]) {
      assert.ok(stderr.includes(place), `${place}\n${stderr}`);
    }
    assert.match(stderr, /--file.*--client.*--user/);
  }
  const { stderr } = await here.run('wrap', '--client', 'claude-desktop');
  assert.match(stderr, /~\/\.config\/Claude\/claude_desktop_config\.json \(Claude Desktop\)/);
});

test("no configuration of the project: a server of it in the user's own file is named, with --user", async (t) => {
  const here = machine(t);
  const server = { command: 'node', args: [join(here.project, 'src/tools.mjs')] };
  here.write(join(here.home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { mine: server } }));
  const { code, stderr } = await here.run('wrap');
  assert.equal(code, 1);
  assert.match(stderr, /~\/\.cursor\/mcp\.json has "mine", a server of this project: add --user/);
  const user = await here.run('wrap', '--user', '--yes');
  assert.equal(user.code, 0, user.stderr);
});

test('a server name that does not exist: the nearest, the client that it is, or all there are', async (t) => {
  const here = withServers(t, { mine, weather: mine });
  const of = async (name: string) => (await here.run('wrap', name, '--yes')).stderr;
  assert.equal(await of('whether'), 'mcp-hotline: no server "whether" in .mcp.json; did you mean "weather"?\n');
  assert.equal(await of('cursor'), 'mcp-hotline: no server "cursor" in .mcp.json; it is a client: --client cursor\n');
  assert.equal(await of('xyzxyz'), 'mcp-hotline: no server "xyzxyz" in .mcp.json; expected "mine", "weather"\n');
  const { code } = await here.run('unwrap', 'mine2');
  assert.equal(code, 1);
  here.write(join(here.home, '.gemini/settings.json'), JSON.stringify({ mcpServers: { other: mine } }));
  assert.match(await of('other'), /~\/\.gemini\/settings\.json has one: add --user/);
});

test('an unknown client: the nearest, or all there are', async (t) => {
  const here = withServers(t, { mine });
  const near = await here.run('wrap', '--client', 'vs-code');
  assert.deepEqual([near.code, near.stderr], [1, 'mcp-hotline: unknown client "vs-code"; did you mean vscode?\n']);
  assert.match((await here.run('unwrap', '--client', 'emacs')).stderr, /expected one of claude-code, .*, warp/);
  const unknown = await here.run('wrap', '--cliet', 'cursor');
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'mcp-hotline: unknown option --cliet; did you mean --client?\n'],
  );
});

test('a name in the files of two clients: both are shown; --client takes one, --yes both', async (t) => {
  const here = withServers(t, { mine });
  const other = join(here.project, '.gemini/settings.json');
  here.write(other, JSON.stringify({ mcpServers: { mine } }));
  const asked = await here.run('wrap', 'mine');
  assert.equal(asked.code, 1);
  assert.equal(asked.stderr, 'mcp-hotline: nothing was changed: add --yes to do it\n');
  assert.match(
    asked.stdout,
    /mine is in 2 places: \.mcp\.json \(--client claude-code\), \.gemini\/settings\.json \(--client gemini\)/,
  );
  const one = await here.run('wrap', 'mine', '--client', 'gemini', '--yes');
  assert.equal(one.code, 0, one.stderr);
  assert.match(here.read(other).toString(), /mcp-hotline/);
  assert.doesNotMatch(here.read(here.file).toString(), /mcp-hotline\.js/);
  assert.equal((await here.run('unwrap', '--yes')).code, 0);
  assert.equal((await here.run('wrap', 'mine', '--yes')).code, 0);
  for (const file of [here.file, other]) assert.match(here.read(file).toString(), /mcp-hotline/);
});

test('a syntax error: file, line and column; the other files are done, and the exit code is 1', async (t) => {
  const here = withServers(t, { mine });
  here.write(join(here.project, '.vscode/mcp.json'), '{\n  "servers": {\n    "mine": { "command" "node" }\n  }\n}\n');
  const { code, stderr } = await here.run('wrap', '--yes');
  assert.equal(code, 1);
  assert.match(stderr, /\.vscode\/mcp\.json:3:25: a colon is missing here/);
  assert.match(here.read(here.file).toString(), /mcp-hotline/);
  const alone = await here.run('wrap', '--client', 'zed', '--file', '.vscode/mcp.json', '--yes');
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /mcp\.json:3:25/);
  here.write(here.file, '{ "mcpServers": {} } // strict JSON has no comments\n');
  assert.match((await here.run('wrap', '--client', 'claude-code')).stderr, /\.mcp\.json:1:\d+/);
});

test('left alone, and said: HTTP servers, entries without a command, published packages, other projects, shell lines', async (t) => {
  const here = withServers(t, {
    http: { type: 'http', url: 'https://example.com/mcp' },
    empty: { env: {} },
    published: { command: 'npx', args: ['-y', '@scope/server'] },
    shell: { command: 'sh', args: ['-c', 'node src/tools.mjs | tee log'] },
    other: { command: 'node', args: ['/nowhere/at/all.js'] },
    mine,
  });
  const other = join(here.elsewhere, 'server.mjs');
  here.write(other, '');
  here.write(here.file, here.read(here.file).toString().replace('/nowhere/at/all.js', other));
  const { code, stdout } = await here.run('wrap', '--dry-run');
  assert.equal(code, 0);
  assert.match(stdout, /http: left alone: an HTTP server, which no command starts\n/);
  assert.match(stdout, /empty: left alone: it has no command\n/);
  assert.match(stdout, /published: left alone: .*; name it, or use --all, to wrap it too\n/);
  assert.match(stdout, /shell: left alone: only a shell can tell what this command runs; name it/);
  assert.match(stdout, /other: left alone: its files are in .*elsewhere, outside of this project/);
  assert.match(stdout, /mine\n {4}- node src\/tools\.mjs\n {4}\+ .* -- node src\/tools\.mjs$/m);
  assert.doesNotMatch(here.read(here.file).toString(), /mcp-hotline\.js/);

  const all = await here.run('wrap', '--all', '--dry-run');
  for (const name of ['published', 'shell', 'other', 'mine'])
    assert.match(all.stdout, new RegExp(`^ {2}${name}$`, 'm'));
  assert.match(
    all.stdout,
    /! nothing to watch was found \(only a shell can tell what this command runs\): .*-- --watch <path>/,
  );
  const named = await here.run('wrap', 'shell', '--yes', '--', '--watch', 'src');
  assert.equal(named.code, 0, named.stderr);
  assert.doesNotMatch(named.stdout, /nothing to watch/);
  const { mcpServers } = JSON.parse(here.read(here.file).toString());
  assert.deepEqual(mcpServers.shell.args.slice(1), [
    '--agent-tools',
    'auto',
    '--watch',
    'src',
    '--',
    'sh',
    '-c',
    'node src/tools.mjs | tee log',
  ]);
});

test('a shell line that can be followed is wrapped as it is, and runs', async (t) => {
  const here = withServers(t, { mine: { command: 'sh', args: ['-c', 'cd src && exec node tools.mjs'] } });
  const { code, stderr } = await here.run('wrap', '--yes');
  assert.equal(code, 0, stderr);
  const { command, args } = JSON.parse(here.read(here.file).toString()).mcpServers.mine;
  const peer = startDirect(t, { command: [command, ...args], cwd: here.project, env: here.env });
  await peer.initialize();
  const { result } = await peer.request('tools/call', { name: 'echo', arguments: { text: 'hello' } });
  assert.equal(result?.content[0].text, 'hello');
  peer.end();
  await peer.exit();
});

test('options after -- are taken over, and judged now', async (t) => {
  const here = withServers(t, { mine });
  const of = async (...words: string[]) => {
    const { code, stderr } = await here.run('wrap', '--yes', '--', ...words);
    assert.equal(code, 1);
    return stderr;
  };
  assert.equal(await of('--wach', 'src'), 'mcp-hotline: unknown option --wach; did you mean --watch?\n');
  assert.match(await of('--debounce', 'soon'), /--debounce: "soon" is not allowed, expected a whole number/);
  assert.match(
    await of('node', 'server.js'),
    /unexpected "node" after --, where only options of mcp-hotline itself may stand/,
  );
  assert.match(await of('--help'), /unexpected "--help" after --/);
  const good = await here.run('wrap', 'mine', '--yes', '--', '--agent-tools=off', '--debounce', '50');
  assert.equal(good.code, 0, good.stderr);
  const { args } = JSON.parse(here.read(here.file).toString()).mcpServers.mine;
  assert.deepEqual(args, [bin, '--agent-tools=off', '--debounce', '50', '--', 'node', 'src/tools.mjs']);
});

test('--file: known by its path, by its client, by its content; else what is allowed is said', async (t) => {
  const here = withServers(t, { mine });
  const file = join(here.project, 'conf/agent.json');
  here.write(file, `{ "mcp": false, "context_servers": { "mine": ${JSON.stringify(mine)}, }, }\n`);
  const before = here.read(file);
  const { code, stderr, stdout } = await here.run('wrap', '--file', 'conf/agent.json', '--yes');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /conf\/agent\.json \(an unknown client\)/);
  assert.match(here.read(file).toString(), /"--cwd", ".*project", "--agent-tools"/);
  assert.doesNotMatch(here.read(here.file).toString(), /mcp-hotline\.js/);
  assert.equal((await here.run('unwrap', '--file', file, '--yes')).code, 0);
  assert.ok(here.read(file).equals(before));

  const known = await here.run('wrap', '--file', '.mcp.json', '--dry-run');
  assert.match(known.stdout, /\.mcp\.json \(Claude Code, VS Code, Qwen Code, Copilot CLI\)/);
  here.write(file, '{ "something": "else" }');
  const strange = await here.run('wrap', '--file', file);
  assert.equal(strange.code, 1);
  assert.match(strange.stderr, /no servers in a layout that is known: expected JSON with "mcpServers".*--client/);
  const absent = await here.run('wrap', '--file', 'nowhere.json');
  assert.match(absent.stderr, /--file: .*nowhere\.json does not exist/);
});

test('an entry that is wrapped and whose bin is gone: said, with what to do; one that is started elsewhere is found', async (t) => {
  const wrapped = (...program: string[]) => ({
    command: program[0],
    args: [...program.slice(1), '--agent-tools', 'auto', '--', 'node', 'src/tools.mjs'],
  });
  const local = 'node_modules/mcp-hotline/bin/mcp-hotline.js';
  const here = withServers(t, {
    bin: wrapped('node', '/gone/bin/mcp-hotline.js'),
    both: wrapped('/gone/node', '/gone/bin/mcp-hotline'),
    near: wrapped('node', local),
    inside: { ...wrapped('node', `../${local}`), cwd: 'src' },
    found: wrapped('npx', '-y', 'mcp-hotline'),
  });
  const { code, stdout } = await here.run('wrap', '--yes');
  assert.equal(code, 0);
  const advice = 'gone. Unwrap it, and wrap it again';
  assert.ok(
    stdout.includes(
      `  bin: left alone: wrapped already, and can't be started: /gone/bin/mcp-hotline.js is ${advice}\n`,
    ),
  );
  assert.ok(stdout.includes(`: /gone/node and /gone/bin/mcp-hotline are ${advice}\n`), stdout);
  assert.ok(stdout.includes(`: ${local} is ${advice}\n`), stdout);
  assert.ok(stdout.includes(`: ../${local} is ${advice}\n`), stdout);
  assert.match(stdout, /found: left alone: wrapped already$/m);

  here.write(join(here.project, local), '');
  for (const command of ['wrap', 'clients']) {
    const again = await here.run(command);
    assert.doesNotMatch(again.stdout, /node_modules.* is gone/);
  }
  assert.equal((await here.run('unwrap', 'bin', '--yes')).code, 0);
  assert.match((await here.run('wrap', 'bin', '--yes')).stdout, /^wrapped bin in /m);
});

test('--json: a document on stdout also where nothing can be done', async (t) => {
  const here = withServers(t, { mine });
  const expectProblem = async (problem: RegExp, ...words: string[]) => {
    for (const command of ['wrap', 'unwrap']) {
      const { code, stdout, stderr } = await here.run(command, '--json', ...words);
      assert.equal(code, 1);
      const { changed, files, problems } = JSON.parse(stdout);
      assert.deepEqual([changed, files], [false, []]);
      assert.match(problems.join('\n'), problem);
      assert.match(stderr, problem);
    }
  };
  await expectProblem(/did you mean "mine"/, 'min');
  await expectProblem(/unknown client/, '--client', 'nobody');
  await expectProblem(/does not exist/, '--cwd', 'nowhere');
  here.write(here.file, '{ // mine\n}');
  await expectProblem(/\.mcp\.json:1:3: a comment is not allowed in this file/);
  here.write(here.file, '{}');
  await expectProblem(/no server was found/);
});

test('a command that is a whole line is left alone, with what is expected', async (t) => {
  const here = withServers(t, { mine: { command: 'node src/tools.mjs' } });
  const { stdout } = await here.run('wrap');
  assert.match(
    stdout,
    /mine: left alone: its command is a whole line, expected the program alone and the rest in "args"/,
  );
});

test('--portable: a directory that has to be written as a path of this machine is warned of', async (t) => {
  const here = machine(t);
  here.write(join(here.project, '.zed/settings.json'), JSON.stringify({ context_servers: { mine } }));
  here.write(join(here.project, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { mine } }));
  const { stdout } = await here.run('wrap', '--portable');
  assert.equal(stdout.match(/! --cwd is a path of this machine, since Zed starts servers elsewhere/g)?.length, 1);
  assert.doesNotMatch(stdout, /since Cursor/);
});

test('an entry that was wrapped by hand without --, or names no command: unwrap says that it is to be edited by hand', async (t) => {
  const here = withServers(t, {
    plain: { command: 'npx', args: ['mcp-hotline', 'node', 'src/tools.mjs'] },
    none: { command: 'mcp-hotline' },
  });
  for (const names of [[], ['plain', 'none']]) {
    const { code, stdout } = await here.run('unwrap', ...names, '--yes');
    assert.equal(code, 0);
    for (const name of ['plain', 'none'])
      assert.match(stdout, new RegExp(`${name}: left alone: it has no command behind a "--" .*: edit it by hand`));
  }
  const { stdout } = await here.run('wrap', '--yes', '--', '--watch', 'src');
  assert.match(stdout, /plain: left alone: wrapped already; unwrap it first to give it other options/);
});
