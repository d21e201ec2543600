/** Whose list of tools is which: what each client was served, and what the server has, wherever it is known from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachSession, detachSession } from '#src/exchange/attach.js';
import { fromClient } from '#src/exchange/from-client.js';
import { fromServer } from '#src/exchange/from-server.js';
import { noteToolsShown } from '#src/exchange/known-tools.js';
import { Message } from '#src/wire/message.js';
import { text, tool, OLD, NEW, afterEdit, call, edit, failed, hintOf, list } from './edited.js';
import { answer, asRead, play, promote, endHold, request, tell, type Play } from './play.js';
import { shared } from './several.js';

const page = (game: Play, generation: number, tools: readonly object[], cursor?: string, nextCursor?: string): void => {
  game.client(request('page', 'tools/list', cursor === undefined ? {} : { cursor }));
  game.server(generation, answer('page', { tools, ...(nextCursor === undefined ? {} : { nextCursor }) }));
};

test('while the client fetches the list page by page, it has the old tools that were on none yet', () => {
  const game = afterEdit();
  page(game, 2, NEW.slice(0, 1), undefined, 'c');
  assert.equal(hintOf(game, 1, 'report'), undefined);
  assert.match(hintOf(game, 2, 'goes') ?? '', /does not have it any more/);
  page(game, 2, NEW.slice(1), 'c');
  assert.equal(hintOf(game, 3, 'goes'), undefined);
});

test('a client that never asks for more than the first page has what stands on it', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  page(game, 1, OLD.slice(0, 1), undefined, 'c');
  edit(game, 2, NEW);
  assert.match(hintOf(game, 1, 'report') ?? '', /`duration` is now `lookback`/);
  assert.equal(hintOf(game, 2, 'goes'), undefined, 'it was on a page that the client has not seen');
  page(game, 2, NEW.slice(0, 1), undefined, 'c');
  assert.equal(hintOf(game, 3, 'report'), undefined);
});

test('pages of two generations are the list of neither: the client has old tools of the first page', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  page(game, 1, OLD.slice(0, 1), undefined, 'c');
  edit(game, 2, NEW);
  page(game, 2, NEW.slice(1), 'c');
  assert.match(hintOf(game, 1, 'report') ?? '', /has changed/);
});

test('a list of the server before, which comes when another one serves already, is an old one', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  game.client(request('list', 'tools/list'));
  edit(game, 2, NEW);
  game.server(1, answer('list', { tools: OLD }));
  assert.match(hintOf(game, 1, 'report') ?? '', /has changed/);
});

test('P17 clients that share a server are each told by the list that they were served', () => {
  const game = shared();
  const said = (id: number, name: string): string => {
    fromServer(game.lineage, game.upstream(2), Message.fromJson(failed(id)));
    return String(game.lines.at(-1)).includes('Note of mcp-hotline') ? `${name} is told` : `${name} is not told`;
  };
  game.a.says(request('l', 'tools/list'));
  game.server(1, answer('l', { tools: OLD }));
  edit(game, 2, NEW);
  game.b.says(request('m', 'tools/list'));
  game.server(2, answer('m', { tools: NEW }));
  game.a.says(call(11, 'report'));
  assert.equal(said(11, 'a'), 'a is told');
  game.b.says(call(12, 'report'));
  assert.equal(said(12, 'b'), 'b is not told');
  game.a.says(request('n', 'tools/list'));
  game.server(2, answer('n', { tools: NEW }));
  game.a.says(call(13, 'report'));
  assert.equal(said(13, 'a'), 'a is not told');
});

test('P17 where the server has other tools for other clients, nobody is told of what it has for somebody else', () => {
  const game = shared();
  const ask = (who: 'a' | 'b', id: string, generation: number, tools: readonly object[]): void => {
    game[who].says(request(id, 'tools/list'));
    game.server(generation, answer(id, { tools }));
  };
  const isTold = (id: number): boolean => {
    game.a.says(call(id, 'goes'));
    fromServer(game.lineage, game.upstream(game.lineage.serving!.generation), Message.fromJson(failed(id)));
    return String(game.lines.at(-1)).includes('Note of mcp-hotline');
  };
  ask('a', 'l', 1, OLD);
  ask('b', 'm', 1, [tool('secret_of_b')]);
  assert.equal(isTold(21), false, 'the tool is not gone for a');
  edit(game, 2, [tool('secret_of_b')]);
  assert.equal(isTold(22), false, 'this is what the server has for b');
  ask('a', 'n', 2, OLD);
  assert.equal(isTold(23), false);
  // Now it is seen to have the same for both.
  edit(game, 3, NEW);
  ask('b', 'o', 3, NEW);
  assert.equal(isTold(24), true);
});

/** One request of a client without a session, as the modern era has it over HTTP; what it is answered. */
function asks(game: Play, client: string, method: string, params: object, reply: (id: unknown) => string): string {
  const lines: string[] = [];
  const none = (): void => {};
  const send = (message: Message): void => void lines.push(String(message));
  const channel = { full: false, send, pause: none, resume: none, end: none, drained: () => Promise.resolve() };
  const session = attachSession(game.lineage, channel, 'request');
  const of = 'io.modelcontextprotocol/';
  const info = { name: client, version: '1' };
  const meta = { [`${of}protocolVersion`]: '2026-07-28', [`${of}clientInfo`]: info, [`${of}clientCapabilities`]: {} };
  fromClient(session, asRead(request(1, method, { ...params, _meta: meta })));
  const [, sent] = game.take().at(-1) as [number, { id: unknown }];
  fromServer(game.lineage, game.lineage.serving!, Message.fromJson(reply(sent.id)));
  detachSession(session);
  return lines.join('');
}
const lists = (game: Play, client: string, tools: readonly object[]): string =>
  asks(game, client, 'tools/list', {}, (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
const calls = (game: Play, client: string, name: string): string =>
  asks(game, client, 'tools/call', { name, arguments: {} }, (id) => {
    const content = [{ type: 'text', text: 'no' }];
    return JSON.stringify({ jsonrpc: '2.0', id, result: { content, isError: true } });
  });

test('P17 clients without a session are told apart by what they call themselves', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  lists(game, 'one', OLD);
  lists(game, 'two', OLD);
  edit(game, 2, NEW);
  lists(game, 'two', NEW);
  assert.match(calls(game, 'one', 'report'), /Its input schema is now/);
  assert.match(calls(game, 'one', 'report'), /takes other arguments/);
  assert.doesNotMatch(calls(game, 'two', 'report'), /mcp-hotline/);
  assert.doesNotMatch(calls(game, 'three', 'report'), /mcp-hotline/);
  lists(game, 'one', NEW);
  assert.doesNotMatch(calls(game, 'one', 'report'), /mcp-hotline/);
});

test('P12 of clients without a session no more is remembered than has room, and those that say too much are not', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  for (let at = 0; at < 300; at++) lists(game, `client ${at}`, OLD);
  lists(game, 'x'.repeat(10_000), OLD);
  edit(game, 2, NEW);
  assert.ok(game.lineage.sessionlessTools.size <= 100);
  assert.match(calls(game, 'client 299', 'report'), /mcp-hotline/);
  assert.doesNotMatch(calls(game, 'client 0', 'report'), /mcp-hotline/);
  assert.doesNotMatch(calls(game, 'x'.repeat(10_000), 'report'), /mcp-hotline/);
});

