// Streams over HTTP outlive everything that happens to servers: the GET stream of a legacy session, that of HTTP+SSE
// and the listen stream of the modern era. Each hears of changed lists when they have changed, and at no other time.
// What is open ends only when its client, or the proxy, goes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry, script, SUBSCRIPTION, toolsChanged } from '../modern/modern.js';
import { legacySession, listen, modern, modernCall, sseClient } from './raw.js';
import { served } from './served.js';
import type { Way } from './served.js';

/** A server whose tools are `which`, `die`, `hold` (until there is a file) and others by name. */
export function source(version: string, ...more: string[]): string {
  const others = more.map((name) => `${name}: () => '${name}'`).join(', ');
  return script(`export const capabilities = { tools: { listChanged: true } };
    export const tools = { which: () => '${version}', die: () => process.exit(3), ${others} };`);
}

const CHANGED = 'notifications/tools/list_changed';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

for (const way of ['serve', 'share'] as Way[])
  test(`P7 P9 P15 P16 streams go on through reloads, failures and crashes, and hear of changed lists alone (${way})`, async (t) => {
    const proxy = await served(t, { 'server.mjs': entry, 'src/script.mjs': source('1') }, { way });
    const save = (text: string): void => proxy.files.write('src/script.mjs', text);
    const legacy = await legacySession(proxy.url);
    const [stream, sse, news] = [
      await legacy.listen(t),
      await sseClient(t, proxy.sse),
      await listen(t, proxy.url, toolsChanged),
    ];
    assert.deepEqual([stream.status, news.status], [200, 200]);
    await news.message(ACKNOWLEDGED);
    const streams = [stream, sse.stream, news];
    const names = async (): Promise<string[]> => {
      const lists = [
        await legacy.request('tools/list'),
        await sse.request('tools/list'),
        await modern(proxy.url, 'tools/list'),
      ];
      return lists.map(({ result }) => result.tools.map(({ name }: { name: string }) => name).join());
    };
    const which = async (): Promise<string[]> => [
      await legacy.call('which'),
      await sse.call('which'),
      await modernCall(proxy.url, 'which'),
    ];
    const told = (): number[] => streams.map((each) => each.methods().filter((method) => method === CHANGED).length);
    const untilTold = async (times: number): Promise<void> =>
      void (await Promise.all(streams.map((each) => each.message(CHANGED, times))));

    assert.deepEqual(await names(), Array(3).fill('which,die'));
    save(source('2'));
    assert.deepEqual(await which(), ['2', '2', '2']);
    assert.deepEqual(told(), [0, 0, 0], 'nothing has changed in the list');

    save(source('3', 'more'));
    assert.deepEqual(await which(), ['3', '3', '3']);
    await untilTold(1);
    assert.deepEqual(await names(), Array(3).fill('which,die,more'));

    save('export const tools = {');
    for (const text of await which()) assert.match(text, /SyntaxError/);
    save(source('4', 'other'));
    assert.deepEqual(await which(), ['4', '4', '4']);
    await untilTold(2);
    await names();

    for (const die of [() => legacy.call('die'), () => sse.call('die'), () => modernCall(proxy.url, 'die')]) {
      assert.match(await die(), /ended while the tool "die" was running/);
      assert.deepEqual(await which(), ['4', '4', '4']);
    }
    save(source('5', 'last'));
    assert.deepEqual(await which(), ['5', '5', '5']);
    await untilTold(3);
    assert.deepEqual(told(), [3, 3, 3]);
    assert.deepEqual(
      streams.map(({ isOpen }) => isOpen),
      [true, true, true],
    );
    const stamps = news.events.past.map(({ message }) => message.params['_meta'][SUBSCRIPTION]);
    assert.deepEqual(stamps, Array(4).fill('listen:0'));
    assert.deepEqual(new Set(news.methods()), new Set([ACKNOWLEDGED, CHANGED]));

    proxy.kill('SIGTERM');
    await Promise.all(streams.map(({ ended }) => ended));
  });
