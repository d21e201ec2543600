/** What is added to the answer of a failed call, and what is not: then no byte of it changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text, tool, OLD, NEW, afterEdit, list, edit, call, got, failed, invalid, added, hintOf } from './edited.js';
import { drop, play, promote, request, tell, type Play } from './play.js';

test('a tool that has changed: what, when, by which file, its schema, and what to do', () => {
  const hint = hintOf(afterEdit(), 1, 'report');
  assert.equal(
    hint,
    [
      'Note of mcp-hotline: the input schema of the tool "report" has changed since your list of tools was fetched (at 09:30:07 UTC, by src/report.ts): `duration` is now `lookback`, required.',
      'Its input schema is now:',
      '{"type":"object","properties":{"lookback":{"type":"string"}},"required":["lookback"]}',
      'If this call failed because of that, call the tool again with arguments that fit this schema.',
    ].join('\n'),
  );
});

test('P2 one more sentence in the message of an error, and what the server wrote stays as it is spelt', () => {
  const hint = hintOf(afterEdit(), 1, 'report', invalid(1));
  assert.match(hint ?? '', /^Note of mcp-hotline: the input schema of the tool "report" has changed/);
  assert.match(hintOf(afterEdit(), 1, 'goes', invalid(1, -32601)) ?? '', /does not have it any more/);
});

test('a tool that is gone: the nearest, with its schema', () => {
  const hint = hintOf(afterEdit(), 1, 'goes');
  assert.equal(
    hint,
    [
      'Note of mcp-hotline: the tool "goes" is in your list of tools, but the server does not have it any more (at 09:30:07 UTC, by src/report.ts). The nearest that it has is "comes", which your list of tools lacks.',
      'The input schema of "comes" is:',
      '{"type":"object","properties":{"q":{"type":"string"}}}',
      'If it does what you need, call it by that name. If your client does not offer it, ask the user to reconnect the MCP server.',
    ].join('\n'),
  );
});

test('in full once for each tool and change, then in a sentence; another change is told in full again', () => {
  const game = afterEdit();
  assert.match(hintOf(game, 1, 'report') ?? '', /Its input schema is now/);
  assert.equal(
    hintOf(game, 2, 'report'),
    'Note of mcp-hotline: the tool "report" takes other arguments than your list of tools says: `duration` is now `lookback`, required.',
  );
  assert.match(hintOf(game, 3, 'goes') ?? '', /The input schema of "comes"/);
  assert.equal(
    hintOf(game, 4, 'goes', invalid(4)),
    'Note of mcp-hotline: the server does not have the tool "goes" any more; the nearest that it has is "comes".',
  );
  edit(game, 3, [tool('report', { span: text })]);
  assert.match(hintOf(game, 5, 'report', failed(5), 3) ?? '', /`duration` is now `span`.\nIts input schema is now/);
  assert.match(hintOf(game, 6, 'report', failed(6), 3) ?? '', /takes other arguments/);
});

test('a change that was undone is none', () => {
  const game = afterEdit();
  edit(game, 3, OLD);
  assert.equal(hintOf(game, 1, 'report', failed(1), 3), undefined);
});

test('P2 after the client has fetched the list again nothing is added', () => {
  const game = afterEdit();
  list(game, NEW, 2);
  assert.equal(hintOf(game, 1, 'report'), undefined);
  assert.equal(hintOf(game, 2, 'goes'), undefined);
});

/** Each changes nothing at all in the line that is given. */
const untouched: [name: string, does: (game: Play) => string][] = [
  [
    'a call that succeeds',
    (game) => (
      game.client(call(1, 'report')),
      '{"id":1,"jsonrpc":"2.0","result":{ "content":[], "n":12345678901234567890}}'
    ),
  ],
  [
    'a call that says it succeeds',
    (game) => (game.client(call(1, 'report')), '{"id":1,"jsonrpc":"2.0","result":{"content":[],"isError":false}}'),
  ],
  [
    'a text about isError',
    (game) => (
      game.client(call(1, 'report')),
      '{"id":1,"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"\\"isError\\":true"}]}}'
    ),
  ],
  ['an error of a tool that did not change', (game) => (game.client(call(1, 'stays')), failed(1))],
  ['an error of a tool that the client was never served', (game) => (game.client(call(1, 'comes')), failed(1))],
  ['an error of a tool that nobody has', (game) => (game.client(call(1, 'other')), invalid(1))],
  ['an error that no schema causes', (game) => (game.client(call(1, 'report')), invalid(1, -32603))],
  [
    'an error without a code',
    (game) => (game.client(call(1, 'report')), '{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}'),
  ],
  [
    'an error without a message',
    (game) => (game.client(call(1, 'report')), '{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}'),
  ],
  [
    'an error whose message is no text',
    (game) => (game.client(call(1, 'report')), '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":7}}'),
  ],
  [
    'an error result without content',
    (game) => (game.client(call(1, 'report')), '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}'),
  ],
  [
    'an error result whose content is no list',
    (game) => (game.client(call(1, 'report')), '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":{}}}'),
  ],
  ['a call that runs as a task', (game) => (game.client(call(1, 'report', { task: { ttl: 1 } })), failed(1))],
  ['the result of a task', (game) => (game.client(request(1, 'tasks/result', { taskId: 't' })), failed(1))],
  [
    'an error result of a megabyte of a tool that did not change',
    (game) => (game.client(call(1, 'stays')), failed(1).replace('"no"', `"${'x'.repeat(1_000_000)}"`)),
  ],
  [
    'a call that says twice whether it succeeds, the last time that it does',
    (game) => (
      game.client(call(1, 'report')),
      '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[],"isError":false}}'
    ),
  ],
  [
    'an error result of a megabyte of a tool that did not change',
    (game) => (game.client(call(1, 'stays')), failed(1).replace('"no"', `"${'x'.repeat(1_000_000)}"`)),
  ],
  [
    'a call that says twice whether it succeeds, the last time that it does',
    (game) => (
      game.client(call(1, 'report')),
      '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[],"isError":false}}'
    ),
  ],
  ['another request', (game) => (game.client(request(1, 'prompts/get', { name: 'report' })), invalid(1))],
  [
    'a call that the client has taken back',
    (game) => {
      game.client(call(1, 'report'));
      game.client(tell('notifications/cancelled', { requestId: 1 }));
      return failed(1);
    },
  ],
];
for (const [name, does] of untouched)
  test(`P2 no byte is added to ${name}`, () => {
    const game = afterEdit();
    const line = does(game);
    assert.equal(got(game, line), line);
  });

