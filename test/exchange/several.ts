/** Two clients on one server, without input and output. */
import type { ExchangeOptions } from '#src/exchange/records.js';
import { answer, play, promote, endHold, request, tell, type Client, type Play } from './play.js';

export interface Shared extends Play {
  readonly a: Client;
  readonly b: Client;
}

export const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: { roots: {} } };
export const INTRODUCTION = { protocolVersion: '2025-06-18', capabilities: { tools: {}, logging: {} } };

/** Two clients, a and b, whose sessions are open on generation 1. */
export function shared(options: Partial<ExchangeOptions> = {}): Shared {
  const game = play(options);
  promote(game, 1);
  endHold(game);
  const a: Client = { session: game.session, says: (message) => game.client(message) };
  const b = game.join('b');
  a.says(request(0, 'initialize', INITIALIZE));
  game.server(1, answer(0, INTRODUCTION));
  a.says(tell('notifications/initialized'));
  b.says(request(0, 'initialize', INITIALIZE));
  b.says(tell('notifications/initialized'));
  game.take();
  return Object.assign(game, { a, b });
}
