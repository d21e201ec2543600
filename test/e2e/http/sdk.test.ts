// Published clients over HTTP, through edits, failures and crashes, on one connection. Here is each kind of client
// once, and each way to be reached twice; `npm run prove http` has every pair.

import { describe, test } from 'node:test';
import { describePair, pairs, throughEdits } from './through-edits.js';
import type { Way } from './served.js';

const ways: readonly Way[] = ['serve', 'beside', 'share', 'share beside'];
/** The pairs are in the order of the ways, with the same clients for each. */
const chosen = pairs
  .slice(0, pairs.length / ways.length)
  .map((pair, at) => ({ ...pair, way: ways[at % ways.length]! }));

describe('published clients over HTTP', { concurrency: 2 }, () => {
  for (const pair of chosen)
    test(`P4 P7 P9 P15 P16 ${describePair(pair)}: one connection through everything`, (t) => throughEdits(t, pair));
});
