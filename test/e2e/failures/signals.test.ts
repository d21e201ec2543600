// P13 from every state of the machine: a signal, or the end of stdin, ends builds, candidates, waits and generations
// alike, within what clients allow, with the right exit code and nothing left. SIGUSR2 restarts. The plain pipe's side
// is ../shutdown.test.ts's.

import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { processesLeft, processesOf } from '../../support/harness.js';
import { assertInTime } from '../../support/in-time.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, script, scripted } from '../../support/reloadable.js';
import { build, builtFiles, failureOf } from './failures.js';

/** SDK clients end stdin, signal 2 s later, and kill after 2 s more. */
const within = { end: 4_000, signal: 2_000 };

/** A server that leaves when it is told to, or one that has to be killed. */
type Manners = 'polite' | 'stubborn';
const stubborn = `process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); process.on('SIGHUP', () => {});
  setInterval(() => {}, 1000);`;
const server = (manners: Manners, more = '') =>
  script(`${manners === 'stubborn' ? stubborn : ''}
  export const tools = {
    answer: () => generation,
    die: () => process.exit(1),
    slow: async () => (await appears('gate'), generation),
  };${more}`);
const files = (manners: Manners, more = '') => ({ ...scripted(''), 'src/script.mjs': server(manners, more) });
const hangs = '\nexport const methods = { initialize: () => console.error("is asked") };';

