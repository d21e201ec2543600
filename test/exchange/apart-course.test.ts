/**
 * Whatever a shared server asks and tells in the course of a call, without saying which call it is, reaches nobody but
 * the client whose call it is: by random games of three clients that call, take back, leave and come again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detachSession } from '#src/exchange/attach.js';
import type { Json } from '../support/message.js';
import { fc } from '../support/property.js';
import { answer, play, promote, endHold, request, tell, type Client, type Play } from './play.js';
import { INITIALIZE, INTRODUCTION } from './several.js';

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const NAMES = [0, 1, 2];

type Era = 'legacy' | 'modern';

/** A call as the server has it. */
interface Running {
  readonly id: string | number;
  readonly of: string;
  readonly isLogged: boolean;
}

interface Player {
  readonly client: Client;
  readonly name: string;
  readonly open: number[];
  next: number;
  level: number;
  /** Of the last client under this name, so that it may come to nobody else. */
  readonly uris: Set<string>;
}

const LEVELS = ['debug', 'info', 'warning', 'error'];

const step = fc.record({
  who: fc.nat({ max: 2 }),
  what: fc.constantFrom(
    ...(['call', 'call', 'call', 'answer', 'cancel', 'cancel in a batch', 'leave'] as const),
    ...(['ask', 'ask', 'log', 'tell', 'level', 'subscribe', 'unsubscribe', 'update', 'listen', 'poke'] as const),
  ),
  pick: fc.nat(),
});

function opened(era: Era): Play {
  const game = play();
  promote(game, 1);
  endHold(game);
  if (era === 'modern') return game;
  game.client(request(0, 'initialize', INITIALIZE));
  game.server(1, answer(0, INTRODUCTION));
  return game;
}

