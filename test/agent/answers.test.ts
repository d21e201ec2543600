// The answers of the agent's own tools as they are sent: the words in both forms, never too long, and valid by the
// schemas that are published. What the tools find out is for test/e2e/agent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolResult } from '#src/agent/answers.js';
import { cutText, jsonLength, MAX_ANSWER } from '#src/agent/limits.js';
import * as say from '#src/agent/reports.js';
import { listAnswer } from '#src/agent/tool-listing.js';
import { shownNames, toolDefinitions } from '#src/agent/tools.js';
import type { ToolNames } from '#src/agent/tool-names.js';
import type { Failure } from '#src/agent/words.js';
import { fc } from '../support/property.js';

const tools = Object.fromEntries([...shownNames(new Set())].map(([name, tool]) => [tool, name])) as ToolNames;
const cause = { kind: 'ended', end: { kind: 'exit', code: 1 } } as const;
const failure: Failure = { kind: 'start', command: 'node', cause, output: 'SyntaxError: x' };
const standing: say.Standing = { failure, generation: 3, servesTools: false };

interface Sent {
  content: { text: string }[];
  structuredContent: Record<string, unknown>;
}
const sent = (answer: Parameters<typeof toolResult>[0]): Sent => toolResult(answer) as unknown as Sent;

/** Short texts and very long ones, of characters that JSON writes as they are or with up to six. */
const anyText = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.constantFrom(1, 1, 50, 5000))
  .map(([text, times]) => text.repeat(times));
const anyTool = fc.record({ name: anyText, description: anyText, inputSchema: fc.dictionary(anyText, anyText) });
const anyStanding = fc.option(
  fc.record({
    failure: fc.oneof(
      fc.record({
        kind: fc.constantFrom('start', 'crash', 'exit'),
        command: anyText,
        cause: fc.record({ kind: fc.constant('refused'), error: anyText }),
        output: anyText,
      }),
      fc.record({
        kind: fc.constant('build'),
        command: anyText,
        cause: fc.record({
          kind: fc.constant('not-spawned'),
          problem: fc.record({ kind: fc.constant('system'), message: anyText }),
        }),
        output: anyText,
      }),
      fc.record({
        kind: fc.constant('configuration'),
        command: anyText,
        cause: fc.constant({ kind: 'unusable' } as const),
        output: anyText,
      }),
    ),
    generation: fc.option(fc.nat(), { nil: undefined }),
    servesTools: fc.boolean(),
  }),
  { nil: undefined },
);

test('P12 whatever it is that is told, an answer has at most 40,000 characters and the words in both forms', () => {
  fc.assert(
    fc.property(anyText, fc.option(anyText), fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText))), (...all) => {
      const [words, appendix, facts] = all;
      check(sent({ words, ...(appendix === null ? {} : { appendix }), facts, isError: true }));
    }),
    { numRuns: 300 },
  );
});

test('P12 so has the list of whatever tools, with whatever failure that stands', () => {
  const listing = fc.record({
    items: fc.array(anyTool),
    wanted: fc.option(anyText, { nil: undefined }),
    generation: fc.constant(1),
    outdated: fc.record({
      standing: anyStanding,
      meanwhile: fc.option(fc.record({ generation: fc.nat() }), { nil: undefined }),
    }),
  });
  fc.assert(
    fc.property(listing, (given) => check(sent(listAnswer(given, tools)))),
    { numRuns: 300 },
  );
});

function check(answer: Sent): void {
  assert.ok(jsonLength(answer) <= MAX_ANSWER, `${jsonLength(answer)} characters`);
  assert.equal(typeof answer.structuredContent['message'], 'string');
  assert.ok(answer.content[0]?.text.startsWith(answer.structuredContent['message'] as string));
}

test('a text that is cut keeps both ends, says how much is gone, and splits no character', () => {
  const cut = cutText(`begin${'\u{1f527}'.repeat(5000)}end`, 1000);
  assert.match(cut, /^begin.*characters are left out.*end$/su);
  assert.doesNotMatch(JSON.stringify(cut), /\\ud/);
  assert.equal(cutText('short', 1000), 'short');
});

const many = (count: number, description = 'x') =>
  Array.from({ length: count }, (_, n) => ({ name: `tool_${n}`, description, inputSchema: { type: 'object' } }));
const list = (items: readonly unknown[], wanted?: string, stands?: say.Standing): Sent =>
  sent(listAnswer({ items, wanted, generation: 1, outdated: { standing: stands, meanwhile: undefined } }, tools));

