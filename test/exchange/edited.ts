/**
 * A client that was served the tools of one generation and is served by another, whose tools are others: for what is
 * added to its failed calls.
 */
import assert from 'node:assert/strict';
import { fromServer } from '#src/exchange/from-server.js';
import type { ExchangeOptions } from '#src/exchange/records.js';
import { Message } from '#src/wire/message.js';
import { answer, play, promote, endHold, request, type Play } from './play.js';

export const text = { type: 'string' };
export const tool = (name: string, properties: object = { duration: text }, required: string[] = []): object => ({
  name,
  inputSchema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
});
export const OLD = [tool('report'), tool('stays'), tool('goes', { q: text })];
export const NEW = [tool('report', { lookback: text }, ['lookback']), tool('stays'), tool('comes', { q: text })];

/** A client that was served the old list by generation 1, and is served by generation 2 now. */
export function afterEdit(options: Partial<ExchangeOptions> = {}): Play {
  const game = play(options);
  promote(game, 1);
  list(game, OLD);
  edit(game, 2, NEW);
  return game;
}

export function list(game: Play, tools: readonly object[], generation = 1): void {
  endHold(game);
  game.client(request('list', 'tools/list'));
  game.server(generation, answer('list', { tools }));
  game.take();
}

export function edit(game: Play, generation: number, tools: readonly object[] | undefined): void {
  game.upstream(generation).tools = tools;
  promote(game, generation);
  endHold(game);
  const cause = { at: '2026-11-18T09:30:07.123Z', files: ['src/report.ts'] };
  for (const name of ['report', 'goes']) game.lineage.toolCauses.set(name, cause);
}

export const call = (id: number, name: string, more: object = {}): object =>
  request(id, 'tools/call', { name, arguments: { duration: 'P1D' }, ...more });

/** What the client gets for this line of the server. */
export function got(game: Play, line: string, generation = 2): string {
  const from = game.lines.length;
  fromServer(game.lineage, game.upstream(generation), Message.fromJson(line));
  const own = game.lines.slice(from);
  assert.equal(own.length, 1);
  return own[0]!.trimEnd();
}

export const failed = (id: number): string =>
  `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"no"}],"isError":true},"id":${id}}`;
export const invalid = (id: number, code = -32602): string =>
  `{"error":{"message":"Invalid \\u0061rguments","code":${code}},"id":${id},"jsonrpc":"2.0"}`;

/** The text that was added, if one was, and nothing else was changed. */
export function added(line: string, seen: string): string | undefined {
  if (seen === line) return undefined;
  const block = /,\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\],"isError"/.exec(seen);
  if (block !== null) {
    assert.equal(seen.replace(block[0], '],"isError"'), line);
    return JSON.parse(block[1]!) as string;
  }
  const before = line.indexOf('","code"');
  const length = seen.length - line.length;
  assert.equal(seen.slice(0, before) + seen.slice(before + length), line);
  return JSON.parse(`"${seen.slice(before, before + length).replace(/^\\n/, '')}"`) as string;
}

export function hintOf(game: Play, id: number, name: string, line = failed(id), generation = 2): string | undefined {
  game.client(call(id, name));
  return added(line, got(game, line, generation));
}
