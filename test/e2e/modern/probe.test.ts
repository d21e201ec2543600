// A client's disposable process: started, asked `server/discover`, and told to go by the end of stdin and SIGTERM at
// once. The client kills after a second, so within that nothing may be left, whatever the server does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { processesOf, project, startProxy } from '../../support/harness.js';
import type { Started } from '../../support/harness.js';
import { assertInTime } from '../../support/in-time.js';
import { entry, meta, withTools } from './modern.js';
import { servers, tools } from './sdk.js';
import type { ServerName } from './sdk.js';

/** What the published client allows before it kills. */
const ALLOWED = 1000;

/** Ends the probe as the published client does, and tells how long that took. */
async function disposeOf(probe: Started): Promise<number> {
  const began = performance.now();
  probe.end();
  probe.kill('SIGTERM');
  await probe.exited;
  const took = performance.now() - began;
  assert.deepEqual(processesOf(probe.marker), [], probe.transcript());
  return took;
}

/** The best of three: a machine that is busy with something else is no proof against it. */
async function inTime(probe: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < 3 && !took.some((ms) => ms < ALLOWED)) took.push(await probe());
  assertInTime(Math.min(...took), ALLOWED);
}

const discover = { jsonrpc: '2.0', id: 'server-discover-probe-1', method: 'server/discover', params: { _meta: meta } };

const stubborn = `${withTools()}
process.exit = () => {};
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);`;

for (const [name, source, strategy] of [
  ['a server that goes when it is told', withTools(), 'overlap'],
  ['the same with strategy replace', withTools(), 'replace'],
  ['a server that won’t go', stubborn, 'overlap'],
] as const) {
  test(`P16 P13 a disposable probe is answered and leaves nothing behind: ${name}`, async (t) => {
    const files = { 'server.mjs': entry, 'src/script.mjs': source };
    await inTime(async () => {
      const probe = start(t, files, '--strategy', strategy);
      await probe.send(discover);
      const { result } = await probe.response(discover.id);
      assert.deepEqual(result.capabilities, { tools: { listChanged: true } });
      return disposeOf(probe);
    });
  });
}

function start(t: TestContext, files: Record<string, string>, ...options: string[]): Started {
  const command = [process.execPath, 'server.mjs'];
  return startProxy(t, { command, cwd: project(t, files).directory, options: ['--watch', 'src', ...options] });
}

const sdk = (name: ServerName) => ({ 'server.mjs': servers[name], 'src/tools.mjs': tools() });

test('P16 P13 a disposable probe of a v2 server', (t) =>
  inTime(async () => {
    const probe = start(t, sdk('v2'));
    await probe.send(discover);
    assert.equal((await probe.response(discover.id)).result.capabilities.tools.listChanged, true);
    return disposeOf(probe);
  }));

test('P16 P13 a disposable probe that is given up before it has answered', (t) =>
  inTime(async () => {
    const probe = start(t, sdk('v2'));
    await probe.send(discover);
    await probe.waitForLog('starting: generation 1');
    return disposeOf(probe);
  }));

test('P16 a probe of a v1 server is answered with an error, and the process is good for a legacy session', async (t) => {
  const probe = start(t, sdk('v1'));
  await probe.send(discover);
  assert.equal((await probe.response(discover.id)).error?.code, -32601);
  assert.equal((await probe.initialize()).serverInfo.name, 'v1');
});
