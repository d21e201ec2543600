// The old side of a comparison of lists: what is known without a server, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownLists, type Lists } from '#src/lineage/known-lists.js';
import { baselines, difference, servedLists } from '#src/lineage/list-diff.js';
import { play, request, retire, takeOver } from '../exchange/play.js';

const asks = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

test('P9 lists: of a server that is gone, and was never asked what it has, every list is unknown, and none is empty', async () => {
  const game = play();
  takeOver(game.desk, 1);
  game.desk.holding = false;
  game.client(request(1, 'tools/call', asks));
  game.server(1, { jsonrpc: '2.0', id: 1, result: {} });
  const { served: lists } = await baselines(game.desk, undefined, new KnownLists(), new AbortController().signal);
  assert.deepEqual(
    [...lists].map(([name, { known }]) => [name, known]),
    ['tools', 'prompts', 'resources', 'resourceTemplates'].map((name) => [name, false]),
  );
});

test('P9 lists: what a server gives on its way out is what the client has', () => {
  const game = play();
  takeOver(game.desk, 1);
  game.desk.holding = false;
  game.client(request(1, 'prompts/list'));
  retire(game.desk);
  game.server(1, { jsonrpc: '2.0', id: 1, result: { prompts: [{ name: 'late' }] } });
  assert.deepEqual(servedLists(game.desk).get('prompts'), { known: true, items: [{ name: 'late' }] });
});

const tools = (...names: string[]): Lists =>
  new Map([['tools', { known: true, items: names.map((name) => ({ name })) }]]);

test('P9 lists: the log compares with the generation before, list_changed with what the client was served', async () => {
  const game = play();
  takeOver(game.desk, 1);
  game.desk.holding = false;
  game.desk.lacking = new Set(['prompts', 'resources']);
  game.client(request(1, 'tools/list'));
  game.server(1, { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a' }] } });
  takeOver(game.desk, 2);
  const known = new KnownLists();
  known.learn(2, tools('a', 'b'));
  known.serves(2);
  const { signal } = new AbortController();
  const changed = async (generation: number | undefined, ...names: string[]) => {
    const found = difference(await baselines(game.desk, generation, known, signal), tools(...names));
    return [found.changes.map(({ name, kind }) => `${kind} ${name}`), found.changed];
  };
  assert.deepEqual(await changed(2, 'a', 'b'), [[], ['tools']]);
  assert.deepEqual(await changed(2, 'a'), [['- b'], []]);
  assert.deepEqual(await changed(undefined, 'a'), [['- b'], []], 'also of a server that is gone');
  game.client(request(2, 'tools/list'));
  game.server(2, { jsonrpc: '2.0', id: 2, result: { tools: [{ name: 'c' }] } });
  assert.deepEqual(await changed(2, 'c'), [[], []], 'what it has given the client since is newer');
});
