// Random games of a crowd: who comes, what each does and in which order, drawn by fast-check and played at one place.
// What was wrong with what a client heard, the client says itself (guest.ts).

import { setTimeout as delay } from 'node:timers/promises';
import { fc } from '../../support/property.js';
import { Guest, LEVELS } from './guest.js';
import type { Place } from './place.js';
import { isModern, openTalker, type Kind } from './talkers.js';

const PATIENCE_MS = 60_000;

const course = fc.constantFrom(
  'progress',
  'progress',
  'tell',
  'change',
  'touch of:all',
  'touch own',
  'ask sampling/createMessage',
  'ask elicitation/create',
  'ask roots/list',
  ...LEVELS.map((level) => `log ${level}`),
);

export const move = fc.record({
  who: fc.nat({ max: 5 }),
  what: fc.constantFrom(
    ...(['call', 'call', 'call', 'call', 'call twice', 'read', 'take back', 'take back', 'take back nothing'] as const),
    ...(['level', 'subscribe', 'unsubscribe', 'listen', 'leave', 'wait', 'wait for all'] as const),
  ),
  steps: fc.array(course, { maxLength: 4 }),
  pause: fc.constantFrom(0, 0, 1, 5),
  heeds: fc.boolean(),
  pick: fc.nat({ max: 3 }),
});

export type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

export interface Table {
  readonly place: Place;
  readonly kinds: readonly Kind[];
  /** The client on stdio stays, because there is only one. */
  stdio: Guest | undefined;
  names: number;
  version: number;
  /** How often clients have heard what, over all games. */
  readonly heard: Map<string, number>;
}

export function openTable(place: Place, kinds: readonly Kind[]): Table {
  return { place, kinds, stdio: undefined, names: 0, version: 1, heard: new Map() };
}

/** Returns what was wrong. */
export async function playGame(table: Table, moves: readonly Move[], edits: boolean): Promise<string[]> {
  const guests = await Promise.all(table.kinds.map((kind) => come(table, kind)));
  const gone: Guest[] = [];
  let editAt = edits ? Math.floor(moves.length / 2) : Infinity;
  for (const { who, what, steps, pause, heeds, pick } of moves) {
    if (editAt-- === 0) table.place.edit(++table.version);
    const at = who % guests.length;
    const guest = guests[at]!;
    switch (what) {
      case 'call': {
        const own = steps.map((step) => (step === 'touch own' ? `touch of:${guest.name}` : step));
        guest.call(own, { pause, heeds }, table.version, pick > 0);
        break;
      }
      case 'call twice':
        if (!isModern(guest.kind)) guest.callTwice(['progress', 'tell'], { pause, heeds: false }, table.version);
        break;
      case 'read':
        guest.read();
        break;
      case 'take back':
        guest.takeBack();
        break;
      case 'take back nothing':
        guest.takeBackNothing();
        break;
      case 'level':
        if (!isModern(guest.kind)) guest.setLevel(pick % LEVELS.length);
        break;
      case 'subscribe':
      case 'unsubscribe':
        if (!isModern(guest.kind)) guest.subscribe(pick % 2 === 0, what);
        break;
      case 'listen':
        if (isModern(guest.kind)) guest.listen(pick % 2);
        break;
      case 'leave':
        if (guest === table.stdio) break;
        await guest.leave();
        gone.push(guest);
        guests[at] = await come(table, guest.kind);
        break;
      case 'wait':
        await delay(pause);
        break;
      case 'wait for all':
        await allQuiet(table, guests);
    }
  }
  await allQuiet(table, guests);
  for (const guest of guests) if (guest !== table.stdio) await guest.leave();
  const all = [...guests, ...gone];
  for (const { heard } of all) {
    for (const [what, count] of heard) table.heard.set(what, (table.heard.get(what) ?? 0) + count);
    heard.clear();
  }
  return all.flatMap(({ faults }) => faults.splice(0));
}

async function come(table: Table, kind: Kind): Promise<Guest> {
  const isStdio = kind.startsWith('stdio');
  if (isStdio && table.stdio !== undefined) return table.stdio;
  const guest = new Guest(kind, `c${++table.names}.`);
  guest.come(await openTalker(kind, table.place, guest.name, guest.listener));
  if (isStdio) table.stdio = guest;
  return guest;
}

async function allQuiet({ place }: Table, guests: readonly Guest[]): Promise<void> {
  const late = new AbortController();
  const tooLong = delay(PATIENCE_MS, undefined, { signal: late.signal }).then(() => {
    const waiting = guests.map(
      (guest) => `${guest.name} (${guest.kind}) waits for ${guest.waitsFor.join() || 'nothing'}`,
    );
    throw new Error(`${waiting.join('\n')}\n${place.log().slice(-10_000)}`);
  });
  await Promise.race([Promise.all(guests.map((guest) => guest.quiet())), tooLong]);
  late.abort();
  tooLong.catch(() => {});
}