test('what was shown to the agent by list_server_tools is not described again, but that its list is old is said', () => {
  const game = afterEdit({ agentTools: true });
  noteToolsShown(game.session, asRead(call(9, 'list_server_tools')), NEW);
  assert.match(hintOf(game, 1, 'report') ?? '', /^Note of mcp-hotline: the tool "report" takes other arguments/);
  edit(game, 3, [tool('report', { span: text })]);
  assert.match(hintOf(game, 2, 'report', failed(2), 3) ?? '', /Its input schema is now/);
});

test('a tool that changes to and fro is described again to a client that has fetched the list in between', () => {
  const game = afterEdit();
  assert.match(hintOf(game, 1, 'report') ?? '', /Its input schema is now/);
  const other = [tool('report', { span: text })];
  edit(game, 3, other);
  list(game, other, 3);
  edit(game, 4, NEW);
  assert.match(hintOf(game, 2, 'report', failed(2), 4) ?? '', /`span` is now `lookback`, required.\nIts input schema/);
});

test('a schema that says the same in another way is no news', () => {
  const game = afterEdit();
  const same = {
    type: ['object'],
    properties: { duration: text },
    $schema: 'https://json-schema.org/draft/2020-12/schema',
  };
  edit(game, 3, [{ name: 'report', inputSchema: same }]);
  assert.equal(hintOf(game, 1, 'report', failed(1), 3), undefined);
});

test('a schema that nests deeper than the stack is told of all the same', () => {
  const game = afterEdit();
  const depth = 50_000;
  const deep = JSON.parse(`${'{"type":"array","items":'.repeat(depth)}{}${'}'.repeat(depth)}`) as object;
  edit(game, 3, [tool('report', { duration: deep })]);
  assert.match(hintOf(game, 1, 'report', failed(1), 3) ?? '', /too long to be shown here/);
  assert.match(hintOf(game, 2, 'report', failed(2), 3) ?? '', /takes other arguments/);
});

test('a server that says its tools have changed is asked for them if it was asked before', () => {
  const game = afterEdit();
  const changed = tell('notifications/tools/list_changed');
  game.server(2, changed);
  assert.equal(hintOf(game, 1, 'report'), undefined);
  game.upstream(2).knownLists.set('tools', { known: true, items: NEW });
  game.tools = [tool('report', { since: text })];
  game.server(2, changed);
  assert.match(hintOf(game, 2, 'report') ?? '', /`duration` is now `since`/);
});

test('however often a server changes its tools, it is asked for them', () => {
  const game = afterEdit();
  game.upstream(2).knownLists.set('tools', { known: true, items: NEW });
  for (let at = 1; at <= 50; at++) {
    game.tools = [tool('report', { [`since_${at}`]: text })];
    game.server(2, tell('notifications/tools/list_changed'));
    assert.match(hintOf(game, at, 'report') ?? '', new RegExp(`\`since_${at}\``));
  }
});

test('a server that says so at every question is not asked for ever, and is known by what it has answered', () => {
  const game = afterEdit();
  const upstream = game.upstream(2);
  upstream.knownLists.set('tools', { known: true, items: NEW });
  let asked = 0;
  const ports = game.lineage.ports as { fetchAllTools: typeof game.lineage.ports.fetchAllTools };
  ports.fetchAllTools = (_, known) => {
    asked++;
    game.server(2, tell('notifications/tools/list_changed'));
    known(NEW);
  };
  for (let time = 0; time < 50; time++) game.server(2, tell('notifications/tools/list_changed'));
  assert.ok(asked > 0 && asked < 100, String(asked));
  assert.match(hintOf(game, 1, 'report') ?? '', /`duration` is now `lookback`/);
});
