// A short run of the random kills; `npm run faults` does as many as one likes. A failure names its seed.

import { test } from 'node:test';
import { killRounds } from './kills/rounds.js';

test('P1 P13 P15 kill -9 of servers, their children, builds and the proxy at random moments: every request is answered or told why not, the next proxy goes on', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.diagnostic(`seed ${seed}`);
  const { kills, proxies, asked } = await killRounds({ kills: 8, seed });
  t.diagnostic(`${kills} kills, ${proxies} proxies, ${asked} requests`);
});
