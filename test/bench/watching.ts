// Whether the way with a thousand watched files really watches: edits one of them and waits for the reload. A benchmark
// of a watcher that sleeps would be a pleasant lie.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from './client.js';
import { echo, type Ground } from './ways.js';

export async function makeSureItWatches(ground: Ground): Promise<void> {
  const tree = await ground.tree(1000);
  const client = await open(ground.proxy(['--watch', tree, '--log-format', 'json'], [echo]));
  await client.call('echo', { text: 'x' });
  appendFileSync(join(tree, '0', '0.js'), '// edited\n');
  await client.logged((entry) => entry.event === 'reloaded');
  await client.close();
}
