/**
 * Scripts for several clients on one project: what happens in the script of the same seed, handed out among two to four
 * clients of either era. Some come later, some leave in the middle, and some of those come back, as new clients of the
 * same kind. Servers may write what is watched when they start.
 */
import { createRandom, mix, type Random } from '../support/random.js';
import { scriptOf, type Event, type Program, type Script, type Setting } from './script.js';

type Era = Setting['era'];

/** What a crowd is made of, beside the events of one client. */
interface Crowd {
  /** The first client's is the setting's. */
  readonly eras: readonly Era[];
  readonly late: readonly number[];
  /** Who comes and goes, by the position of the event that follows. */
  readonly moves: ReadonlyMap<number, Event>;
}

export function crowdOf(seed: number, length: number): Script {
  const script = scriptOf(seed, length);
  const chance = createRandom(mix(seed, 3));
  const events = script.events.filter((event) => event.do !== 'close');
  const writes = chance.once(5);
  const setting: Setting = writes ? { ...script.setting, notes: true } : script.setting;
  const programs = writes ? script.programs.map((program) => writing(chance, program)) : script.programs;
  const { eras, late, moves } = crowd(chance, setting.era, events.length);
  const given = (event: Event): Event => {
    const client = chance.below(eras.length);
    // Batches are of the one era, streams of the other.
    const isForeign =
      (event.do === 'batch' && eras[client] === 'modern') || (event.do === 'listen' && eras[client] === 'legacy');
    return isForeign
      ? { do: 'tell', salt: event.salt, turns: event.turns, ms: event.ms, client }
      : { ...event, client };
  };
  return {
    ...script,
    setting,
    programs,
    others: eras.slice(1),
    late,
    events: events.flatMap((event, at) => [...(moves.has(at) ? [moves.get(at)!] : []), given(event)]),
  };
}

function crowd(chance: Random, first: Era, length: number): Crowd {
  const eras: Era[] = [
    first,
    ...Array.from({ length: 1 + chance.below(3) }, () => chance.pick<Era>(['legacy', 'modern'])),
  ];
  const late: number[] = [];
  const moves = new Map<number, Event>();
  const move = (what: 'join' | 'close', client: number, from: number): number => {
    let at = from + chance.below(Math.max(1, length - from));
    while (moves.has(at)) at++;
    moves.set(at, {
      do: what,
      client,
      salt: chance.below(0x1_0000_0000),
      turns: chance.below(4),
      ms: chance.once(3) ? chance.below(3000) : 0,
    });
    return at;
  };
  for (const client of eras.keys()) {
    let here = 0;
    if (client > 0 && chance.once(3)) {
      late.push(client);
      here = move('join', client, 0);
    }
    if (!chance.once(3)) continue;
    const left = move('close', client, here + 1);
    if (!chance.once(2)) continue;
    // Whoever comes back is somebody new to the proxy.
    const again = eras.push(eras[client]!) - 1;
    late.push(again);
    move('join', again, left + 1);
  }
  return { eras, late, moves };
}

function writing(chance: Random, program: Program): Program {
  return chance.once(2) ? { ...program, writes: chance.pick(['boot', 'boot', 'later']) } : program;
}
