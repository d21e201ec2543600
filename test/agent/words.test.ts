// What the proxy says to clients and agents, side by side in words.txt, so that a change of a sentence is read beside
// its neighbours. UPDATE_WORDS=1 writes that file anew. When each is said is for the tests of whoever says it.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as reports from '#src/agent/reports.js';
import { runsCopy } from '#src/agent/status-report.js';
import { callTimedOut, silentCallsText } from '#src/agent/call-words.js';
import * as words from '#src/agent/words.js';
import type { ToolNames } from '#src/agent/tool-names.js';
import { printedText } from '#src/agent/excerpt.js';
import { howOf, type Failure } from '#src/agent/failure.js';
import { root } from '../support/paths.js';

const tried = { at: '2026-11-18T09:30:07.123Z', againAfterMs: 2400 };
const failures: Record<Failure['kind'], Failure> = {
  build: {
    kind: 'build',
    command: 'npm run build',
    cause: { kind: 'exit', code: 2 },
    output: 'src/add.ts(3,7): error TS2322: Type string is not assignable to type number.\n',
  },
  start: {
    kind: 'start',
    command: 'node',
    cause: { kind: 'ended', end: { kind: 'exit', code: 1 }, inHandshake: true },
    output: 'SyntaxError: Unexpected end of input\n    at src/add.js:3\n',
    tried,
  },
  crash: {
    kind: 'crash',
    command: 'node',
    cause: { kind: 'ended', end: { kind: 'signal', signal: 'SIGSEGV' } },
    output: '',
  },
  exit: { kind: 'exit', command: 'node', cause: { kind: 'ended', end: { kind: 'exit', code: 0 } }, output: '' },
  era: {
    kind: 'era',
    command: 'node',
    cause: { kind: 'refused', error: '{"code":-32601}', otherEra: { server: 'modern', client: 'legacy' } },
    output: '',
  },
  away: {
    kind: 'away',
    command: 'http://127.0.0.1:8000/mcp',
    cause: { kind: 'not-there', ms: 6000, last: 'the connection was refused' },
    output: '',
    tried,
  },
  configuration: {
    kind: 'configuration',
    command: 'mcp-hotline.config.jsonc',
    cause: { kind: 'unusable' },
    output: 'rules[0].then: "reboot" is none of restart, continue, notify or a signal',
  },
};

/** As they are shown where the server has a tool called `restart_server`. */
const tools: ToolNames = {
  restart_server: 'hotline_restart_server',
  verify_server_restarted: 'verify_server_restarted',
  server_status: 'server_status',
  list_server_tools: 'list_server_tools',
  call_server_tool: 'call_server_tool',
};

/** Without the agent's own tools, then with them. */
const each = (say: (failure: Failure, tools?: ToolNames) => string): string[] => [
  ...Object.values(failures).map((failure) => say(failure)),
  ...Object.values(failures).map((failure) => say(failure, tools)),
];

const late: Failure = {
  ...failures.start,
  kind: 'start',
  cause: { kind: 'unanswered', limitMs: 20_000, isAtWork: false },
};
const lateOverHttp: Failure = {
  ...failures.start,
  kind: 'start',
  cause: { kind: 'unanswered', limitMs: 20_000, isAtWork: false, last: 'HTTP 404: Cannot POST /mcp' },
};
const portTaken: Failure = {
  ...failures.start,
  kind: 'start',
  cause: { kind: 'port-taken', at: '127.0.0.1:8000' },
  output: '',
};
const beside: Failure = { ...failures.start, output: 'the device is taken\n', beside: true };

/** Every sentence, by the name of the function that makes it. */
const said: Record<keyof typeof words | 'callTimedOut' | 'silentCallsText', string[]> = {
  failureText: [
    ...each(words.failureText),
    ...[beside, late, lateOverHttp, portTaken].map((failure) => words.failureText(failure)),
  ],
  failureMessage: [...each(words.failureMessage), words.failureMessage(late)],
  servedByOldCode: each(words.servedByOldCode),
  notStarted: [
    ...Object.values(failures).map((failure) => words.notStarted(failure, tools)),
    words
      .notStarted({ ...failures.start, output: 'line\n'.repeat(1000) }, tools)
      .replaceAll(/(line\n){3,}/g, 'line\n[…]\n'),
  ],
  mayHaveRun: [
    words.mayHaveRun('tools/call', 'add'),
    words.mayHaveRun('tasks/cancel', ''),
    words.mayHaveRun('tools/call', 'add', failures.crash),
    words.mayHaveRun('tools/call', 'add', { ...failures.crash, output: 'Segmentation fault\n' }),
    words.mayHaveRun('tools/call', 'add', failures.start),
    words.mayHaveRun('tools/call', 'add', failures.crash, undefined, true),
    words.mayHaveRun('tools/call', 'add', undefined, undefined, true),
    words.mayHaveRun('tools/call', 'add', undefined, tools),
    words.mayHaveRun('tools/call', 'add', failures.crash, tools),
  ],
  connectionLost: [
    words.connectionLost('tools/call', 'add', 'the connection was lost'),
    words.connectionLost('prompts/get', '', 'the stream of its answer was lost'),
  ],
  heldTooLong: [
    words.heldTooLong(50),
    words.heldTooLong(50, tools),
    words.heldTooLong(50, undefined, { isRetry: true }),
    words.heldTooLong(1.5, undefined, { isFirst: true }),
  ],
  holdIsFull: [
    words.holdIsFull('10000 messages'),
    words.holdIsFull('64 MiB of messages'),
    words.holdIsFull('10000 messages', tools),
  ],
  callTimedOut: [
    callTimedOut('add', 5000, undefined),
    callTimedOut('add', 5000, { text: '', when: 'during' }),
    ...(['during', 'meanwhile', 'before'] as const).map((when) => callTimedOut('add', 1500, { text: 'a line', when })),
  ],
  silentCallsText: [silentCallsText([{ tool: 'add', silentMs: 31_234 }])],
  noServer: [words.noServer()],
  notParsable: [words.notParsable()],
  requestWithoutId: [words.requestWithoutId()],
  lostTask: [words.lostTask('a1')],
  endedTask: [words.endedTask('a1')],
  messageTooLong: [words.messageTooLong(134217728)],
  askerGone: [words.askerGone()],
  askedAmongSeveral: [
    words.askedAmongSeveral('sampling/createMessage', 0),
    words.askedAmongSeveral('sampling/createMessage', 2),
  ],
  clientLeft: [words.clientLeft()],
  unknownTask: [words.unknownTask('a1')],
  notForSharedServer: [words.notForSharedServer()],
  outputText: [], // a part of others
};

