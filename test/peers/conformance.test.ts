// The published conformance suite's verdict on a stdio server, with the proxy and without it: the same, though the
// server is replaced in the middle of a scenario. All scenarios run directly; a choice of them, one for each kind of
// traffic, is disturbed here, and all at every point by `npm run prove conformance`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundle, conformance } from './conformance.js';
import type { Point } from './conformance.js';

const chosen: Record<string, Point> = {
  'server-initialize': { message: 1, when: 'after' },
  'tools-list': { message: 2, when: 'after' },
  'tools-call-with-logging': { message: 4, when: 'before' },
  'tools-call-with-progress': { message: 3, when: 'after' },
  'tools-call-sampling': { message: 4, when: 'before' },
  'tools-call-elicitation': { message: 3, when: 'after' },
  'server-sse-polling': { message: 2, when: 'after' },
  'server-sse-multiple-streams': { message: 4, when: 'before' },
  'resources-unsubscribe': { message: 4, when: 'before' },
  'prompts-get-with-args': { message: 2, when: 'before' },
};

test('P1 P2 P10 the conformance suite says the same of a server that is replaced inside of its scenarios', async () => {
  const server = await bundle();
  const direct = await conformance(server, 'direct');
  const failed = direct.flatMap(({ checks }) => checks).filter(({ status }) => !/^(SUCCESS|INFO)$/.test(status));
  assert.deepEqual(failed, []);
  assert.ok(direct.length >= 32);

  const points = direct.map(({ scenario }) => chosen[scenario]);
  const reloaded = await conformance(server, points);
  const isChosen = ({ scenario }: { scenario: string }) => scenario in chosen;
  assert.equal(reloaded.filter(isChosen).length, Object.keys(chosen).length);
  assert.deepEqual(
    reloaded.filter(isChosen),
    direct.filter(isChosen).map((outcome) => ({ ...outcome, generations: 2 })),
  );
});
