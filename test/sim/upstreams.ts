/**
 * Scripts for servers that speak HTTP: those of guests, whose servers listen on ports, with connections to them that
 * break at any moment and sessions that they forget.
 */
import { createRandom, mix } from '../support/random.js';
import { guestsOf } from './guests.js';
import type { Event, Script, Setting } from './script.js';

/** One of so many events is what befalls a server that speaks HTTP. */
const IN_SO_MANY = 12;

export function upstreamsOf(seed: number, length: number): Script {
  const script = guestsOf(seed, length);
  const chance = createRandom(mix(seed, 6));
  const upstream = chance.once(4) ? 'fixed' : 'free';
  // On one port there is no room for two.
  const strategy: Setting['strategy'] = upstream === 'fixed' ? 'replace' : script.setting.strategy;
  const rough = (event: Event): Event => {
    const { salt, turns, ms, client = 0 } = event;
    if (!chance.once(IN_SO_MANY) || event.do === 'join' || event.do === 'close') return event;
    const which = chance.below(8);
    const what = chance.once(3)
      ? { do: 'forget' as const, which }
      : { do: 'cut' as const, to: 'server' as const, which };
    return { ...what, salt, turns, ms, client };
  };
  return { ...script, setting: { ...script.setting, upstream, strategy }, events: script.events.map(rough) };
}
