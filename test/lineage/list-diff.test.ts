// The old side of a comparison of lists: what is known without a server, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  baselines,
  changedFor,
  difference,
  heldLists,
  knownBaselines,
  recordLists,
  servedLists,
  unlessAsNow,
  withLatestServed,
  type Lists,
} from '#src/lineage/list-diff.js';
import { demote, drop, play, promote, request } from '../exchange/play.js';

const asks = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

test('P9 of a server that is gone, and was never asked what it has, every list is unknown, and none is empty', async () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.client(request(1, 'tools/call', asks));
  game.server(1, { jsonrpc: '2.0', id: 1, result: {} });
  drop(game, 1);
  const { served: lists } = await baselines(game.session, new AbortController().signal);
  assert.deepEqual(
    [...lists].map(([name, { known }]) => [name, known]),
    ['tools', 'prompts', 'resources', 'resourceTemplates'].map((name) => [name, false]),
  );
});

test('P9 what a server gives on its way out is what the client has', () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.client(request(1, 'prompts/list'));
  demote(game);
  game.server(1, { jsonrpc: '2.0', id: 1, result: { prompts: [{ name: 'late' }] } });
  assert.deepEqual(servedLists(game.session).get('prompts'), { known: true, items: [{ name: 'late' }] });
});

const tools = (...names: string[]): Lists =>
  new Map([['tools', { known: true, items: names.map((name) => ({ name })) }]]);

test('P9 the log compares with the generation before, list_changed with what the client was served', async () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.session.promisedButMissing = new Set(['prompts', 'resources']);
  game.client(request(1, 'tools/list'));
  game.server(1, { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a' }] } });
  promote(game, 2);
  recordLists(game.upstream(2), tools('a', 'b'));
  const { signal } = new AbortController();
  const changed = async (serving: number | undefined, ...names: string[]) => {
    game.lineage.serving = serving === undefined ? undefined : game.upstream(serving);
    const found = difference(await baselines(game.session, signal), tools(...names));
    game.lineage.serving = game.upstream(2);
    return [found.changes.map(({ name, kind }) => `${kind} ${name}`), found.changed];
  };
  assert.deepEqual(await changed(2, 'a', 'b'), [[], ['tools']]);
  assert.deepEqual(await changed(2, 'a'), [['- b'], []]);
  assert.deepEqual(await changed(undefined, 'a'), [['- b'], []], 'also of a server that is gone');
  game.client(request(2, 'tools/list'));
  game.server(2, { jsonrpc: '2.0', id: 2, result: { tools: [{ name: 'c' }] } });
  assert.deepEqual(await changed(2, 'c'), [[], []], 'what it has given the client since is newer');
});

test('P9 P17 of several clients each is told of the lists that differ from what it was served itself', async () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.session.promisedButMissing = new Set(['prompts', 'resources']);
  const [early, late, never] = [game.join('early'), game.join('late'), game.join('never')];
  const list = (...names: string[]): void => {
    const { id: wireId } = game.take().find(([to]) => to === 1)![1] as { id: string | number };
    game.server(1, { jsonrpc: '2.0', id: wireId, result: { tools: names.map((name) => ({ name })) } });
  };
  early.says(request(1, 'tools/list'));
  list('a');
  game.take();
  late.says(request(1, 'tools/list'));
  list('a', 'b');
  game.take();
  game.client(request(1, 'tools/list'));
  list('a', 'b');
  const found = difference(await baselines(game.session, new AbortController().signal), tools('a', 'b'));
  recordLists(game.upstream(2), tools('a', 'b'));
  const told = [early, late, never].map(({ session }) => changedFor(session, game.upstream(2), found));
  assert.deepEqual(found.changed, []);
  assert.deepEqual(told, [['tools'], [], []]);
});

test('P9 P17 after a crash a list that only another client has is no news to the first, and neither to the log', () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  const other = game.join('other');
  other.says(request(1, 'tools/list'));
  const { id } = game.take().find(([to]) => to === 1)![1] as { id: string | number };
  game.server(1, { jsonrpc: '2.0', id, result: { tools: [{ name: 'a' }] } });
  drop(game, 1);
  const changed = (...names: string[]) => {
    const found = difference(knownBaselines(game.session), tools(...names));
    recordLists(game.upstream(2), tools(...names));
    return [found.changes.length, found.changed, changedFor(other.session, game.upstream(2), found)];
  };
  assert.deepEqual(changed('a'), [0, [], []]);
  assert.deepEqual(changed('a', 'b'), [1, ['tools'], ['tools']]);
});

test('P9 P17 after a crash a list that the server before had not declared is gone for good, though a client still has it', () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.client(request(1, 'resources/list'));
  game.server(1, { jsonrpc: '2.0', id: 1, result: { resources: [{ uri: 'a:b', name: 'b' }] } });
  const other = game.join('other');
  const none: Lists = new Map();
  promote(game, 2);
  recordLists(game.upstream(2), none, { tools: {} });
  drop(game, 2);
  const found = difference(knownBaselines(game.session), none);
  recordLists(game.upstream(3), none, { tools: {} });
  assert.deepEqual(found.changes, []);
  assert.deepEqual(changedFor(other.session, game.upstream(3), found), []);
});

test('P9 P17 after a crash what stood in for the server with one client is no news to another', () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.client(request(1, 'ping'));
  game.server(1, { jsonrpc: '2.0', id: 1, result: {} });
  const other = game.join('other');
  drop(game, 1);
  other.session.served.onPage('tools', undefined, { tools: [] });
  const now = tools('a');
  assert.deepEqual([...heldLists(game.lineage)], ['tools']);
  const found = difference(unlessAsNow(knownBaselines(game.session), now), now);
  recordLists(game.upstream(2), now);
  assert.deepEqual([found.changes, found.changed], [[], []]);
  assert.deepEqual(changedFor(other.session, game.upstream(2), found), ['tools']);
});

test('P9 P17 what is news to a client that has left meanwhile is said to be its own', async () => {
  const game = play();
  promote(game, 1);
  game.lineage.isHolding = false;
  game.session.promisedButMissing = new Set(['prompts', 'resources']);
  const other = game.join('other');
  game.client(request(1, 'tools/list'));
  game.server(1, { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a' }] } });
  const before = await baselines(game.session, new AbortController().signal);
  const found = difference(withLatestServed(other.session, before), tools('a', 'b'));
  assert.equal(found.of, game.session);
});
