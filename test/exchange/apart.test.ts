/** Whatever three clients on one server do, nothing of one reaches another, though all count from the same number. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detachSession } from '#src/exchange/attach.js';
import { fc } from '../support/property.js';
import { answer, drop, beginHold, promote, endHold, request, tell, type Client } from './play.js';
import { INITIALIZE, shared } from './several.js';

interface Seen {
  id: number;
  method?: string;
  params?: { of?: string; _meta?: { progressToken: unknown } };
}

/** What a server of the property has been asked and may speak of, be it over long ago. */
interface Asked {
  readonly generation: number;
  readonly id: string | number;
  readonly token: unknown;
  readonly of: string;
}

test('P17 whatever clients, server and reloads do, nothing of one client reaches another', () => {
  const step = fc.record({
    client: fc.nat({ max: 2 }),
    what: fc.constantFrom('call', 'read', 'answer', 'answer', 'progress', 'cancel', 'leave', 'reload', 'batch'),
    pick: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const game = shared();
      const names = ['client', 'b', 'c'];
      const clients: Client[] = [game.a, game.b, game.join('c')];
      clients[2]!.says(request(0, 'initialize', INITIALIZE));
      game.take();
      const next = [10, 10, 10];
      const owed = names.map(() => new Set<number>());
      const asked: Asked[] = [];
      let joined = 0;
      let generation = 1;
      const look = (): void => {
        for (const [to, message] of game.take()) {
          const all = (Array.isArray(message) ? message : [message]) as Seen[];
          for (const each of all) {
            if (typeof to === 'number') {
              const { of } = each.params ?? {};
              if (of !== undefined)
                asked.push({ generation: to, id: each.id, token: each.params?.['_meta']?.progressToken, of });
              continue;
            }
            const text = JSON.stringify(each);
            const of = /"of ([^"]+)"/.exec(text)?.[1] ?? to;
            assert.equal(of, to, text);
            const at = names.indexOf(to);
            assert.ok(at >= 0, `${text} to ${to}, which has left`);
            if (each.method === undefined) assert.ok(owed[at]!.delete(each.id), `${text} was not asked`);
          }
        }
      };
      for (const { client, what, pick } of steps) {
        const one = clients[client]!;
        const named = (): object => {
          const id = next[client]!++;
          owed[client]!.add(id);
          const params = { name: 'x', uri: 'a:', of: `of ${names[client]}`, _meta: { progressToken: id % 3 } };
          return request(id, what === 'read' ? 'resources/read' : 'tools/call', params);
        };
        const about = asked[pick % Math.max(1, asked.length)];
        if (what === 'call' || what === 'read') one.says(named());
        else if (what === 'batch') one.says([named(), named()]);
        else if (what === 'answer' && about !== undefined)
          game.server(about.generation, answer(about.id, { text: about.of }));
        else if (what === 'progress' && about !== undefined)
          game.server(
            about.generation,
            tell('notifications/progress', { progressToken: about.token, progress: pick, message: about.of }),
          );
        else if (what === 'cancel') {
          const [id] = owed[client]!;
          if (id !== undefined) one.says(tell('notifications/cancelled', { requestId: id }));
        } else if (what === 'leave') {
          detachSession(one.session);
          look();
          names[client] = `later ${++joined}`;
          next[client] = 10;
          owed[client] = new Set();
          clients[client] = game.join(names[client]);
          clients[client].says(request(0, 'initialize', INITIALIZE));
          game.take();
        } else if (what === 'reload') {
          beginHold(game);
          const to = game.upstream(generation + 1);
          to.introduction = game.upstream(generation).introduction;
          promote(game, generation + 1);
          drop(game, generation);
          generation++;
          endHold(game);
        }
        look();
      }
    }),
    { numRuns: 300 },
  );
});
