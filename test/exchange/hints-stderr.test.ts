/** `--hints stderr`: what a server wrote while a call ran that has failed, and whose it can be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromServer } from '#src/exchange/from-server.js';
import { Message } from '#src/wire/message.js';
import { afterEdit, call, got, failed, invalid, added, hintOf } from './edited.js';
import { request, type Play } from './play.js';
import { shared } from './several.js';

const stderr = (game: Play, generation: number, written: string): void =>
  game.upstream(generation).process.output.push(Buffer.from(written));

test('--hints stderr: what the server wrote while the call ran, and nothing else that it wrote', () => {
  const game = afterEdit({ hints: 'stderr' });
  stderr(game, 2, 'before\n');
  game.client(call(1, 'stays'));
  stderr(game, 2, '\u001b[31mTypeError\u001b[0m: x\n    at y\n');
  const note = 'Note of mcp-hotline: the server wrote this on stderr during this call:\nTypeError: x\n    at y';
  assert.equal(added(failed(1), got(game, failed(1))), note);
  assert.equal(hintOf(game, 2, 'stays'), undefined, 'nothing was written in this one');
  game.client(call(3, 'stays'));
  stderr(game, 2, 'fine\n');
  const good = '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}';
  assert.equal(got(game, good), good);
});

test('--hints stderr: the last 2 KB, beside what has changed, and for every error', () => {
  const game = afterEdit({ hints: 'stderr' });
  game.client(call(1, 'report'));
  stderr(game, 2, `${'é'.repeat(2000)}end\n`);
  const hint = added(failed(1), got(game, failed(1))) ?? '';
  assert.match(
    hint,
    /^Note of mcp-hotline: the input schema .*\n.*\n.*\n.*\n\nNote of mcp-hotline: .* \(the last 2 KB of it\):\né+end$/s,
  );
  assert.ok(Buffer.byteLength(hint.split('(the last 2 KB of it):\n')[1]!) <= 2048);
  game.client(call(2, 'stays'));
  stderr(game, 2, 'Error: boom\n');
  assert.match(
    added(invalid(2, -32603), got(game, invalid(2, -32603))) ?? '',
    /on stderr during this call:\nError: boom$/,
  );
});

test('--hints stderr: with other requests beside it, it was written meanwhile', () => {
  const game = afterEdit({ hints: 'stderr' });
  game.client(call(1, 'stays'));
  game.client(call(2, 'stays'));
  stderr(game, 2, 'whose\n');
  assert.match(added(failed(1), got(game, failed(1))) ?? '', /on stderr meanwhile, .*:\nwhose$/);
  assert.match(added(failed(2), got(game, failed(2))) ?? '', /on stderr meanwhile, .*:\nwhose$/);
});

test('P17 --hints stderr: of a server that clients share only what can be of nobody else', () => {
  const game = shared();
  game.lineage.options = { ...game.lineage.options, hints: 'stderr' };
  const last = (id: unknown): boolean => {
    fromServer(game.lineage, game.upstream(1), Message.fromJson(failed(id as number)));
    return String(game.lines.at(-1)).includes('on stderr');
  };
  game.a.says(call(21, 'stays'));
  stderr(game, 1, 'for a alone\n');
  assert.equal(last(21), true);
  game.a.says(call(22, 'stays'));
  game.b.says(request(23, 'resources/read', { uri: 'file:///b' }));
  stderr(game, 1, 'of b\n');
  assert.equal(last(22), false);
  game.a.says(call(24, 'stays'));
  assert.equal(last(24), false, 'b’s request is still with the server');
});