const file = join(root, 'test/agent/words.txt');

test('P7 what clients and agents are told, as words.txt shows it', () => {
  const shown = Object.entries(said)
    .map(([name, texts]) => texts.map((text) => `── ${name}\n${text}\n`).join('\n'))
    .join('\n');
  if (process.env['UPDATE_WORDS'] !== undefined) writeFileSync(file, shown);
  assert.equal(shown, readFileSync(file, 'utf8'), 'read the difference, then run this test with UPDATE_WORDS=1');
});

/** With `--agent-tools auto`. */
const few: ToolNames = { list_server_tools: 'list_server_tools', call_server_tool: 'call_server_tool' };

test('an agent that has only some of our tools is told of no others', () => {
  const copy = { copy: 'a', sources: 'b', install: 'pip install -e b', environment: 'c' };
  const texts = Object.values(failures).flatMap((failure) => [
    words.failureText(failure, few),
    words.failureMessage(failure, few),
    words.servedByOldCode(failure, few),
    words.notStarted(failure, few),
    words.mayHaveRun('tools/call', 'add', failure, few),
    reports.notRestarted(failure, few),
    reports.noLists('none', few, { failure, generation: 1, servesTools: false }),
  ]);
  texts.push(
    words.heldTooLong(50, few),
    words.holdIsFull('10000 messages', few),
    reports.stillRestarting(50, few),
    reports.verified({ kind: 'torn' }, few),
    reports.verified({ kind: 'yes', at: 'now', reason: 'x', generation: 2, crash: true }, few),
    reports.noLists('none', few),
    reports.noSuchTool('a', ['b'], few),
    runsCopy(copy, few),
  );
  for (const text of texts) {
    assert.doesNotMatch(text, /undefined|server_status|restart_server|verify_server_restarted/, text);
    assert.match(text, /[.)]$/, 'it ends as a sentence does');
  }
});

test('every sentence is shown', () => {
  for (const name of Object.keys(words)) assert.ok(Object.hasOwn(said, name), name);
});

test('P7 each is made of whole sentences, ends with one, and never asks to poll', () => {
  for (const text of Object.values(said).flat()) {
    assert.match(text, /^[A-Z]/);
    assert.match(text, /[.:]$/);
    assert.doesNotMatch(text, /undefined|\bpoll|keep (trying|calling)|every \d+ (ms|s)\b/i);
    for (const sentence of text.split(/(?<=[.:])[\s]+(?=[A-Z])/)) assert.ok(sentence.length > 5, sentence);
  }
});

test('P7 a failure is told with the command, how it failed, its own words, and what to do next', () => {
  for (const failure of Object.values(failures)) {
    const text = words.failureText(failure);
    for (const part of [failure.command, howOf(failure), printedText(failure.output).trim()])
      assert.ok(text.includes(part), text);
    assert.match(text, /was not executed.*call the tool again/s);
    assert.match(words.failureMessage(failure), /send the request again\.$/);
  }
});

test('every failure names the tool to go on with, by the name it is shown under, and only if the agent has it', () => {
  const named = /\b(hotline_restart_server|server_status)\b/;
  for (const failure of Object.values(failures)) {
    for (const say of [words.failureText, words.failureMessage, words.servedByOldCode]) {
      assert.match(say(failure, tools), named);
      assert.doesNotMatch(say(failure), /restart_server|server_status/);
    }
  }
  for (const text of [
    words.mayHaveRun('tools/call', 'add', failures.crash, tools),
    words.heldTooLong(50, tools),
    words.holdIsFull('10000 messages', tools),
  ]) {
    assert.match(text, named);
  }
});