test('few tools are given whole in both forms, more with descriptions, 10,000 by as many names as fit', () => {
  const few = list(many(2));
  assert.deepEqual(few.structuredContent['tools'], many(2));
  assert.match(few.content[0]?.text ?? '', /"name":"tool_1".*"inputSchema"/);

  const more = list(many(100, 'd'.repeat(300)));
  assert.deepEqual((more.structuredContent['tools'] as object[]).length, 100);
  assert.equal(more.structuredContent['truncated'], true);
  assert.match(more.content[0]?.text ?? '', /only names are given, without schemas.*list_server_tools with name/);

  const all = list(many(10_000));
  const names = all.structuredContent['names'] as string[];
  assert.ok(names.length > 500 && names.length < 10_000, String(names.length));
  assert.match(all.content[0]?.text ?? '', new RegExp(`10000 tools.*only the first ${names.length} names`));
  assert.equal(all.structuredContent['truncated'], true);
});

test('a tool whose schema nests deeper than the stack is given without it', () => {
  const depth = 50_000;
  const inputSchema = JSON.parse(`${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}`) as unknown;
  const given = list([...many(1), { name: 'deep', description: 'x', inputSchema }]);
  assert.deepEqual(given.structuredContent['tools'], [
    { name: 'tool_0', description: 'x' },
    { name: 'deep', description: 'x' },
  ]);
});

test('a name gives that tool alone with its schema, a part of one all that contain it', () => {
  assert.deepEqual(list(many(10_000), 'tool_77').structuredContent['tools'], [many(78)[77]]);
  assert.equal((list(many(100), 'L_1').structuredContent['tools'] as object[]).length, 11);
  assert.match(list(many(100), 'other').content[0]?.text ?? '', /none whose name contains "other"/);
  const huge = list(many(1, 'd'.repeat(100_000)));
  assert.match(huge.content[0]?.text ?? '', /too long for an answer, so its schemas are left out/);
});

test('P7 while a failure stands, a list says whose it is, what failed, and that no new code is run', () => {
  const { message } = list(many(1), undefined, standing).structuredContent;
  assert.match(String(message), /^This is the list of generation 3, the old code.*SyntaxError: x.*nor by new code/s);
  const serves = list(many(1), undefined, { ...standing, servesTools: true }).structuredContent['message'];
  assert.match(String(serves), /the next tool call is executed by old code/);
});

test('P7 while the configuration has an error, a list is not called one of old code', () => {
  const configuration: say.Standing = {
    ...standing,
    failure: { ...failure, kind: 'configuration', cause: { kind: 'unusable' } },
  };
  const { message } = list(many(1), undefined, configuration).structuredContent;
  assert.match(String(message), /^This is the list of generation 3, which runs with the configuration from before/);
  const serves = list(many(1), undefined, { ...configuration, servesTools: true }).structuredContent['message'];
  for (const text of [message, serves]) assert.doesNotMatch(String(text), /the old code|by old code, not/);
});

test('P12 of facts that are too long only the longest is shortened, and of a log the newest lines are kept', () => {
  const log = Array.from({ length: 2000 }, (_, n) => `line ${n}`);
  const facts = { state: 'serving', log, nested: { kept: 'short', changes: ['a', 'b'] } };
  const { log: kept, ...others } = sent({ words: 'x', facts }).structuredContent;
  assert.deepEqual(others, { message: 'x', state: 'serving', nested: facts.nested, truncated: true });
  assert.equal((kept as string[]).at(-1), 'line 1999');
  assert.ok((kept as string[]).length > 1000, String((kept as string[]).length));

  const changes = Array.from({ length: 10_000 }, (_, n) => `+ tool ${n}`);
  const { structuredContent } = sent({
    words: 'x',
    facts: { lastReload: { at: 'now', changes }, log: log.slice(-300) },
  });
  assert.deepEqual(structuredContent['log'], log.slice(-300));
  const reload = structuredContent['lastReload'] as { at: string; changes: string[] };
  assert.deepEqual([reload.at, reload.changes[0]], ['now', '+ tool 0']);
});

test('P7 while a failure stands, no verdict claims that the next call runs new code', () => {
  const verdicts: say.Verdict[] = [
    { kind: 'yes', at: 'now', reason: 'r', generation: 2, crash: false },
    { kind: 'no', at: 'now' },
    { kind: 'begun', at: 'now', reason: 'r' },
    { kind: 'never' },
    { kind: 'torn' },
    { kind: 'foreign', proxy: 1 },
  ];
  for (const verdict of verdicts) {
    assert.match(say.verified(verdict, tools, { standing }), /a failure stands.*SyntaxError: x.*nor by new code/s);
    assert.doesNotMatch(say.verified(verdict, tools, { standing }), /executed by the new code/);
  }
});

test('the schemas of our tools refuse what the tools refuse, and every answer has a message', () => {
  for (const { name, inputSchema, outputSchema } of toolDefinitions) {
    assert.equal(inputSchema['additionalProperties'], false, name);
    if (name !== 'call_server_tool') assert.deepEqual(outputSchema?.['required'], ['message'], name);
  }
});
