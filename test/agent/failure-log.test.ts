// Every line that the log can say of a failure, of a crash and of the end of either, as a person reads them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure, ServerFailure } from '#src/agent/failure.js';
import { crashText, failureText, mendedText, type Outlook } from '#src/agent/failure-log.js';
import { outlookOf } from '#src/lineage/health.js';
import { transition } from '#src/lineage/state.js';
import { eventsFor, states } from '../lineage/cases.js';

const build: Failure = {
  kind: 'build',
  command: 'npm run build',
  cause: { kind: 'exit', code: 2 },
  output: '> a@1 build\n> tsc\n\none\n\n  two\n',
};
const start: ServerFailure = {
  kind: 'start',
  command: 'node',
  cause: { kind: 'ended', end: { kind: 'exit', code: 1 }, inHandshake: true },
  output: 'x',
};
const late: Failure = { ...start, cause: { kind: 'hanging', ms: 25_000 } };
const configuration: Failure = {
  kind: 'configuration',
  command: 'the configuration file',
  cause: { kind: 'unusable' },
  output: 'a',
};

const said = (failure: Failure, outlook: Outlook, more: { servesTools?: boolean; withOutput?: boolean } = {}): string =>
  failureText(failure, outlook, { servesTools: false, withOutput: false, ...more });
const serving: Outlook = { serving: 4, answered: true, underWay: false };
const waiting = (nextTryMs: number, answered: boolean): Outlook => ({ answered, nextTryMs, underWay: false });

test('P7 a failure says what happened, what becomes of calls, and when it is tried again', () => {
  assert.deepEqual(
    [
      said(build, serving, { withOutput: true }),
      said(build, serving, { servesTools: true }),
      said(build, { answered: true, underWay: false }),
      said(build, waiting(5000, true)),
      said(start, serving),
      said(start, waiting(5000, true)),
      said(start, waiting(1000, false)),
      said(start, { answered: false, underWay: true }),
      said(late, { answered: true, underWay: true }),
      said(configuration, serving, { withOutput: true }),
    ],
    [
      'build failed: npm run build exited with code 2. Tool calls are answered with this error; the old code, generation 4, stays up\none\n\n  two',
      'build failed: npm run build exited with code 2. Calls are executed by the old code, generation 4, until this is mended (--on-failure serve)',
      'build failed: npm run build exited with code 2. No server runs: requests are answered with this error. The next save or tool call tries again',
      'build failed: npm run build exited with code 2. Requests are answered with this error. Next try in 5 s, or at the next save',
      'start failed: node exited with code 1 before the handshake was done. Tool calls are answered with this error; the old code, generation 4, stays up',
      'start failed: node exited with code 1 before the handshake was done. Requests are answered with this error. Next try in 5 s, or at the next save',
      'start failed: node exited with code 1 before the handshake was done. It is started again in 1 s',
      'start failed: node exited with code 1 before the handshake was done. It is started again',
      'start failed: node has not answered the handshake for 25 s, but is still running. Requests are answered with this error until it has answered',
      "configuration error: the configuration file can't be used as it is. Tool calls are answered with this error; generation 4, with the settings from before, stays up\na",
    ],
  );
});

test('P15 a crash says how the server ended, and when it is started again', () => {
  const crashed = (outlook: Outlook, asked = false, standing = false): string =>
    crashText('exited with code 3', asked, outlook, standing);
  assert.deepEqual(
    [
      crashed({ answered: false, underWay: true }),
      crashed({ answered: false, underWay: true }, true),
      crashed(waiting(1000, false)),
      crashed(waiting(5000, true)),
      crashed(waiting(5000, true), false, true),
    ],
    [
      'the server exited with code 3. It is started again',
      'the server exited with code 3, which asks for a restart. It is started again',
      'the server exited with code 3. It is started again in 1 s',
      'the server exited with code 3. Requests are answered with this error. Next try in 5 s, or at the next save',
      'the server exited with code 3. Requests are answered with the error from before. Next try in 5 s, or at the next save',
    ],
  );
});

test('P7 the end of a failure says who serves', () => {
  assert.equal(mendedText('reloaded', 6), 'mended: generation 6 serves');
  assert.equal(
    mendedText('undone', 4),
    'mended: the files are back to the code that runs, so nothing is restarted; generation 4 serves',
  );
});

test('P7 whatever fails in whichever state, the outlook is what the effects do', () => {
  for (const state of Object.values(states)) {
    for (const event of Object.values(eventsFor(state))) {
      const step = transition(state, event);
      const [after] = step;
      const { serving: who, answered, nextTryMs, underWay } = outlookOf(step);
      if (nextTryMs !== undefined) assert.equal(after.at, 'waiting');
      if (who !== undefined) assert.ok('serving' in after && after.serving === who);
      if (answered) assert.ok(!after.held);
      if (underWay) assert.ok('attempt' in after);
    }
  }
});
