// `npm run prove upstream`: every published client with every kind of server that speaks HTTP itself, by stdio and by
// `serve`, as tests of node:test. With --rounds each pair comes so many times; --only has the pairs whose words contain
// all of these.

import { describe, test } from 'node:test';
import { parseArgs } from 'node:util';
import { describePair, pairs } from './servers.js';
import { largerThanCalls, throughEdits } from './through-edits.js';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, only: { type: 'string', multiple: true, default: [] } },
});
const chosen = pairs.filter((pair) => options.only.every((words) => describePair(pair).includes(words)));

for (let round = 1; round <= Number(options.rounds); round++)
  describe(`round ${round}`, { concurrency: 2 }, () => {
    for (const pair of chosen) {
      test(`${describePair(pair)}: through edits`, (t) => throughEdits(t, pair));
      test(`${describePair(pair)}: larger than calls`, (t) => largerThanCalls(t, pair));
    }
  });
