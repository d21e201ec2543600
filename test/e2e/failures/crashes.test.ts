// P15 in full: what a dying server had still sent and said, the ladder as it is felt, and restarts on request. That
// crashes are survived at all is ../reload/crash.test.ts's, those at the worst moments untimely.test.ts's, the ladder's
// times backoff.test.ts's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../support/until.js';
import { failureSaid } from '../../support/message.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { scripted } from '../../support/reloadable.js';
import { modern, script as modernScript } from '../modern/modern.js';
import { failureIn, failureOf, mortal, mortalFiles } from './failures.js';

const mayHaveRun = /may or may not have taken effect/;

async function die(proxy: ReloadProject, how: object): Promise<string> {
  return failureSaid(await proxy.request('tools/call', { name: 'die', arguments: how }));
}

/** Asks until it is no failure that answers. */
function untilServed(proxy: ReloadProject): Promise<string> {
  const ask = async (): Promise<string | undefined> => {
    const { result } = await proxy.request('tools/call', { name: 'which' });
    return result?.isError === true ? undefined : (result?.content[0].text as string);
  };
  return until(ask, 'an answer that is no failure', proxy);
}

describe('crashes', { concurrency: 3 }, () => {
  for (const [how, said] of [
    [{ code: 9, words: 'out of cheese\n' }, /`node` exited with code 9\b[^]*out of cheese/],
    [{ code: 9, words: 'out of cheese\n', fd: 1 }, /`node` exited with code 9\b[^]*out of cheese/],
    [{ signal: 'SIGSEGV', words: 'a pointer\n' }, /`node` was ended by SIGSEGV\b[^]*a pointer/],
  ] as const) {
    test(`P15 ${JSON.stringify(how)}: the call that it took with it is told how and why, and so are those that come while it is waited for`, async (t) => {
      const proxy = await live(t, mortalFiles());
      for (let crash = 1; crash <= 4; crash++) {
        const message = await die(proxy, how);
        assert.match(message, mayHaveRun);
        assert.match(message, said);
      }
      const text = await failureOf(proxy, 'which');
      assert.match(text, /^The MCP server crashed: /);
      assert.match(text, said);
      const { error } = await proxy.request('tools/list');
      assert.equal(error?.code, -32603);
      assert.match(error.data.output, /cheese|pointer/);
      proxy.kill('SIGUSR2');
      assert.match(await untilServed(proxy), /^\d+$/, 'a request to restart ends the wait');
    });
  }

  test('P15 a change sets the ladder back to its beginning', async (t) => {
    const proxy = await live(t, mortalFiles());
    for (let crash = 1; crash <= 4; crash++) await die(proxy, { code: 1 });
    await failureOf(proxy, 'which');
    proxy.save(mortal('// changed'));
    assert.equal(await proxy.call('which'), '5');
    await die(proxy, { code: 1 });
    assert.equal(await proxy.call('which'), '6', 'at once, not after a wait');
  });

  test('P15 exit 42: what was sent before the exit is delivered, the restart is at once, and no more than one a second', async (t) => {
    const asking = `import { appendFileSync, writeFileSync } from 'node:fs';
    export const tools = { which: () => generation };
    export const methods = { 'tools/call': ({ name }) => {
      if (name === 'which') return { content: [{ type: 'text', text: String(generation) }] };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: name, result: { content: [] } }) + '\\n', () => process.exit(42));
    } };`;
    const proxy = await live(t, scripted(asking), { options: ['--log-format', 'json'] });
    let from = 0;
    for (const [at, id] of ['first', 'second', 'third'].entries()) {
      from = proxy.stderr().split('\n').length - 1;
      const { result, error } = await proxy.request('tools/call', { name: id }, { id });
      assert.deepEqual([result, error], [{ content: [] }, undefined]);
      if (at < 2) await proxy.waitForLog(new RegExp(`"event":"reloaded".*"generation":${at + 2}`));
    }
    await proxy.waitForLog(/exited with code 42/, { from });
    assert.equal(await proxy.call('which'), '4', 'held, not refused');
    const log = proxy
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const time = (event: string, nth: number) => Date.parse(log.filter((line) => line.event === event)[nth].time);
    assert.ok(time('reloaded', 2) - time('crashed', 0) >= 1990, 'two more restarts take two seconds');
  });

  test('P15 P1 exit 0: everything that was sent is delivered, what was owed is answered, and the proxy exits 0', async (t) => {
    const leaving = `export const tools = { slow: () => never };
    export const methods = { 'resources/read': () => never, leave: () => {
      const text = 'x'.repeat(1024 ** 2);
      send({ id: 'leave', result: { text } });
      process.stdout.write('', () => process.exit(0));
    } };`;
    const proxy = await live(t, scripted(leaving));
    // A server that ends sooner does not leave on purpose: the time is part of what is tested.
    await new Promise((resolve) => setTimeout(resolve, 5100));
    const call = await proxy.begin('slow');
    const read = proxy.request('resources/read', { uri: 'a:b' });
    await proxy.received(/resources\/read/);
    const { result } = await proxy.request('leave', {}, { id: 'leave' });
    assert.equal(result.text.length, 1024 ** 2);
    assert.match(failureSaid(await call.answer), mayHaveRun);
    assert.match(failureSaid(await read), mayHaveRun);
    assert.deepEqual(await proxy.finished(), { code: 0, signal: null });
  });

  test('P15 P16 modern: a server that crashes again and again, and what is answered in its place', async (t) => {
    const source = modernScript(`export const tools = {
    which: () => generation,
    die: () => { console.error('out of cheese'); process.exit(3); },
  };`);
    const proxy = await modern(t, source);
    await proxy.ask('tools/list');
    await proxy.open('s', { toolsListChanged: true });
    for (let crash = 1; crash <= 4; crash++)
      assert.match(failureSaid(await proxy.ask('tools/call', { name: 'die' })), mayHaveRun);
    const answer = await proxy.ask('tools/call', { name: 'which' });
    assert.equal(answer.result.resultType, 'complete');
    assert.match(failureIn(answer, proxy.transcript), /crashed.*exited with code 3/);
    assert.equal((await proxy.ask('tools/list')).error?.data.kind, 'crash');
    proxy.save(`${source}//`);
    assert.equal(await proxy.which(), '5');
    assert.deepEqual(proxy.stream('s'), ['notifications/subscriptions/acknowledged']);
  });
});
