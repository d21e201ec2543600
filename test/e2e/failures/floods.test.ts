// P12 and P7 against servers that never stop writing: without a newline, on stderr, or noise. A generation may fail of
// it; the session, the memory and the one that serves don't. The plain pipe's side of it is ../backpressure.test.ts's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { memoryOf } from '../../support/harness.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { countLog, failureOf } from './failures.js';

/**
 * What the proxy may hold more than before, in MiB: a limit of 4 for one message, and garbage. A flood is a thousand.
 */
const room = 128;
const options = ['--max-message', '4'];

/** Writes `count` times 1 MiB, at the pace that it is read at. */
const flood = (stream: string, text: string, count: number) => `
  const chunk = Buffer.alloc(1024 ** 2, ${JSON.stringify(text)});
  for (let n = 0; n < ${count}; n++)
    if (!process.${stream}.write(chunk)) await new Promise((resolve) => process.${stream}.once('drain', resolve));`;
const good = (version: string) => script(`export const tools = { answer: () => '${version}' };`);
const files = () => ({ ...scripted(''), 'src/script.mjs': good('0') });

async function withMemoryFlat(proxy: ReloadProject, act: () => Promise<void>): Promise<void> {
  await proxy.call('answer');
  const before = memoryOf(proxy.pid).peak;
  await act();
  const { peak } = memoryOf(proxy.pid);
  assert.ok(peak < before + room, `${before} MiB before, ${peak} MiB at most\n`);
}

describe('floods', { concurrency: 2 }, () => {
  test('P7 P12 new code that writes without a newline fails at --max-message, with memory flat; the old server stays', async (t) => {
    const proxy = await live(t, files(), { options });
    await withMemoryFlat(proxy, async () => {
      proxy.save(script(flood('stdout', 'x', 1000)));
      const text = await failureOf(proxy);
      assert.match(text, /`node` wrote a line of more than 4194304 bytes before the handshake was done\./);
      assert.equal((await proxy.request('tools/list')).result.tools[0].name, 'answer');
    });
    proxy.save(good('1'));
    assert.equal(await proxy.call('answer'), '1');
  });

  test('P12 P15 a serving server that writes without a newline is stopped at --max-message and started again; its call is answered', async (t) => {
    const bursting = `export const tools = {
      answer: () => generation,
      burst: async () => { ${flood('stdout', '{', 1000)} return never; },
    };`;
    const proxy = await live(t, scripted(bursting), { options });
    await withMemoryFlat(proxy, async () => {
      const said = failureSaid(await proxy.request('tools/call', { name: 'burst' }));
      assert.match(said, /wrote a line of more than 4194304 bytes/);
      assert.match(said, /may or may not have taken effect/);
      assert.equal(await proxy.call('answer'), '2');
    });
    await proxy.waitForLog(/generation 1 wrote a line of more than 4194304 bytes.*--max-message/);
    assert.equal(await proxy.call('answer'), '2', 'once is enough');
  });

  test('P7 P12 new code that floods stderr, then fails: its first and last words are told, the old server stays', async (t) => {
    const proxy = await live(t, files(), { options });
    proxy.child.stderr.removeAllListeners('data');
    proxy.child.stderr.resume(); // read, but not kept
    await withMemoryFlat(proxy, async () => {
      const said = `console.error('the beginning');${flood('stderr', 'noise\n', 100)}
        console.error('the end'); process.exitCode = 4; process.exit();`;
      proxy.save(script(said));
      const text = await failureOf(proxy);
      assert.match(text, /exited with code 4 before/);
      assert.match(text, /the beginning\nnoise\n/);
      assert.match(text, /bytes left out, the last 64 KiB are in/);
      assert.ok(text.length < 10_000);
    });
    proxy.save(good('1'));
    assert.equal(await proxy.call('answer'), '1');
  });

  test('P7 P12 new code that floods stdout with text, then fails: its first and last words are told, the old server stays', async (t) => {
    const proxy = await live(t, files(), { options });
    proxy.child.stderr.removeAllListeners('data');
    proxy.child.stderr.resume();
    await withMemoryFlat(proxy, async () => {
      const said = `console.log('the beginning');${flood('stdout', 'noise\n', 10)}
        console.log('the end'); process.exitCode = 4; process.exit();`;
      proxy.save(script(said));
      const text = await failureOf(proxy);
      assert.match(text, /exited with code 4 before/);
      assert.match(text, /the beginning\nnoise\n/);
      assert.match(text, /bytes left out, the last 64 KiB are in/);
      assert.ok(text.length < 10_000);
    });
    proxy.save(good('1'));
    assert.equal(await proxy.call('answer'), '1');
  });

  test('P7 P12 new code that floods stdout with lines that are no messages never opens the session, and is given up', async (t) => {
    const proxy = await live(t, files(), { options: [...options, '--start-timeout', '2500'] });
    proxy.child.stderr.removeAllListeners('data');
    proxy.child.stderr.resume();
    await withMemoryFlat(proxy, async () => {
      proxy.save(script(flood('stdout', 'debug: entering the loop\n', 1e9)));
      assert.match(await failureOf(proxy), /did not answer the handshake within (2500 ms of|7500 ms, though)/);
    });
    proxy.save(good('1'));
    assert.equal(await proxy.call('answer'), '1');
    for (const { message } of proxy.messages) assert.equal(message?.jsonrpc, '2.0');
  });

  test('P7 a server that is born with a flood: the session comes up, calls are told', async (t) => {
    const proxy = await live(t, scripted(flood('stdout', 'x', 1000)), { options });
    assert.match(await failureOf(proxy), /wrote a line of more than 4194304 bytes/);
    assert.ok(countLog(proxy, /wrote a line of more than/) >= 2);
    proxy.save(good('1'));
    assert.equal(await proxy.call('answer'), '1');
  });
});