for (const era of ['legacy', 'modern'] as const) {
  test(`P17 what a shared server asks, logs and tells in the course of a call is for its client alone (${era})`, () => {
    const reached = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (steps) => {
        const game = opened(era);
        let came = 0;
        const running: Running[] = [];
        const listens: { id: string | number; of: string }[] = [];
        const isThere = new Map<string, Player>();
        const meta = era === 'modern' ? META : {};

        const join = (): Player => {
          const name = `p${++came}.`;
          const client = game.join(name);
          const player = { client, name, open: [], next: 1, level: LEVELS.length, uris: new Set<string>() };
          isThere.set(name, player);
          if (era === 'modern') return player;
          client.says(request(0, 'initialize', INITIALIZE));
          client.says(tell('notifications/initialized'));
          return player;
        };

        const toServer = (message: Record<string, Json>): void => {
          const { id, method, params } = message;
          if (method === 'tools/call') {
            const isLogged = params['_meta']?.['io.modelcontextprotocol/logLevel'] !== undefined;
            running.push({ id, of: params.of, isLogged });
          } else if (method === 'subscriptions/listen') {
            listens.push({ id, of: params.of });
            const acknowledged = { ...META, 'io.modelcontextprotocol/subscriptionId': id };
            const filter = { notifications: params.notifications, of: params.of, _meta: acknowledged };
            game.server(1, tell('notifications/subscriptions/acknowledged', filter));
          } else if (id !== undefined && method !== undefined) game.server(1, answer(id));
        };

        const toClient = (to: string, message: Record<string, Json>): void => {
          const text = JSON.stringify(message);
          for (const [name] of text.matchAll(/p\d+\./g)) assert.equal(name, to, text);
          const player = isThere.get(to);
          assert.ok(player !== undefined || to === 'client', `${text} to ${to}, which has left`);
          const { method, params } = message;
          if (method !== undefined) reached.set(method, (reached.get(method) ?? 0) + 1);
          if (method === 'notifications/message' && era === 'legacy')
            assert.ok(LEVELS.indexOf(params.level) >= player!.level, text);
          if (method === 'notifications/resources/updated') assert.ok(player!.uris.has(params.uri), text);
          if (message['id'] !== undefined && method === 'sampling/createMessage')
            player!.client.says(answer(message['id'], { by: to }));
        };

        const look = (): void => {
          for (let all = game.take(); all.length > 0; all = game.take()) {
            for (const [to, message] of all) {
              for (const each of [message].flat() as Record<string, Json>[]) {
                if (typeof to === 'number') toServer(each);
                else toClient(to, each);
              }
            }
          }
        };

        const players = NAMES.map(join);
        detachSession(game.session);
        look();
        for (const { who, what, pick } of steps) {
          const player = players[who]!;
          const { client, name } = player;
          const about = running[pick % Math.max(1, running.length)];
          switch (what) {
            case 'call': {
              const id = player.next++;
              player.open.push(id);
              const logging = era === 'modern' && pick % 2 === 0 ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {};
              client.says(request(id, 'tools/call', { name: 'x', of: name, _meta: { ...meta, ...logging } }));
              break;
            }
            case 'answer':
              if (about === undefined) break;
              running.splice(running.indexOf(about), 1);
              game.server(1, answer(about.id, { of: about.of }));
              break;
            case 'cancel':
            case 'cancel in a batch': {
              const cancelled = tell('notifications/cancelled', { requestId: player.open.shift() ?? 1 });
              client.says(what === 'cancel' || era === 'modern' ? cancelled : [cancelled]);
              break;
            }
            case 'leave':
              detachSession(client.session);
              isThere.delete(name);
              look();
              players[who] = join();
              break;
            case 'ask':
              if (about !== undefined && era === 'legacy')
                game.server(1, request(`q${pick}`, 'sampling/createMessage', { of: about.of }));
              break;
            case 'log': {
              // A legacy log message is for all who want its level; a modern server logs for whoever asked in the call.
              const level = LEVELS[pick % LEVELS.length];
              if (era === 'legacy') game.server(1, tell('notifications/message', { level }));
              else if (about?.isLogged === true) game.server(1, tell('notifications/message', { level, of: about.of }));
              break;
            }
            case 'tell':
              if (about !== undefined) game.server(1, tell('notifications/of-its-own', { of: about.of }));
              break;
            case 'level':
              if (era === 'modern') break;
              player.level = Math.min(player.level, pick % LEVELS.length);
              client.says(request(`l${player.next++}`, 'logging/setLevel', { level: LEVELS[pick % LEVELS.length] }));
              break;
            case 'subscribe':
            case 'unsubscribe': {
              if (era === 'modern') break;
              const uri = pick % 2 === 0 ? 'of:all' : `of:${name}`;
              if (what === 'subscribe') player.uris.add(uri);
              client.says(request(`s${player.next++}`, `resources/${what}`, { uri }));
              break;
            }
            case 'update': {
              const uri = pick % 2 === 0 ? 'of:all' : `of:p${1 + (pick % came)}.`;
              game.server(1, tell('notifications/resources/updated', { uri }));
              break;
            }
            case 'listen': {
              if (era === 'legacy') break;
              const params = { of: name, notifications: { toolsListChanged: true }, _meta: META };
              client.says(request(`listen:${pick % 2}`, 'subscriptions/listen', params));
              break;
            }
            case 'poke': {
              const stream = listens[pick % Math.max(1, listens.length)];
              if (stream === undefined) break;
              const stamp = { 'io.modelcontextprotocol/subscriptionId': stream.id };
              game.server(1, tell('notifications/tools/list_changed', { of: stream.of, _meta: stamp }));
              break;
            }
          }
          look();
        }
      }),
      { numRuns: 300 },
    );
    // Silence would prove nothing.
    const wanted =
      era === 'legacy'
        ? ['sampling/createMessage', 'notifications/message', 'notifications/resources/updated']
        : ['notifications/message', 'notifications/tools/list_changed', 'notifications/subscriptions/acknowledged'];
    for (const method of [...wanted, 'notifications/of-its-own']) assert.ok(reached.has(method), method);
  });
}
