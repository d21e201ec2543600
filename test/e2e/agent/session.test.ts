// A whole session as an agent that develops the server it is using: it breaks it, reads why, mends it, makes sure, adds
// a tool, calls it, restarts, and reads back what happened. Each step alone, and its edges, are for the tests beside
// this one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { script, scripted } from '../../support/reloadable.js';
import { agent, now, ownTools } from './agent.js';
import type { Agent } from './agent.js';

const good = `export const tools = { add: ({ a, b }) => a + b };`;

test('P7 an agent breaks its server, reads why, mends it, adds a tool, calls it, restarts it, and needs no human', async (t) => {
  const proxy = await agent(t, scripted(good));
  assert.deepEqual(await proxy.toolNames(), ['add', ...ownTools]);
  assert.equal(await proxy.call('add', { a: 1, b: 2 }), '3');
  const begun = now();
  const before = await proxy.tool('verify_server_restarted', { since_timestamp: begun });
  assert.deepEqual(before.facts, { restarted: false });

  proxy.save(script('export const tools = { add: ({ a, b }) => a +'));
  const refused = await proxy.tool('add', { a: 1, b: 2 });
  assert.equal(refused.isError, true);
  assert.match(refused.text, /did not start.*SyntaxError.*was not executed.*call restart_server/s);
  const status = await proxy.tool('server_status', { wait: true });
  assert.match(status.text, /does not work.*SyntaxError.*nothing to wait for/s);
  assert.equal(status.facts.state, 'failed');
  assert.equal(status.facts.generation, 1);
  assert.match(status.facts.lastFailure.text, /exited with code 1/);
  const failed = await proxy.tool('restart_server', { reason: 'perhaps it helps' });
  assert.equal(failed.isError, true);
  assert.match(failed.text, /could not be restarted.*SyntaxError.*Call server_status with wait: true/s);

  // Its later starts wait for a file, once they are told to.
  const start = `import { existsSync } from 'node:fs';\nif (existsSync('slow')) await appears('go');`;
  proxy.save(script(`${start}\n${good.slice(0, -2)}, times: ({ a, b }) => a * b };`));
  const through = await proxy.tool('call_server_tool', { name: 'times', arguments: { a: 3, b: 4 } });
  assert.equal(through.text, '12');
  const mended = await proxy.tool('verify_server_restarted', { since_timestamp: begun });
  assert.match(mended.text, /^Yes: .*src\/script\.mjs/);
  const listed = await proxy.tool('list_server_tools');
  assert.deepEqual(
    listed.facts.tools.map(({ name }: { name: string }) => name),
    ['add', 'times'],
  );
  assert.deepEqual(await proxy.toolNames(), ['add', 'times', ...ownTools]);

  // One that comes when the restart is over asks for another one, so it lasts until all have come.
  proxy.files.write('slow', '');
  const asked = Array.from({ length: 10 }, (_, n) => proxy.tool('restart_server', { reason: `number ${n}` }));
  await untilRequested(proxy, 11);
  proxy.files.write('go', '');
  const restarts = await Promise.all(asked);
  const generations = new Set(restarts.map(({ facts }) => facts.generation as number));
  assert.equal(generations.size, 1, 'ten answers of one restart');
  for (const { isError, facts } of restarts) {
    assert.equal(isError, false);
    assert.equal(facts.restarted, true);
    assert.equal(typeof facts.phases.start, 'number');
    assert.deepEqual(facts.changes, []);
  }
  const settled = await proxy.tool('server_status', {});
  assert.equal(settled.facts.generation, [...generations][0]);
  assert.match(settled.text, /is serving.*do not call this again/);
  assert.equal(proxy.restartMarker().method, 'request');
  assert.match(proxy.restartMarker().reason, /^number \d$/);

  proxy.end();
  assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  const events = proxy.audit().map(({ event }) => event);
  assert.deepEqual(
    events.filter((event) => event !== 'change'),
    [
      'started',
      'failed',
      'restart requested',
      'failed',
      'reloaded',
      'mended',
      ...Array.from({ length: 10 }, () => 'restart requested'),
      'reloaded',
      'stopped',
    ],
  );
  const reloaded = proxy.audit().filter(({ event }) => event === 'reloaded');
  assert.deepEqual(reloaded[0]?.changes, ['+ tool times']);
  assert.match(reloaded[1]?.cause ?? '', /^number \d$/);
});

/** The audit trail is the first to know. */
async function untilRequested(proxy: Agent, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const requested = proxy.audit().filter(({ event }) => event === 'restart requested').length;
    if (requested >= count) return;
    if (performance.now() > deadline) assert.fail(`${requested} of ${count} requests\n${proxy.transcript()}`);
    await delay(5);
  }
}
