/**
 * Scripts for several clients on one project: what happens in the script of the same seed, handed out among two to four
 * clients of either era. A client that closes leaves the others to go on.
 */
import { createRandom, mix } from '../support/random.js';
import { scriptOf, type Event, type Script, type Setting } from './script.js';

export function crowdOf(seed: number, length: number): Script {
  const script = scriptOf(seed, length);
  const chance = createRandom(mix(seed, 3));
  const others = Array.from({ length: 1 + chance.below(3) }, () => chance.pick<Setting['era']>(['legacy', 'modern']));
  const eras = [script.setting.era, ...others];
  const given = (event: Event): Event => {
    const client = chance.below(eras.length);
    // Batches are of the one era, streams of the other.
    const isForeign =
      (event.do === 'batch' && eras[client] === 'modern') || (event.do === 'listen' && eras[client] === 'legacy');
    return isForeign
      ? { do: 'tell', salt: event.salt, turns: event.turns, ms: event.ms, client }
      : { ...event, client };
  };
  return { ...script, others, events: script.events.map(given) };
}
