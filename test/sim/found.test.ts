/** Failures that the simulation has found, made small: each was a bug, and must not come back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './run.js';
import type { Event, Script, Setting } from './script.js';

const usual: Setting = {
  era: 'legacy',
  discovers: false,
  strategy: 'overlap',
  drain: 10_000,
  hold: 50_000,
  startTimeout: 20_000,
  buildTimeout: 120_000,
  stopTimeout: 2000,
  restartDelay: 0,
  onFailure: 'report',
  whileReloading: 'hold',
  retry: 'safe',
  concurrency: undefined,
  notify: 'changed',
  agentTools: false,
  builds: false,
  settings: undefined,
  debounce: 100,
  poll: undefined,
  slowDisk: 0,
};

function scriptWith(setting: Partial<Setting>, events: readonly Event[], rest: Partial<Script> = {}): Script {
  return { seed: 1, programs: [{}], mends: false, setting: { ...usual, ...setting }, events, ...rest };
}

async function holds(script: Script): Promise<void> {
  const { breach, trace } = await run(script, true);
  assert.equal(breach, undefined, trace.slice(-40).join('\n'));
}

test('P9 a list that the client is given while the reload has begun is what the new one is compared with', () =>
  holds(
    scriptWith(
      { agentTools: true, poll: 500, drain: 0 },
      [
        { do: 'tell', salt: 2086321881, turns: 0, ms: 298 },
        { do: 'save', file: 'lists.js', content: 14, salt: 1949299016, turns: 0, ms: 105 },
        { do: 'ask', method: 1, id: 19, salt: 3968666516, turns: 0, ms: 0 },
        { do: 'call', tool: 3, id: 21, token: true, salt: 3954497465, turns: 0, ms: 900 },
        { do: 'save', file: 'lists.js', content: 4, salt: 1061338361, turns: 0, ms: 112 },
        { do: 'say', which: 7, what: 2, salt: 3464576849, turns: 0, ms: 277 },
        { do: 'ask', method: 0, id: 20, salt: 3999811533, turns: 3, ms: 0 },
        { do: 'save', file: 'other.js', content: 2, salt: 2697177375, turns: 0, ms: 0 },
        { do: 'ask', method: 9, id: 6, salt: 615194854, turns: 0, ms: 0 },
      ],
      { seed: 43, programs: [{}, {}, {}, {}, {}, {}, {}, {}] },
    ),
  ));

test('P3, P16: an edit while the first server opens the session does not leave the next one without it', () =>
  holds(
    scriptWith(
      { stopTimeout: 300, buildTimeout: 3000 },
      [
        { do: 'tell', salt: 7, turns: 3, ms: 0 },
        { do: 'save', file: 'lists.js', content: 11, salt: 49, turns: 0, ms: 0 },
      ],
      { seed: 7 },
    ),
  ));

test('P4 fresh: a save that is undone while a build runs is not what is started', () =>
  holds(
    scriptWith(
      {
        era: 'modern',
        discovers: true,
        startTimeout: 2000,
        buildTimeout: 3000,
        stopTimeout: 300,
        builds: true,
        settings: 'SIGHUP',
        debounce: 0,
      },
      [
        { do: 'save', file: 'main.js', content: 8, salt: 2867276712, turns: 0, ms: 2201 },
        { do: 'save', file: 'settings.json', content: 5, salt: 2096878902, turns: 0, ms: 3 },
        { do: 'crash', which: 5, code: -1, cut: true, salt: 1629552059, turns: 1, ms: 0 },
        { do: 'save', file: 'main.js', content: 6, salt: 27137789, turns: 0, ms: 0 },
        { do: 'ask', method: 7, id: 23, salt: 1483748742, turns: 0, ms: 12 },
        { do: 'save', file: 'main.js', content: 8, salt: 2437340498, turns: 0, ms: 0 },
        { do: 'ask', method: 2, id: 20, salt: 2531658305, turns: 0, ms: 449 },
      ],
      { seed: 3691, programs: [{}, {}, {}, {}, {}, {}, {}, {}], mends: true },
    ),
  ));

test('P4 fresh: what was built of a save that was undone meanwhile does not count as built', () =>
  holds(
    scriptWith(
      {
        drain: 0,
        buildTimeout: 3000,
        restartDelay: 300,
        onFailure: 'serve',
        concurrency: 2,
        notify: 'always',
        builds: true,
        slowDisk: 60,
      },
      [
        { do: 'call', tool: 1, id: 21, token: true, salt: 2623966051, turns: 0, ms: 1785 },
        { do: 'call', tool: 3, id: 18, token: false, salt: 561022121, turns: 3, ms: 0 },
        { do: 'ask', method: 3, id: 11, salt: 816259832, turns: 1, ms: 0 },
        { do: 'save', file: 'other.js', content: 3, salt: 3805390274, turns: 0, ms: 0 },
        { do: 'full', on: true, salt: 2685676713, turns: 0, ms: 76 },
        { do: 'save', file: 'other.js', content: 0, salt: 329712039, turns: 0, ms: 0 },
        { do: 'ask', method: 9, id: 14, salt: 827200073, turns: 1, ms: 0 },
        { do: 'ask', method: 5, id: 6, salt: 927524293, turns: 0, ms: 146 },
        { do: 'save', file: 'main.js', content: 8, salt: 3966920637, turns: 0, ms: 0 },
        { do: 'call', tool: 1, id: 10, token: false, salt: 3313474510, turns: 0, ms: 145 },
        { do: 'call', tool: 2, id: 7, token: false, salt: 2156611647, turns: 0, ms: 123 },
        { do: 'save', file: 'lists.js', content: 3, salt: 3747753522, turns: 0, ms: 0 },
        { do: 'missing', on: false, salt: 3226971256, turns: 0, ms: 54 },
        { do: 'save', file: 'lists.js', content: 0, salt: 1364985824, turns: 0, ms: 0 },
        { do: 'call', tool: 2, id: 2, token: false, salt: 3724552081, turns: 0, ms: 148 },
      ],
      { seed: 4791, programs: [{}, {}, {}, {}, {}, {}, {}, {}], mends: true },
    ),
  ));

test('P4 fresh: a save that is undone while a server starts does not leave it with what was in between', () =>
  holds(
    scriptWith(
      {
        era: 'modern',
        drain: 500,
        startTimeout: 2000,
        buildTimeout: 3000,
        stopTimeout: 300,
        onFailure: 'serve',
        concurrency: 1,
      },
      [
        { do: 'listen', filter: 1, salt: 178087992, turns: 0, ms: 5962 },
        { do: 'crash', which: 7, code: 1, cut: false, salt: 1839722343, turns: 0, ms: 0 },
        { do: 'save', file: 'main.js', content: 5, salt: 4042351405, turns: 0, ms: 0 },
        { do: 'missing', on: false, salt: 3255595054, turns: 0, ms: 16 },
        { do: 'save', file: 'main.js', content: 0, salt: 3201397954, turns: 0, ms: 0 },
      ],
      { seed: 5219, programs: [{}, {}, {}, {}, {}, { delay: 400 }, {}, {}] },
    ),
  ));

test('P1 one answer: what a replaced server owes is answered though the one that serves leaves with 0', () =>
  holds(
    scriptWith(
      {
        drain: 0,
        hold: 0,
        startTimeout: 2000,
        buildTimeout: 3000,
        stopTimeout: 300,
        notify: 'never',
        agentTools: true,
        settings: 'continue',
      },
      [
        { do: 'ask', method: 0, id: 6, salt: 813863196, turns: 0, ms: 95 },
        { do: 'freeze', which: 1, salt: 3274743586, turns: 0, ms: 0 },
        { do: 'ask', method: 8, id: 20, salt: 3182804178, turns: 0, ms: 3 },
        { do: 'save', file: 'other.js', content: 15, salt: 3653543048, turns: 0, ms: 5347 },
        { do: 'crash', which: 0, code: -1, cut: true, salt: 1295510270, turns: 0, ms: 0 },
        { do: 'crash', which: 6, code: 0, cut: true, salt: 251038848, turns: 0, ms: 0 },
      ],
      { seed: 7999, programs: [{}, {}, {}, {}, {}, {}, {}, {}], mends: true },
    ),
  ));

test('P4 fresh: a save that is undone while the first server takes its time to read its code does not stay with it', () =>
  holds(
    scriptWith(
      {},
      [
        { do: 'tell', salt: 1, turns: 0, ms: 290 },
        { do: 'save', file: 'main.js', content: 8, salt: 2, turns: 0, ms: 20 },
        { do: 'save', file: 'main.js', content: 0, salt: 3, turns: 0, ms: 500 },
        { do: 'call', tool: 2, id: 1, token: false, salt: 4, turns: 0, ms: 500 },
      ],
      { programs: [{ boot: 300 }] },
    ),
  ));

test('P4, P6: files that are saved one after the other while a server drains are no outputs', () =>
  holds(
    scriptWith(
      { strategy: 'replace', settings: 'continue' },
      [
        { do: 'tell', salt: 1, turns: 0, ms: 5000 },
        { do: 'freeze', which: 0, salt: 2, turns: 0, ms: 0 },
        { do: 'call', tool: 2, id: 1, token: false, salt: 3, turns: 0, ms: 10 },
        { do: 'save', file: 'lists.js', content: 1, salt: 4, turns: 0, ms: 200 },
        { do: 'save', file: 'other.js', content: 1, salt: 5, turns: 0, ms: 200 },
        { do: 'save', file: 'main.js', content: 1, salt: 6, turns: 0, ms: 200 },
        { do: 'save', file: 'settings.json', content: 1, salt: 7, turns: 0, ms: 200 },
        { do: 'save', file: 'lists.js', content: 2, salt: 8, turns: 0, ms: 200 },
        { do: 'thaw', salt: 9, turns: 0, ms: 60_000 },
        { do: 'save', file: 'main.js', content: 2, salt: 10, turns: 0, ms: 4000 },
        { do: 'save', file: 'other.js', content: 2, salt: 11, turns: 0, ms: 0 },
        { do: 'call', tool: 2, id: 2, token: false, salt: 12, turns: 0, ms: 60_000 },
      ],
      { programs: [{ delay: 3000 }] },
    ),
  ));

test('P3 order: calls that are sent again go before those that wait for their turn', () =>
  holds(
    scriptWith(
      {
        drain: 500,
        hold: 1500,
        startTimeout: 2000,
        stopTimeout: 300,
        onFailure: 'serve',
        concurrency: 1,
        debounce: 0,
        poll: 500,
      },
      [
        { do: 'save', file: 'lists.js', content: 9, salt: 226483304, turns: 0, ms: 0 },
        { do: 'call', tool: 2, id: 6, token: false, salt: 4226498123, turns: 0, ms: 3538 },
        { do: 'crash', which: 5, code: 42, cut: true, salt: 2139796471, turns: 0, ms: 0 },
        { do: 'garbage', kind: 0, salt: 3227099070, turns: 0, ms: 0 },
        { do: 'call', tool: 1, id: 2, token: false, salt: 1899795472, turns: 0, ms: 0 },
        { do: 'call', tool: 1, id: 19, token: false, salt: 4180554992, turns: 0, ms: 0 },
      ],
      { seed: 10204, programs: [{}, {}, {}, {}, {}, {}, {}, {}] },
    ),
  ));

test('P4 fresh: a restart after a crash is one of what was built, not of what was saved since', () =>
  holds(
    scriptWith(
      { era: 'modern', strategy: 'replace', drain: 0, stopTimeout: 300, restartDelay: 300, builds: true, slowDisk: 60 },
      [
        { do: 'ask', method: 8, id: 16, salt: 2594082158, turns: 0, ms: 5306 },
        { do: 'save', file: 'main.js', content: 24, salt: 3018823184, turns: 0, ms: 3 },
        { do: 'ask', method: 5, id: 0, salt: 242413525, turns: 3, ms: 0 },
        { do: 'save', file: 'main.js', content: 8, salt: 2592865826, turns: 0, ms: 0 },
        { do: 'save', file: 'settings.json', content: 6, salt: 4093518058, turns: 0, ms: 19 },
        { do: 'crash', which: 5, code: 42, cut: true, salt: 3293488117, turns: 0, ms: 0 },
      ],
      { seed: 11895, programs: [{}, {}, {}, {}, {}, {}, {}, {}] },
    ),
  ));

test('P4, P6: a file is never taken for an output without a word', () =>
  holds(
    scriptWith(
      { strategy: 'replace', drain: 500, hold: 1500, restartDelay: 300, concurrency: 2, builds: true },
      [
        { do: 'call', tool: 4, id: 1, token: false, salt: 1762426742, turns: 0, ms: 87 },
        { do: 'save', file: 'main.js', content: 24, salt: 2667175687, turns: 0, ms: 0 },
        { do: 'call', tool: 3, id: 23, token: false, salt: 2212149826, turns: 0, ms: 105 },
        { do: 'save', file: 'main.js', content: 14, salt: 2511651904, turns: 0, ms: 132 },
        { do: 'save', file: 'main.js', content: 3, salt: 2020530420, turns: 0, ms: 0 },
        { do: 'call', tool: 3, id: 17, token: false, salt: 4165696083, turns: 0, ms: 727 },
        { do: 'save', file: 'main.js', content: 4, salt: 3632687149, turns: 0, ms: 1544 },
      ],
      { seed: 14137, programs: [{}, {}, {}, {}, {}, {}, {}, {}], mends: true },
    ),
  ));
