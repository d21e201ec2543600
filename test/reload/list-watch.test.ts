// The old side of a comparison of lists: what is known without a server, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retire, takeOver } from '#src/pipeline/handover.js';
import { baseline, servedLists } from '#src/reload/list-watch.js';
import { play, request } from '../pipeline/play.js';

const asks = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

test('P9 lists: of a server that is gone, and was never asked what it has, every list is unknown, and none is empty', async () => {
  const game = play();
  takeOver(game.desk, 1);
  game.desk.holding = false;
  game.client(request(1, 'tools/call', asks));
  game.server(1, { jsonrpc: '2.0', id: 1, result: {} });
  const lists = await baseline(game.desk, undefined, new AbortController().signal);
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
