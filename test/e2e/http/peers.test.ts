// Published servers behind `serve`, with published clients: what comes back is what the same client gets from the
// server without anything in between, and the same again after a reload. A bridge adds nothing at all.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { everything, everythingPlan, fixturePlan, masked } from '../../support/everything.js';
import { fixture, newMarker, processesLeft, testEnvironment } from '../../support/harness.js';
import type { Json } from '../../support/message.js';
import { connectV1, connectV2, survey } from '../../support/sdk-clients.js';
import type { Plan, SdkClient, Target } from '../../support/sdk-clients.js';
import { served } from './served.js';
import type { Served } from './served.js';

interface Case {
  readonly title: string;
  readonly command: readonly string[];
  readonly plan: Plan;
  readonly connect: (target: Target) => Promise<SdkClient>;
  readonly sse?: boolean;
}

/** Its environment is that of the one who started it: here the proxy. */
const plan = { ...everythingPlan, tools: everythingPlan.tools?.filter(({ name }) => name !== 'get-env') ?? [] };
const legacyFixture: Plan = { ...fixturePlan, legacy: true };
const cases: readonly Case[] = [
  { title: 'server-everything, the v1 client', command: everything, plan, connect: connectV1 },
  {
    title: 'server-everything, the v1 client over SSE',
    command: everything,
    plan,
    connect: connectV1,
    sse: true,
  },
  {
    title: 'server-everything, the v2 client that tries the modern era first',
    command: everything,
    plan,
    connect: (to) => connectV2(to, 'auto'),
  },
  { title: 'a v2 server, the v1 client', command: fixture('sdk-v2'), plan: legacyFixture, connect: connectV1 },
  {
    title: 'a v2 server, the v2 client in the modern era',
    command: fixture('sdk-v2'),
    plan: fixturePlan,
    connect: (to) => connectV2(to, 'auto'),
  },
];

describe('published servers behind serve', { concurrency: 2 }, () => {
  for (const each of cases)
    test(`P2 P16 the same results over HTTP as without the proxy, and after a reload: ${each.title}`, async (t) => {
      const direct = await ask(t, each);
      assert.ok(Object.keys(direct).length > 5);
      const files = { 'src/x': '' };
      const { command } = each;
      const bridge = await served(t, files, { command, noReload: true });
      assert.deepEqual(await askServed(t, bridge, each), [direct]);

      const proxy = await served(t, files, { command });
      const [before, after] = await askServed(t, proxy, each, true);
      assert.deepEqual(after, before);
      assert.deepEqual(promised(before), promised(direct));
    });
});

/** Without the proxy. */
async function ask(t: TestContext, { command, connect, ...of }: Case): Promise<Json> {
  const marker = newMarker();
  const client = await connect({ command, cwd: process.cwd(), env: testEnvironment(marker) });
  cleanup(t, async () => {
    await client.close();
    assert.deepEqual(await processesLeft(marker), []);
  });
  return seen(client, of.plan, marker);
}

/** By one client; and once again, after its server was replaced, if it `reloads`. */
async function askServed(
  t: TestContext,
  proxy: Served,
  { connect, sse, ...of }: Case,
  reloads = false,
): Promise<Json[]> {
  const client = await connect(sse === true ? { url: proxy.sse, sse } : { url: proxy.url });
  cleanup(t, () => client.close());
  const before = await seen(client, of.plan, proxy.marker);
  if (!reloads) return [before];
  proxy.kill('SIGUSR2');
  await proxy.untilLogged('reloaded');
  return [before, await seen(client, of.plan, proxy.marker)];
}

async function seen(client: SdkClient, asked: Plan, marker: string): Promise<Json> {
  return JSON.parse(masked(JSON.stringify(await survey(client, asked)), marker));
}

/** Without what a reloading proxy changes: that lists may change, and for how long they may be kept. */
function promised(found: Json): Json {
  return JSON.parse(JSON.stringify(found).replaceAll(/,?"(listChanged|ttlMs)":[^,}]*/g, ''));
}
