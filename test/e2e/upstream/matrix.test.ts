// Published clients of servers that speak HTTP themselves, through everything that can happen to the server. Here is
// each kind of server once by stdio and once by `serve`; `npm run prove upstream` has every pair.

import { describe, test } from 'node:test';
import { describePair, kinds, pairs } from './servers.js';
import type { Pair } from './servers.js';
import { largerThanCalls, throughEdits } from './through-edits.js';

/** Each time another client. */
const chosen = Object.keys(kinds)
  .filter((server) => server !== 'v1 SSE')
  .flatMap((server, at): Pair[] => {
    const of = (front: Pair['front']): Pair[] => pairs.filter((pair) => pair.server === server && pair.front === front);
    return [of('stdio'), of('serve')].flatMap((those) => those[at % those.length] ?? []);
  });

describe('servers that speak HTTP themselves', { concurrency: 2 }, () => {
  for (const pair of chosen) {
    test(`P1 P4 P7 P9 P15 P16 ${describePair(pair)}: one session through everything`, (t) => throughEdits(t, pair));
    test(`P1 P16 ${describePair(pair)}: long answers, progress, cancelling, questions`, (t) =>
      largerThanCalls(t, pair));
  }
});
