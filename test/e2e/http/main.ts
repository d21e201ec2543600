// `npm run prove http`: every published client over HTTP with every server and in every way to be reached, each
// through edits, failures and crashes on one connection, as tests of node:test. With --rounds each pair comes so many
// times.

import { describe, test } from 'node:test';
import { parseArgs } from 'node:util';
import { describePair, pairs, throughEdits } from './through-edits.js';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '1' } } });

for (let round = 1; round <= Number(options.rounds); round++)
  describe(`round ${round}`, { concurrency: 2 }, () => {
    for (const pair of pairs) test(describePair(pair), (t) => throughEdits(t, pair));
  });