const states: Record<string, (t: TestContext, manners: Manners) => Promise<ReloadProject>> = {
  async serving(t, manners) {
    const proxy = await live(t, files(manners));
    await proxy.begin('slow');
    return proxy;
  },
  async 'building, for the first time'(t) {
    const held = { ...builtFiles(), 'src/behaviour.mjs': behaviour('one'), 'hold-build': '' };
    const proxy = await live(t, held, { options: build, initialize: false });
    void proxy.request('initialize', {}).catch(() => {});
    await proxy.untilBuilding(1);
    return proxy;
  },
  async building(t) {
    const proxy = await live(t, { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') }, { options: build });
    proxy.files.write('hold-build', '');
    proxy.save(behaviour('two'));
    await proxy.untilBuilding(2);
    void proxy.request('tools/call', { name: 'answer' }).catch(() => {});
    return proxy;
  },
  async starting(t, manners) {
    const proxy = await live(t, files(manners));
    await proxy.call('answer');
    proxy.save(server(manners, hangs));
    void proxy.request('tools/call', { name: 'answer' }).catch(() => {});
    await proxy.waitForLog('is asked');
    return proxy;
  },
  async 'starting, for the first time'(t, manners) {
    const proxy = await live(t, files(manners, hangs), { initialize: false });
    void proxy.request('initialize', {}).catch(() => {});
    await proxy.waitForLog('is asked');
    return proxy;
  },
  async retiring(t, manners) {
    const proxy = await live(t, files(manners), { options: ['--strategy', 'replace'] });
    await proxy.begin('slow');
    proxy.save(server(manners, '// changed'));
    await proxy.waitForLog('changed: ');
    void proxy.request('tools/call', { name: 'answer' }).catch(() => {});
    return proxy;
  },
  async draining(t, manners) {
    const proxy = await live(t, files(manners));
    await proxy.begin('slow');
    proxy.save(server(manners, '// changed'));
    assert.equal(await proxy.call('answer'), '2');
    return proxy;
  },
  async waiting(t, manners) {
    const proxy = await live(t, files(manners));
    for (let crash = 1; crash <= 4; crash++) await proxy.request('tools/call', { name: 'die' });
    await failureOf(proxy);
    return proxy;
  },
  async broken(t, manners) {
    const proxy = await live(t, files(manners), { options: ['--strategy', 'replace'] });
    proxy.save('export const');
    await failureOf(proxy);
    return proxy;
  },
  async 'serving, with a failure'(t, manners) {
    const proxy = await live(t, files(manners));
    proxy.save('export const');
    await failureOf(proxy);
    return proxy;
  },
  async 'born broken'(t) {
    const proxy = await live(t, { ...scripted(''), 'src/script.mjs': 'export const' });
    await failureOf(proxy);
    return proxy;
  },
};

/** A first build is finished without the proxy; then nothing is left of it either. */
async function helperFinishes(proxy: ReloadProject): Promise<void> {
  proxy.files.remove('hold-build');
  assert.deepEqual(await processesLeft(proxy.marker, 20_000), []);
}

describe('signals', { concurrency: 3 }, () => {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const [at, [state, reach]] of Object.entries(states).entries()) {
    const name = signals[at % signals.length]!;
    test(`P13 ${name} while ${state}`, async (t) => {
      const proxy = await reach(t, 'stubborn');
      const began = performance.now();
      proxy.kill(name);
      const { code } = await proxy.exit();
      const ms = performance.now() - began;
      assert.equal(code, 128 + constants.signals[name], proxy.transcript());
      assertInTime(ms, within.signal);
      assert.deepEqual(processesOf(proxy.marker), []);
    });

    test(`P13 the end of stdin while ${state}`, async (t) => {
      const proxy = await reach(t, state === 'starting' ? 'stubborn' : 'polite');
      const began = performance.now();
      proxy.end();
      const { code } = await proxy.exit();
      const ms = performance.now() - began;
      assert.equal(code, 0, proxy.transcript());
      assertInTime(ms, within.end);
      if (state === 'building, for the first time') await helperFinishes(proxy);
      assert.deepEqual(processesOf(proxy.marker), []);
    });
  }

  test('P13 what the client has waited for a held call counts towards its server’s time to leave', async (t) => {
    const timing = (more = ''): string =>
      script(`import { writeSync } from 'node:fs';
  const alive = setInterval(() => {}, 1000);
  let ended;
  process.stdin.on('end', () => { ended = performance.now(); });
  process.on('SIGTERM', () => { writeSync(2, 'SIGTERM ' + (performance.now() - ended) + ' ms after the end\\n'); clearInterval(alive); });
  export const tools = { answer: () => generation };${more}`);
    const leave = async (proxy: ReloadProject): Promise<number> => {
      proxy.end();
      const line = await proxy.waitForLog(/SIGTERM .* ms after the end/);
      assert.equal((await proxy.exit()).code, 0);
      return Number(/SIGTERM (\S+)/.exec(line)![1]);
    };
    const idle = await live(t, { ...scripted(''), 'src/script.mjs': timing() });
    const holding = await live(t, { ...scripted(''), 'src/script.mjs': timing() });
    holding.save(timing(hangs));
    void holding.request('tools/call', { name: 'answer' }).catch(() => {});
    await holding.waitForLog('is asked');
    const [whole, rest] = await Promise.all([leave(idle), leave(holding)]);
    // The held call takes 1000 of 1500 ms.
    assert.ok(
      rest < 0.7 * whole,
      `SIGTERM ${rest} ms after the server's stdin ended, and ${whole} ms without a held call`,
    );
  });

  test('SIGUSR2 restarts a server that nothing is wrong with, and builds what is built', async (t) => {
    const proxy = await live(t, { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') }, { options: build });
    assert.equal(proxy.builds(), 1);
    proxy.kill('SIGUSR2');
    await proxy.reloaded(2);
    assert.equal(JSON.parse(await proxy.call('generation')).generation, 2);
    assert.equal(proxy.builds(), 2);
    assert.deepEqual(proxy.notifications(), []);
  });

  test('SIGUSR2 at any time is one more reload, not many', async (t) => {
    const proxy = await live(t, files('polite'));
    proxy.save(server('polite', '// changed'));
    const held = proxy.call('answer');
    for (let n = 0; n < 5; n++) proxy.kill('SIGUSR2');
    await held;
    await proxy.waitForLog(/reloaded in/);
    const generation = Number(await proxy.call('answer'));
    assert.ok(generation >= 2 && generation <= 7, `generation ${generation}`);
    assert.ok(proxy.stderr().match(/reloaded in/g)!.length <= 2);
  });
});
