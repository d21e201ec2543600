// What each of the agent's own tools answers, one by one: the arguments they refuse, the markers they believe, what
// they say while the server is broken, starting or absent, in both eras. A whole session with them is
// session.test.ts's.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { refusedArguments } from '../../agent/refused-arguments.js';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { meta, modern, withTools } from '../modern/modern.js';
import { agent, now, ownTools, told } from './agent.js';

const plain = `export const tools = { add: () => 1, die: () => process.exit(3), again: () => process.exit(42) };`;

test('every invalid argument is an error that names the field and what is expected', async (t) => {
  const proxy = await agent(t, scripted(plain));
  for (const [tool, given, says] of refusedArguments) {
    const { text, isError } = await proxy.tool(tool, given);
    assert.equal(isError, true, text);
    assert.match(text, says);
  }
  const { result } = await proxy.request('tools/call', { name: 'server_status', arguments: 'none' });
  assert.match(told(result).text, /"arguments" is "none"; expected an object/);
  assert.equal((await proxy.tool('server_status')).facts.generation, 1, 'nothing was restarted');
});

test('verify: no marker, a torn one, one that is older, one of an earlier process, one of another that runs', async (t) => {
  const proxy = await agent(t, scripted(plain));
  const verify = (since = '2026-01-01T00:00:00Z') => proxy.tool('verify_server_restarted', { since_timestamp: since });
  const mark = (text: string) => {
    mkdirSync(proxy.stateDir, { recursive: true });
    writeFileSync(join(proxy.stateDir, 'restart.json'), text);
  };
  assert.match((await verify()).text, /^No: no restart of this server is on record/);

  mark('{"timestamp":"2026-');
  const torn = await verify();
  assert.match(torn.text, /record of the last restart is damaged. Call restart_server/);
  assert.equal(torn.isError, true);

  const left = {
    timestamp: '2026-06-01T00:00:00.000Z',
    reason: 'an edit',
    generation: 7,
    exitCode: null,
    method: 'change',
  };
  mark(JSON.stringify({ ...left, proxy: await gonePid() }));
  assert.deepEqual((await verify()).facts, {
    restarted: true,
    at: left.timestamp,
    reason: 'an edit',
    generation: 7,
  });
  assert.equal((await verify(left.timestamp)).facts.restarted, true, 'a restart in that very millisecond');
  assert.equal((await verify('2026-06-01T00:00:00.001Z')).facts.restarted, false);
  const older = await verify('2026-06-01T00:00:01Z');
  assert.match(older.text, /^No: the last restart was at 2026-06-01T00:00:00.000Z/);
  assert.equal(older.facts.restarted, false);

  mark(JSON.stringify({ ...left, proxy: await gonePid(), begun: true }));
  const begun = await verify();
  assert.match(
    begun.text,
    /^No: a restart was begun at 2026-06-01T00:00:00.000Z \(an edit\) by another connection, which ended before/,
  );
  assert.equal(begun.facts.restarted, false);

  mark(JSON.stringify({ ...left, proxy: process.pid }));
  const foreign = await verify();
  assert.match(foreign.text, new RegExp(`^No: .*another connection that is still open \\(process ${process.pid}\\)`));
  assert.equal(foreign.facts.restarted, false);
});

test('two proxies of one project each verify their own restarts, whoever wrote the record last', async (t) => {
  const [one, other] = await Promise.all([agent(t, scripted(plain)), agent(t, scripted(plain))]);
  const since_timestamp = now();
  await one.tool('restart_server', { reason: 'mine' });
  await other.tool('restart_server', { reason: 'not mine' });
  writeFileSync(join(one.stateDir, 'restart.json'), JSON.stringify(other.restartMarker()));
  const verified = await one.tool('verify_server_restarted', { since_timestamp });
  assert.match(verified.text, /^Yes: .*\(mine\); that was generation 2/);
});

test('P15 verify tells a crash, and a server that asked to be restarted, from a restart that was asked for', async (t) => {
  const proxy = await agent(t, scripted(plain));
  const since = now();
  await proxy.request('tools/call', { name: 'die', arguments: {} });
  await proxy.call('add');
  const crashed = await proxy.tool('verify_server_restarted', { since_timestamp: since });
  assert.match(crashed.text, /^Yes, but not because anybody asked for it: the server crashed/);
  const { proxy: owner, method, exitCode, generation } = proxy.restartMarker();
  assert.deepEqual([owner, method, exitCode, generation], [proxy.pid, 'crash', 3, 2]);

  await proxy.request('tools/call', { name: 'again', arguments: {} });
  await proxy.call('add');
  const asked = await proxy.tool('verify_server_restarted', { since_timestamp: since });
  assert.match(asked.text, /^Yes: .*\(the server asked for it\)/);
  assert.deepEqual([proxy.restartMarker().method, proxy.restartMarker().exitCode], ['server', 42]);
});

