// Starts a server without a proxy, as often as it is asked to over the IPC channel: spawned, introduced, called once.
// In a process of its own, because a spawn takes the longer the more memory its parent has (2 ms at 50 MB, 9 at 200),
// and the bench has more than a proxy.
import { open } from './client.js';
import type { Way } from './ways.js';

process.on('message', (way: Way) => void start(way));

async function start(way: Way): Promise<void> {
  const begin = performance.now();
  const client = await open(way);
  await client.call('version');
  const took = performance.now() - begin;
  await client.close();
  process.send?.(took);
}
