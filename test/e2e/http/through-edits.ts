// What a published client does over HTTP with a project that is edited, broken, mended and whose server is killed: it
// connects once, and everything after that is on the same connection. The pairs of client and way are the callers'.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { connect, servers } from '../modern/sdk.js';
import type { ClientName, Sdk, ServerName } from '../modern/sdk.js';
import { served } from './served.js';
import type { Served, Way } from './served.js';

export interface Pair {
  readonly client: ClientName;
  /** Over HTTP+SSE (2024-11-05). */
  readonly sse?: boolean;
  readonly server: ServerName;
  readonly way: Way;
  readonly era: 'legacy' | 'modern';
}

/** The source of `src/tools.mjs`: `version` says which one it is, `pid` who runs it; the others only have names. */
export function tools(version: string, ...more: string[]): string {
  const others = more.map((name) => `${name}: () => '${name}'`).join(', ');
  return `export const tools = { version: () => '${version}', pid: () => String(process.pid), ${others} };\n`;
}

/** Where clients of this kind connect. */
export function target({ url, sse }: Served, isSse = false): { url: string; sse: boolean } {
  return isSse ? { url: sse, sse: true } : { url, sse: false };
}

export function describePair({ client, sse, server, way }: Pair): string {
  return `the ${client} client${sse === true ? ' over SSE' : ''}, the ${server} server, ${way}`;
}

export const pairs: readonly Pair[] = (['serve', 'beside', 'share', 'share beside'] as const).flatMap((way): Pair[] => [
  { client: 'v1', server: 'v1', way, era: 'legacy' },
  { client: 'v1', server: 'v2', way, era: 'legacy' },
  { client: 'v1', sse: true, server: 'v1', way, era: 'legacy' },
  { client: 'v2 legacy', server: 'v1', way, era: 'legacy' },
  { client: 'v2 legacy', server: 'v2', way, era: 'legacy' },
  { client: 'v2 auto', server: 'v1', way, era: 'legacy' },
  { client: 'v2 auto', server: 'v2', way, era: 'modern' },
  { client: 'v2 pinned', server: 'v2', way, era: 'modern' },
]);

export async function throughEdits(t: TestContext, pair: Pair): Promise<void> {
  const { client, server, way } = pair;
  const proxy = await served(t, { 'server.mjs': servers[server], 'src/tools.mjs': tools('one') }, { way });
  const sdk = await connect(t, client, target(proxy, pair.sse));
  assert.equal(sdk.era, pair.era);
  const save = (source: string): void => proxy.files.write('src/tools.mjs', source);

  assert.deepEqual(await sdk.tools(), ['version', 'pid']);
  assert.equal(await sdk.call('version'), 'one');

  save(tools('two', 'added'));
  assert.equal(await sdk.call('version'), 'two', 'P4 the answer to a call right after a save');
  await sdk.changed('version', 'pid', 'added');
  assert.equal(await sdk.call('added'), 'added');

  save('export const tools = {');
  assert.match(await sdk.call('version'), /SyntaxError/, 'P7 what is wrong, in its own words');
  assert.deepEqual(await sdk.tools(), ['version', 'pid', 'added']);

  save(tools('three', 'other'));
  assert.equal(await sdk.call('version'), 'three');
  await sdk.changed('version', 'pid', 'other');

  await kill(proxy, sdk);
  assert.equal(await sdk.call('version'), 'three', 'P15 a call after the server was killed');
  // The stream that news come by is the one that was opened first.
  save(tools('four', 'last'));
  await sdk.changed('version', 'pid', 'last');
  assert.equal(await sdk.call('version'), 'four');
  if (way.endsWith('beside')) assert.equal(await proxy.call('version'), 'four', 'the client on stdio');
}

/** Kills the server that serves the client, and resolves when the proxy knows: what comes earlier may have run. */
async function kill(proxy: Served, sdk: Sdk): Promise<void> {
  process.kill(Number(await sdk.call('pid')), 'SIGKILL');
  await proxy.untilLogged('crashed');
}
