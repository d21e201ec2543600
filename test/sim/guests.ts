/**
 * Scripts for a program that serves HTTP: those of several clients, who come by HTTP, the first perhaps by stdio, with
 * what HTTP has besides: connections that break, requests and streams whose clients drop them.
 */
import { createRandom, mix, type Random } from '../support/random.js';
import { crowdOf } from './crowd.js';
import type { Event, Script, Transport } from './script.js';

/** `shared`: all clients of one era are served by one lineage. */
export function guestsOf(seed: number, length: number, shared = false): Script {
  const script = crowdOf(seed, length);
  const chance = createRandom(mix(seed, 4));
  const clients = 1 + (script.others?.length ?? 0);
  const first: Transport = chance.once(2) ? 'stdio' : 'http';
  const transports: Transport[] = [first, ...Array.from({ length: clients - 1 }, (): Transport => 'http')];
  // With the client on stdio the program goes, and with it everybody.
  const stays = ({ do: what, client = 0 }: Event): boolean => what !== 'close' || client > 0 || first === 'http';
  return {
    ...script,
    transports,
    ...(shared ? { shared } : {}),
    events: script.events.filter(stays).map((event) => rough(chance, event)),
  };
}

/** One of so many events becomes one of HTTP's own. */
const IN_SO_MANY = 12;

function rough(chance: Random, event: Event): Event {
  const { salt, turns, ms, client = 0 } = event;
  if (!chance.once(IN_SO_MANY) || event.do === 'join' || event.do === 'close') return event;
  const about = { salt, turns, ms, client };
  const which = chance.below(8);
  const roll = chance.below(5);
  if (roll < 2) return { do: 'vanish', which, ...about };
  if (roll < 3) return { do: 'stream', ...about };
  return { do: 'cut', to: 'client', which, ...about };
}
