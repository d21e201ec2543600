// How even the answers come while the server is reloaded under them (--while-reloading serve): calls one after the
// other, and the time from each answer to the next, with and without a save. Beside it, what a start alone does to them
// on this machine: the same calls to a server without a proxy, while another one is started.
import { open, type Client } from '../client.js';
import { percentile } from '../stats.js';
import { versions } from '../ways.js';
import type { Group } from './group.js';
import { bareStarts, makeProject } from './reload.js';

/** How many more calls belong to the reload, after the new code has first answered. */
const AFTER = 100;

export const gaps: Group = async (ground, full) => {
  const project = makeProject(ground);
  const options = ['--watch', 'version.mjs', '--while-reloading', 'serve', '--log-format', 'json'];
  const client = await open(ground.proxy(options, [versions.sdk], project.directory));
  let version = await client.call('version');
  await gapsUntil(client, 500, () => true);
  const direct = await open(ground.node([versions.sdk], project.directory));
  const starts = bareStarts(ground, versions.sdk, project);
  await starts.next();
  const [calm, reloading, beside]: number[][] = [[], [], []];
  for (let cycle = 0; cycle < (full ? 5 : 2); cycle += 1) {
    version = project.save();
    const during = await gapsUntil(client, AFTER, (said) => said === version);
    reloading!.push(...during);
    // The one that was replaced is gone by then.
    await gapsUntil(client, 300, () => true);
    calm!.push(...(await gapsUntil(client, during.length, () => true)));
    let started = false;
    void starts.next().then(() => (started = true));
    beside!.push(...(await gapsUntil(direct, AFTER, () => started)));
  }
  await Promise.all([client.close(), direct.close()]);
  starts.end();
  return {
    'gap p99 calm': percentile(calm!, 99),
    'gap p99 reloading': percentile(reloading!, 99),
    'gap longest beside': Math.max(...beside!),
    'gap longest calm': Math.max(...calm!),
    'gap longest reloading': Math.max(...reloading!),
  };
};

/** Calls until an answer fits, and so many times more. */
async function gapsUntil(client: Client, more: number, fits: (said: string) => boolean): Promise<number[]> {
  const found: number[] = [];
  let last = performance.now();
  for (let left = more, fitted = false; left > 0; fitted && (left -= 1)) {
    fitted = fits(await client.call('version')) || fitted;
    const now = performance.now();
    found.push(now - last);
    last = now;
  }
  return found;
}
