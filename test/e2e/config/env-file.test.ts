// `--env-file` on the built bin: its variables reach the server, an edit restarts it before the next call is executed,
// and no value is logged. The syntax and the precedence are for test/config.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { project, startProxy, type Started } from '../../support/harness.js';

const SERVER = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const text = JSON.stringify([process.env.SECRET, process.env.OTHER, process.env.MCP_HOTLINE_GENERATION]);
  const result =
    method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
      : method === 'tools/list'
        ? { tools: [{ name: 'env', inputSchema: { type: 'object' } }] }
        : { content: [{ type: 'text', text }] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`;

async function environment(proxy: Started): Promise<unknown> {
  const { result, error } = await proxy.request('tools/call', { name: 'env', arguments: {} });
  assert.equal(error, undefined, proxy.transcript());
  return JSON.parse(result.content[0].text as string);
}

const kinds: readonly [title: string, options: readonly string[], command: readonly string[]][] = [
  ['beside what is found', [], [process.execPath, 'server.mjs']],
  ['where nothing else is watched', [], [process.execPath, '--input-type=module', '-e', SERVER]],
  ['beside a build', ['--watch', 'server.mjs', '--build', 'node build.mjs'], [process.execPath, 'server.mjs']],
];

for (const [title, options, command] of kinds) {
  test(`P4 an edit of an environment file reaches the next call: ${title}`, async (t) => {
    const files = project(t, { 'server.mjs': SERVER, 'build.mjs': '', 'conf/a.env': 'SECRET=hunter1\nOTHER=x\n' });
    const proxy = startProxy(t, {
      command,
      cwd: files.directory,
      options: [...options, '--log-level', 'debug'],
      // On the command line of a Node process, Node itself refuses to start if the file is missing.
      env: { MCP_HOTLINE_ENV_FILE: 'conf/a.env,conf/b.env' },
    });
    await proxy.initialize();
    await proxy.waitForLog(/conf\/b\.env does not exist/);
    assert.deepEqual(await environment(proxy), ['hunter1', 'x', '1']);

    files.write('conf/a.env', 'SECRET=hunter2\nOTHER=x\n');
    assert.deepEqual(await environment(proxy), ['hunter2', 'x', '2']);

    files.write('conf/a.env', '# no other variables\nSECRET=hunter2\nOTHER=x\n');
    assert.deepEqual(await environment(proxy), ['hunter2', 'x', '2']);

    files.write('conf/b.env', 'SECRET=hunter3\n');
    assert.deepEqual(await environment(proxy), ['hunter3', 'x', '3'], 'a file that was missing is there');

    files.remove('conf/a.env');
    assert.deepEqual(await environment(proxy), ['hunter3', null, '4']);
    assert.doesNotMatch(proxy.stderr(), /hunter/);
  });
}

test('--env-file on the command line, repeated', async (t) => {
  const files = project(t, {
    'server.mjs': SERVER,
    'a.env': 'SECRET=1\nOTHER=1\n',
    'b.env': "export OTHER='2' # two\n",
  });
  const proxy = startProxy(t, {
    command: [process.execPath, 'server.mjs'],
    cwd: files.directory,
    options: ['--env-file', 'a.env', '--env-file=b.env'],
  });
  await proxy.initialize();
  assert.deepEqual(await environment(proxy), ['1', '2', '1']);
  files.write('b.env', 'OTHER=3\n');
  assert.deepEqual(await environment(proxy), ['1', '3', '2']);
});
