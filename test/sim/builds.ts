/** A simulated build: reads the sources some time after its start, and leaves what it made, or nothing that runs. */
import type { Contents, Disk } from './disk.js';
import type { Behaviour, Process } from './processes.js';
import { createRandom, mix } from '../support/random.js';
import type { Script } from './script.js';

export function build(disk: Disk, script: Script, process: Process): Behaviour {
  const chance = createRandom(mix(script.seed, process.pid));
  let read: Contents | undefined;
  const programOf = (contents: Contents) => script.programs[contents['main.js'] % script.programs.length] ?? {};
  process.later(chance.below(10), () => {
    read = disk.now;
    const { build: kind } = programOf(read);
    // From here on what was there before is gone.
    disk.output = undefined;
    if (kind === 'hangs') return;
    process.later(kind === 'slow' ? 200 + chance.below(4000) : chance.below(40), () => {
      if (kind === 'fails') {
        process.complain('error TS1005: something is wrong\n');
        return process.exit(2, null);
      }
      disk.output = read;
      process.exit(0, null);
    });
  });
  return {
    written: () => {},
    read: () => {},
    inputEnded: () => {},
    signalled: (name) => process.later(chance.below(5), () => process.exit(null, name)),
    gone: () => {},
  };
}