test('with --strategy replace the marker of a request is written before the old server stops, as one that is only begun', async (t) => {
  const stops = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    process.on('exit', () => {
      const marker = process.env.STATE + '/restart.json';
      if (generation === 1) writeFileSync('seen', existsSync(marker) ? readFileSync(marker) : 'none');
    });
    export const tools = { add: () => 1 };`;
  const proxy = await agent(t, scripted(stops), { options: ['--strategy', 'replace'] });
  await proxy.tool('restart_server', { reason: 'a new key' });
  assert.deepEqual(
    [proxy.restartMarker().reason, proxy.restartMarker().method, proxy.restartMarker().generation],
    ['a new key', 'request', 2],
  );
  const seen = JSON.parse(readFileSync(proxy.files.path('seen'), 'utf8'));
  assert.deepEqual([seen.reason, seen.begun], ['a new key', true]);
  assert.equal(proxy.restartMarker().begun, undefined);
});

test('P7 they work while the server has never come up', async (t) => {
  const proxy = await agent(t, scripted('broken('));
  assert.deepEqual(await proxy.toolNames(), ownTools);
  const status = await proxy.tool('server_status', { log: 100 });
  assert.match(status.text, /No MCP server is running.*SyntaxError.*last lines on stderr,[^\n]*:\n.*SyntaxError/s);
  assert.ok(status.facts.log.some((line: string) => line.startsWith('SyntaxError')));
  const listed = await proxy.tool('list_server_tools');
  assert.match(listed.text, /can't be listed: no server is running. No MCP server is running: .*SyntaxError/s);
  assert.match((await proxy.tool('call_server_tool', { name: 'add' })).text, /SyntaxError.*call restart_server/s);
  const again = await proxy.tool('restart_server', { reason: 'hope' });
  assert.equal(again.isError, true);
  proxy.save(script(plain));
  assert.equal((await proxy.tool('call_server_tool', { name: 'add' })).text, '1');
  assert.match((await proxy.tool('server_status', { wait: true })).text, /is serving/);
});

test('P7 while a build fails, the compiler is quoted, and a rebuild can be asked for', async (t) => {
  const files = {
    ...scripted(plain),
    'build.mjs': `import { existsSync } from 'node:fs'; if (existsSync('wrong')) { console.error('no such type'); process.exit(2); }`,
  };
  const proxy = await agent(t, files, { options: ['--build', 'node build.mjs'] });
  proxy.files.write('wrong', '');
  const failed = await proxy.tool('restart_server', { reason: 'a look', rebuild: true });
  assert.match(failed.text, /could not be restarted: `node build.mjs` exited with code 2.*no such type/s);
  assert.match((await proxy.tool('add')).text, /no such type.*call restart_server with rebuild: true/s);
  proxy.files.remove('wrong');
  const mended = await proxy.tool('restart_server', { reason: 'mended', rebuild: true });
  assert.equal(typeof mended.facts.phases.build, 'number');
  assert.deepEqual(
    proxy
      .audit()
      .filter(({ event }) => event === 'build failed')
      .map(({ cause, output }) => [cause, output]),
    [['node build.mjs exited with code 2', 'no such type']],
  );
});

test('what the server prints comes with the status, by whichever stream', async (t) => {
  const proxy = await agent(t, scripted(`console.error('one\\ntwo\\nthree'); ${plain}`));
  await proxy.waitForLog('three');
  const { text, facts } = await proxy.tool('server_status', { log: 2 });
  assert.deepEqual(facts.log, ['two', 'three']);
  assert.match(text, /last lines on stderr, and on stdout where they were no messages:\ntwo\nthree$/);
  proxy.save(script(`console.log('four'); ${plain}`));
  await proxy.tool('add');
  assert.deepEqual((await proxy.tool('server_status', { log: 2 })).facts.log, ['four']);
});

test('P16 in the modern era every answer carries its resultType', async (t) => {
  const proxy = await modern(t, withTools(), { options: ['--agent-tools'] });
  const { result } = await proxy.ask('tools/list');
  assert.deepEqual(
    result.tools.map(({ name }: { name: string }) => name),
    ['which', ...ownTools],
  );
  for (const [name, given] of [
    ['restart_server', { reason: 'a test' }],
    ['restart_server', {}],
    ['verify_server_restarted', { since_timestamp: '2026-01-01T00:00:00Z' }],
    ['server_status', { wait: true }],
    ['list_server_tools', {}],
    ['call_server_tool', { name: 'which' }],
    ['call_server_tool', { name: 'witch' }],
  ] as const) {
    const answer = await proxy.ask('tools/call', { name, arguments: given });
    assert.equal(answer.result.resultType, 'complete', JSON.stringify(answer));
  }
  await proxy.ask('tools/call', { name: 'call_server_tool', arguments: { name: 'which' }, requestState: 'kept' });
  const line = proxy.forwarded(2).at(-1) ?? '';
  const { params } = JSON.parse(line) as { params: object };
  assert.deepEqual(params, { name: 'which', arguments: {}, requestState: 'kept', _meta: meta });
});

test('P14 a state directory that can not be written costs an agent nothing but the record', async (t) => {
  const files = { ...scripted(plain), file: '' };
  const proxy = await live(t, files, { options: ['--agent-tools', '--state-dir', 'file/state'] });
  const call = (name: string, given: object) => proxy.request('tools/call', { name, arguments: given });
  const { result } = await call('restart_server', { reason: 'a test' });
  assert.equal(result.structuredContent.generation, 2);
  const verified = await call('verify_server_restarted', { since_timestamp: '2026-01-01T00:00:00Z' });
  assert.match(told(verified.result).text, /^Yes: .*\(a test\)/);
  assert.equal(proxy.stderr().match(/(audit|restart\.json|about\.json).*can't be written/g)?.length, 1);
});

/** The id of a process that has ended. */
async function gonePid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}
