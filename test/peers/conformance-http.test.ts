// The published conformance suite directly against `serve`, in front of the fixture: a few of its scenarios, each with
// a reload in its middle. `npm run prove conformance-http` has them all, and the newer suite with the modern era.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Point } from './conformance.js';
import { installed, throughServe } from './served.js';

const chosen: Record<string, Point> = {
  'server-initialize': { message: 1, when: 'after' },
  'tools-call-elicitation': { message: 3, when: 'after' },
  'tools-call-with-progress': { message: 3, when: 'before' },
  'server-sse-multiple-streams': { message: 3, when: 'after' },
  'dns-rebinding-protection': { message: 1, when: 'after' },
};

describe('the conformance suite against serve', { concurrency: 2 }, () => {
  for (const [scenario, at] of Object.entries(chosen))
    test(`P1 P10 P16 ${scenario}, with a reload ${at.when} message ${at.message}`, async () => {
      const { checks, reloads } = await throughServe(installed, scenario, at);
      assert.ok(reloads > 0);
      const judged = checks.filter(({ status }) => status !== 'INFO');
      assert.ok(judged.length > 0);
      assert.deepEqual(
        judged.filter(({ status }) => status !== 'SUCCESS'),
        [],
      );
    });
});