test('P2 everything else of a failed call stays as it is spelt, however large', () => {
  const game = afterEdit();
  game.client(call(1, 'report'));
  const long = `"${'x'.repeat(3_000_000)}"`;
  const line = `{ "id":1, "n":12345678901234567890,\r "jsonrpc":"2.0","result":{"content":[],"content":[{"type":"text","text":${long}}\t],"isError":false,"isError":true,"structuredContent":{"a":1.0}} }`;
  const seen = got(game, line);
  const block = /,\{"type":"text","text":"Note of mcp-hotline:(?:[^"\\]|\\.)*"\}(?=\t\],"isError":false)/.exec(seen);
  assert.ok(block !== null, seen.slice(-2000));
  assert.equal(seen.replace(block[0], ''), line);
});

test('P2 no byte is added to a batch, though the tools of its calls have changed', () => {
  const game = afterEdit();
  game.client([call(1, 'report'), call(2, 'goes')]);
  const line = `[${failed(1)}, ${invalid(2)}]`;
  assert.equal(got(game, line), line);
});

test('P2 no byte is added to the answer of a server that was replaced: it has the tools that the client knows', () => {
  const game = play();
  promote(game, 1);
  list(game, OLD);
  game.client(call(1, 'report'));
  edit(game, 2, NEW);
  assert.equal(got(game, failed(1), 1), failed(1));
});

test('P2 with --hints off no byte is added', () => {
  assert.equal(hintOf(afterEdit({ hints: 'off' }), 1, 'report'), undefined);
});

test('P2 where it is not known what the server has, or what the client was served, no byte is added', () => {
  const game = play();
  promote(game, 1);
  list(game, OLD);
  edit(game, 2, undefined);
  assert.equal(hintOf(game, 1, 'report'), undefined);
  const other = play();
  edit(other, 2, NEW);
  assert.equal(hintOf(other, 1, 'report'), undefined);
});

test('a server that declares no tools: an error says that a tool is gone, a result may be of one that it has', () => {
  const game = afterEdit();
  game.upstream(2).tools = [];
  game.upstream(2).declaresNoTools = true;
  assert.equal(hintOf(game, 1, 'goes'), undefined);
  assert.match(hintOf(game, 2, 'goes', invalid(2, -32601)) ?? '', /does not have it any more/);
});

test('the nearest tool and the way to it name the tools of ours that the client has', () => {
  const game = play({ agentTools: true });
  promote(game, 1);
  list(game, OLD);
  edit(game, 2, NEW);
  game.session.areToolNamesKnown = true;
  assert.match(hintOf(game, 1, 'goes') ?? '', /call call_server_tool with the name "comes" and the arguments\.$/);
  assert.match(hintOf(game, 2, 'report') ?? '', /call call_server_tool with the name "report" and these arguments\.$/);
});

test('a schema of 2 KB or more is not shown, but what it takes', () => {
  const game = play();
  promote(game, 1);
  list(game, OLD);
  const long = { type: 'string', description: 'x'.repeat(3000) };
  edit(game, 2, [tool('report', { lookback: long, more: { type: ['number', 'null'] } }, ['lookback'])]);
  const hint = hintOf(game, 1, 'report') ?? '';
  assert.match(
    hint,
    /too long to be shown here\. It takes `lookback` \(string, required\), `more` \(number or null\)\./,
  );
  assert.ok(hint.length < 1000);
});

test('more than three files are counted', () => {
  const game = afterEdit();
  const files = ['a', 'b', 'c', 'd', 'e'];
  game.lineage.toolCauses.set('report', { at: '2026-11-18T09:30:07.123Z', files });
  assert.match(hintOf(game, 1, 'report') ?? '', /\(at 09:30:07 UTC, by a, b, c and 2 more\)/);
  game.lineage.toolCauses.set('goes', { at: '2026-11-18T09:30:07.123Z', files: [] });
  assert.match(hintOf(game, 2, 'goes') ?? '', /\(at 09:30:07 UTC\)/);
});

test('a call that is sent again after a crash is told by the server that answers it', () => {
  const game = afterEdit();
  game.upstream(2).retrySafeTools = new Set(['report']);
  game.client(call(1, 'report'));
  game.lineage.isHolding = true;
  drop(game, 2);
  edit(game, 3, NEW);
  game.lineage.isHolding = false;
  for (const held of game.lineage.hold.takeRetries()) game.client(JSON.parse(String(held.message)) as object);
  assert.match(added(failed(1), got(game, failed(1), 3)) ?? '', /has changed/);
});
