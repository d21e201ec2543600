/**
 * A simulated build: reads the sources some time after its start, and leaves what it made, or nothing that runs. And
 * the check that none is run without need (P6): what is built already, or has failed and is not asked for again.
 */
import { CODE, codeOf, type Contents, type Disk } from './disk.js';
import type { Behaviour, Process } from './processes.js';
import { createRandom, mix } from '../support/random.js';
import type { Script } from './script.js';

/** What may make another build of the same files necessary: counts that only grow. */
export interface Reasons {
  /** A server that was started from it did not live. */
  readonly forAny: number;
  /** So many ms ago somebody has asked for a build, come what may. */
  readonly askedAgo: number;
  /** A tool was called, or a client has come: a build that has failed may be tried again. */
  readonly forFailed: number;
}

interface Begun {
  readonly code: string;
  readonly at: number;
  readonly reasons: Reasons;
  /** How it has ended, and when. */
  ok: boolean | undefined;
  endedAt: number;
}

/** So long after an exit it may not be known, and a build that is given up then has done nothing for anybody. */
const UNKNOWN_MS = 20;
/** By then a rebuild that was asked for is over, be it begun anew because of saves. */
const ASKED_MS = 60_000;

export class Builds {
  readonly #disk: Disk;
  readonly #script: Script;
  readonly #reasons: () => Reasons;
  readonly #fail: (text: string) => void;
  #last: Begun | undefined;

  constructor(disk: Disk, script: Script, reasons: () => Reasons, fail: (text: string) => void) {
    this.#disk = disk;
    this.#script = script;
    this.#reasons = reasons;
    this.#fail = fail;
  }

  start(process: Process): Behaviour {
    const { programs, seed } = this.#script;
    const disk = this.#disk;
    const chance = createRandom(mix(seed, process.pid));
    const begun = this.#begin();
    let read: Contents | undefined;
    const programOf = (contents: Contents) => programs[contents['main.js'] % programs.length] ?? {};
    process.later(chance.below(10), () => {
      read = disk.now;
      const { build: kind } = programOf(read);
      // From here on what was there before is gone.
      disk.output = undefined;
      if (kind === 'hangs') return;
      process.later(kind === 'slow' ? 200 + chance.below(4000) : chance.below(40), () => {
        begun.ok = kind !== 'fails';
        begun.endedAt = Date.now();
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

  /** A save that came so long before a build may not have been seen when that began. */
  get #unseenMs(): number {
    const { poll = 0, slowDisk } = this.#script.setting;
    return poll + 20 * slowDisk + 10;
  }

  #begin(): Begun {
    const last = this.#last;
    const begun: Begun = {
      code: codeOf(this.#disk.now),
      at: Date.now(),
      reasons: this.#reasons(),
      ok: undefined,
      endedAt: 0,
    };
    this.#last = begun;
    if (last?.ok === undefined || last.code !== begun.code) return begun;
    if (begun.at - last.endedAt <= UNKNOWN_MS) return begun;
    // It may have been of other files than are there now, or of some that changed meanwhile.
    const unseenSince = last.at - this.#unseenMs;
    if (this.#disk.savedAt(CODE) >= unseenSince) return begun;
    if (last.reasons.forAny !== begun.reasons.forAny || begun.reasons.askedAgo < ASKED_MS) return begun;
    const isAskedFor = last.reasons.forFailed !== begun.reasons.forFailed || this.#disk.savedAt() >= unseenSince;
    if (!last.ok && isAskedFor) return begun;
    this.#fail(
      `${begun.code} is built again, though ${last.ok ? 'it is built' : 'nobody asks what failed to be tried again'}`,
    );
    return begun;
  }
}
