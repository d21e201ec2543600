// The wall clock is set, by an hour back or a day on, while the proxy runs: nothing waits for it, nothing ends by it.
// The jump is made by a module loaded into the proxy that shifts Date by what a file says; timers and file times stay
// the kernel's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { project } from '../support/harness.js';
import { live, type ReloadProject } from '../support/reload-project.js';
import { behaviour, reloadable } from '../support/reloadable.js';
import { failureOf } from '../e2e/failures/failures.js';

const hour = 3_600_000;
const preload = `
  import { readFileSync } from 'node:fs';
  const now = Date.now;
  const shifted = () => now() + Number(readFileSync(new URL('shift', import.meta.url), 'utf8'));
  globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length === 0 ? [shifted()] : given)); }
    static now() { return shifted(); }
  };`;

interface Jumping extends ReloadProject {
  /** Has returned = the clock is another, by so many milliseconds from the true one. */
  jump(by: number): void;
}

async function jumping(t: TestContext, options: readonly string[] = []): Promise<Jumping> {
  const directory = project(t, { 'clock.mjs': preload, shift: '0' });
  const env = { NODE_OPTIONS: `--import=${directory.path('clock.mjs')}` };
  const proxy = await live(t, reloadable('one'), { env, options });
  return { ...proxy, jump: (by) => directory.write('shift', String(by)) };
}

describe('clock jumps', { concurrency: 3 }, () => {
  for (const [which, by] of [
    ['an hour back', -hour],
    ['a day on', 24 * hour],
  ] as const) {
    test(`P6 P12.hold the clock jumps ${which}: a save that nobody asks about is noticed, a hold goes on, calls are answered by the new code`, async (t) => {
      const proxy = await jumping(t);
      assert.equal(await proxy.call('answer'), 'one');
      proxy.jump(by);
      proxy.save(behaviour('two'));
      await proxy.reloaded(2);
      const open = await proxy.saveHeld(behaviour('three'));
      const held = proxy.call('answer');
      proxy.jump(2 * by);
      await proxy.request('ping');
      open();
      assert.equal(await held, 'three');
      // In the debounce of a save, and back to the true time.
      proxy.save(behaviour('four'));
      proxy.jump(0);
      await proxy.reloaded(4);
      assert.equal(await proxy.call('answer'), 'four');
    });
  }

  test('P15 the clock jumps a day on between crashes: the back-off does not take it for a day of health', async (t) => {
    const proxy = await jumping(t);
    for (let crash = 1; crash <= 4; crash++) {
      proxy.jump(24 * hour * crash);
      await proxy.request('tools/call', { name: 'die', arguments: { code: 1 } });
    }
    assert.match(await failureOf(proxy), /The MCP server crashed.*is being started again/s);
  });

  test('P15 the clock jumps an hour back: a server that dies or asks for a restart is started again as soon as ever', async (t) => {
    const proxy = await jumping(t, ['--agent-tools']);
    for (const code of [42, 1]) {
      proxy.jump(code === 1 ? -hour : -2 * hour);
      await proxy.request('tools/call', { name: 'die', arguments: { code } });
      assert.equal(await proxy.call('answer'), 'one');
    }
    proxy.jump(-3 * hour);
    const { result } = await proxy.request('tools/call', { name: 'server_status', arguments: {} });
    const { uptimeMs } = result.structuredContent;
    assert.ok(uptimeMs >= 0 && uptimeMs < hour / 2, `up for ${uptimeMs} ms`);
  });
});
