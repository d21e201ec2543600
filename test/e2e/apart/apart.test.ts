// Many clients of every transport and both eras on one project, with the same ids, progress tokens and stream ids: they
// call, take back, set levels, subscribe, listen, answer questions, leave and come, while the server is edited. Nothing
// of one reaches another, with servers of their own and with one that they share.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fc } from '../../support/property.js';
import { move, openTable, playGame } from './game.js';
import { openPlace } from './place.js';
import type { Kind } from './talkers.js';

interface Crowd {
  readonly what: string;
  readonly kinds: readonly Kind[];
  readonly isShared: boolean;
  readonly games: number;
  /** What some of them must have heard, since silence proves nothing. */
  readonly heard: readonly string[];
}

const IN_CALLS = ['result', 'notifications/progress', 'notifications/message', 'notifications/of-its-own'];
const LEGACY = [...IN_CALLS, 'sampling/createMessage', 'elicitation/create', 'roots/list'];
const NEWS = ['notifications/resources/updated', 'notifications/tools/list_changed'];
const MODERN = [...IN_CALLS, ...NEWS, 'notifications/subscriptions/acknowledged'];

const crowds: readonly Crowd[] = [
  {
    what: 'legacy clients on stdio, Streamable HTTP and SSE',
    kinds: ['stdio', 'streamable', 'streamable', 'sse', 'sse'],
    isShared: true,
    games: 40,
    heard: [...LEGACY, ...NEWS],
  },
  {
    what: 'modern clients on stdio and HTTP',
    kinds: ['stdio modern', 'modern', 'modern', 'modern'],
    isShared: true,
    games: 40,
    heard: MODERN,
  },
  {
    what: 'clients of both eras',
    kinds: ['stdio', 'streamable', 'sse', 'modern', 'modern', 'modern'],
    isShared: true,
    games: 15,
    heard: [...LEGACY, ...MODERN],
  },
  {
    what: 'clients of both eras',
    kinds: ['stdio', 'streamable', 'sse', 'modern', 'modern'],
    isShared: false,
    games: 8,
    heard: [...LEGACY, ...MODERN],
  },
];

/** `npm run prove apart` plays more of them. */
const factor = Number(process.env['APART_GAMES'] ?? 1);

async function play(t: TestContext, { kinds, isShared, games, heard }: Crowd, isInProcess: boolean): Promise<void> {
  const place = await openPlace(t, { isInProcess, isShared });
  const table = openTable(place, kinds);
  let game = 0;
  const numRuns = Math.ceil((games * factor) / (isInProcess ? 1 : 4));
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 40 }), async (moves) => {
      const faults = await playGame(table, moves, game++ % 4 === 3);
      assert.deepEqual(faults, [], place.log().slice(-3000));
    }),
    // A game that goes wrong may take minutes: it is not played again and again to make it smaller.
    { numRuns, endOnFailure: true },
  );
  const missing = isInProcess ? heard.filter((one) => !table.heard.has(one)) : [];
  assert.deepEqual(missing, [], [...table.heard].join(' '));
}

for (const isInProcess of [true, false]) {
  const where = isInProcess ? 'in this process' : 'through the bin';
  for (const crowd of crowds) {
    if (crowd.isShared)
      test(`P17.share ${crowd.what}, one server an era, ${where}: nothing of one reaches another`, (t) =>
        play(t, crowd, isInProcess));
    else
      test(`P17 ${crowd.what}, servers of their own, ${where}: nothing of one reaches another`, (t) =>
        play(t, crowd, isInProcess));
  }
}
