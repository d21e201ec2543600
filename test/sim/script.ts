/**
 * What happens in one run, decided before it begins: the options, the programs that the files may hold, and the list of
 * what client, servers, files and people do. Made from a seed; leaving something out of it makes another script that
 * can be run, which is how a failure is made small.
 */
import type { File } from './disk.js';
import { createRandom, type Random } from '../support/random.js';

/** What can be set, and what kind of client it is. */
export interface Setting {
  readonly era: 'legacy' | 'modern';
  /** Sends `server/discover` first. */
  readonly discovers: boolean;
  readonly strategy: 'overlap' | 'replace';
  readonly drain: number;
  readonly hold: number;
  readonly startTimeout: number;
  readonly buildTimeout: number;
  readonly stopTimeout: number;
  readonly restartDelay: number;
  readonly onFailure: 'report' | 'serve';
  readonly whileReloading: 'hold' | 'serve';
  readonly retry: 'safe' | 'never';
  readonly concurrency: number | undefined;
  readonly notify: 'changed' | 'always' | 'never';
  readonly agentTools: boolean;
  readonly builds: boolean;
  /** What an edit of the settings leads to; undefined: they are not watched. */
  readonly settings: 'SIGHUP' | 'notify' | 'continue' | undefined;
  readonly debounce: number;
  readonly poll: number | undefined;
  /** Every access to the disk takes up to so many ms. */
  readonly slowDisk: number;
  /** Servers speak HTTP, on a free port each, or all on the same. */
  readonly upstream?: 'free' | 'fixed';
  /** The notes that servers may write are watched like a source. */
  readonly notes?: true;
}

/** How a server or its build behaves. Nothing set: it is quick and good. */
export interface Program {
  readonly boot?: number;
  /** It ends when this happens to it, in the middle of a line perhaps. */
  readonly dies?: { readonly at: Step; readonly code: number; readonly cut: boolean };
  readonly refuses?: true;
  readonly hangs?: 'handshake' | 'list';
  /** It can't run beside another. */
  readonly busy?: true;
  /** Its answers take up to so many ms. */
  readonly delay?: number;
  /** One call in so many is never answered. */
  readonly never?: number;
  readonly ignoresTerm?: true;
  readonly ignoresEnd?: true;
  readonly lingers?: true;
  readonly noise?: true;
  /** Asks the client for its roots. */
  readonly asks?: true;
  /** Tells of its progress. */
  readonly talks?: true;
  readonly pages?: true;
  readonly listFails?: true;
  readonly lacks?: true;
  /** Answers some requests twice, and some that nobody has sent. */
  readonly doubles?: true;
  readonly build?: 'fails' | 'hangs' | 'slow';
  /** It writes its notes as it starts, or a little later. */
  readonly writes?: 'boot' | 'later';
}

export type Step = 'boot' | 'handshake' | 'opened' | 'list' | 'call';

/** Who is meant is decided when it happens: this is the how manieth of those that come into question. */
type Which = number;

export type Deed =
  | { readonly do: 'call'; readonly tool: number; readonly id: number; readonly token: boolean }
  | { readonly do: 'ask'; readonly method: number; readonly id: number }
  | { readonly do: 'agent'; readonly tool: number; readonly id: number }
  | { readonly do: 'batch'; readonly size: number; readonly id: number }
  | { readonly do: 'listen'; readonly filter: number }
  | { readonly do: 'tell' }
  | { readonly do: 'cancel'; readonly which: Which }
  | { readonly do: 'answer'; readonly which: Which; readonly progress: boolean }
  | { readonly do: 'garbage'; readonly kind: number }
  | { readonly do: 'save'; readonly file: File; readonly content: number }
  | { readonly do: 'force' }
  | { readonly do: 'crash'; readonly which: Which; readonly code: number; readonly cut: boolean }
  | { readonly do: 'say'; readonly which: Which; readonly what: number }
  | { readonly do: 'freeze'; readonly which: Which }
  | { readonly do: 'thaw' }
  | { readonly do: 'stall'; readonly on: boolean }
  | { readonly do: 'full'; readonly on: boolean }
  | { readonly do: 'missing'; readonly on: boolean }
  /** A client over HTTP drops the connection of a request, or of its stream. */
  | { readonly do: 'vanish'; readonly which: Which }
  | { readonly do: 'stream' }
  /** A connection of a client breaks, or one to a server. */
  | { readonly do: 'cut'; readonly to: 'client' | 'server'; readonly which: Which }
  /** A server that speaks HTTP forgets its sessions. */
  | { readonly do: 'forget'; readonly which: Which }
  /** A client connects that was not there from the beginning. */
  | { readonly do: 'join' }
  | { readonly do: 'close' };

/** A deed, and what passes after it: turns of the event loop, or time. */
export type Event = Deed & {
  readonly salt: number;
  readonly turns: number;
  readonly ms: number;
  /** Who does it, if it is a client: the first unless said. */
  readonly client?: number;
};

export type Transport = 'stdio' | 'http';

export interface Script {
  readonly seed: number;
  readonly setting: Setting;
  readonly programs: readonly Program[];
  readonly events: readonly Event[];
  /** Whether a good program is saved at the end. */
  readonly mends: boolean;
  /** Further clients of the project, by their eras: the first has that of the setting. */
  readonly others?: readonly Setting['era'][];
  /** Those of them that connect later, by their numbers: the first further client has the number 1. */
  readonly late?: readonly number[];
  /** All clients are served by one lineage. */
  readonly shared?: boolean;
  /** The program serves HTTP, and these are the clients' transports, the first one's first. */
  readonly transports?: readonly Transport[];
}

const CODES = [1, 0, 42, -1];

export function scriptOf(seed: number, length: number): Script {
  const chance = createRandom(seed);
  const setting = settingOf(chance);
  const programs = [{}, ...Array.from({ length: 7 }, () => programOf(chance, setting))];
  const events = Array.from({ length }, () => eventOf(chance, setting, programs.length));
  // A client that closes ends the run: that comes in one of four, anywhere.
  const closes = chance.once(4) ? chance.below(length) : length;
  return {
    seed,
    setting,
    programs,
    events: [
      ...events.slice(0, closes),
      ...(closes < length ? [{ do: 'close', salt: seed, turns: 0, ms: 0 } as const] : []),
    ],
    mends: chance.once(2),
  };
}

function settingOf(chance: Random): Setting {
  const rarely = <T>(inSoMany: number, other: readonly T[], usual: T): T =>
    chance.once(inSoMany) ? chance.pick(other) : usual;
  return {
    era: chance.pick(['legacy', 'modern']),
    discovers: chance.once(3),
    strategy: chance.pick(['overlap', 'overlap', 'replace']),
    drain: chance.pick([10_000, 500, 0]),
    hold: rarely(3, [1500, 5000, 0], 50_000),
    startTimeout: chance.pick([20_000, 2000]),
    buildTimeout: chance.pick([120_000, 3000]),
    stopTimeout: chance.pick([2000, 300]),
    restartDelay: rarely(4, [300], 0),
    onFailure: rarely(3, ['serve'], 'report'),
    whileReloading: rarely(4, ['serve'], 'hold'),
    retry: rarely(4, ['never'], 'safe'),
    concurrency: rarely<number | undefined>(4, [1, 2], undefined),
    notify: rarely(4, ['always', 'never'], 'changed'),
    agentTools: chance.once(3),
    builds: chance.once(3),
    settings: rarely<Setting['settings']>(3, ['SIGHUP', 'notify', 'continue'], undefined),
    debounce: rarely(3, [0, 20], 100),
    poll: rarely<number | undefined>(6, [500], undefined),
    slowDisk: rarely(4, [5, 60], 0),
  };
}

function programOf(chance: Random, { drain, builds }: Setting): Program {
  const program: { -readonly [K in keyof Program]: Program[K] } = {};
  if (chance.once(2)) program.boot = chance.pick([5, 40, 300, 3000]);
  if (chance.once(2)) program.delay = chance.pick([2, 30, 400, 3000]);
  if (chance.once(3)) program.never = chance.pick([2, 5]);
  if (chance.once(4)) {
    program.dies = {
      at: chance.pick(['boot', 'handshake', 'opened', 'list', 'call', 'call']),
      code: chance.pick(CODES),
      cut: chance.once(2),
    };
  }
  if (chance.once(12)) program.refuses = true;
  if (chance.once(10)) program.hangs = chance.pick(['handshake', 'list']);
  // Without a limit to draining, what is never answered is never over.
  if (drain === 0) delete program.never;
  if (drain === 0 && program.hangs === 'list') delete program.hangs;
  if (chance.once(12)) program.busy = true;
  if (chance.once(6)) program.ignoresTerm = true;
  if (chance.once(6)) program.ignoresEnd = true;
  if (chance.once(8)) program.lingers = true;
  if (chance.once(5)) program.noise = true;
  if (chance.once(3)) program.asks = true;
  if (chance.once(3)) program.talks = true;
  if (chance.once(4)) program.pages = true;
  if (chance.once(12)) program.listFails = true;
  if (chance.once(8)) program.lacks = true;
  if (chance.once(6)) program.doubles = true;
  if (builds && chance.once(3)) program.build = chance.pick(['fails', 'hangs', 'slow', 'slow']);
  return program;
}

function eventOf(chance: Random, setting: Setting, programs: number): Event {
  const deed = deedOf(chance, setting, programs);
  const pause = chance.below(20);
  return {
    ...deed,
    salt: chance.below(0x1_0000_0000),
    turns: pause < 8 ? chance.below(4) : 0,
    ms:
      pause < 8
        ? 0
        : pause < 12
          ? chance.below(4)
          : pause < 17
            ? chance.below(150)
            : pause < 19
              ? chance.below(1500)
              : chance.below(chance.once(6) ? 70_000 : 6000),
  };
}

function deedOf(chance: Random, setting: Setting, programs: number): Deed {
  const id = chance.below(24);
  const which = chance.below(8);
  const roll = chance.below(100);
  if (roll < 26) return { do: 'call', tool: chance.below(5), id, token: chance.once(4) };
  if (roll < 42) return { do: 'ask', method: chance.below(12), id };
  if (roll < 45) return setting.agentTools ? { do: 'agent', tool: chance.below(6), id } : { do: 'tell' };
  if (roll < 47)
    return setting.era === 'legacy'
      ? { do: 'batch', size: 1 + chance.below(3), id }
      : { do: 'listen', filter: chance.below(8) };
  if (roll < 49) return setting.era === 'modern' ? { do: 'listen', filter: chance.below(8) } : { do: 'tell' };
  if (roll < 52) return { do: 'tell' };
  if (roll < 57) return { do: 'cancel', which };
  if (roll < 62) return { do: 'answer', which, progress: chance.once(4) };
  if (roll < 63) return { do: 'garbage', kind: chance.below(4) };
  if (roll < 79) return saveOf(chance, programs);
  if (roll < 80) return { do: 'force' };
  if (roll < 85) return { do: 'crash', which, code: chance.pick(CODES), cut: chance.once(2) };
  if (roll < 93) return { do: 'say', which, what: chance.below(9) };
  if (roll < 94) return { do: 'freeze', which };
  if (roll < 96) return { do: 'thaw' };
  if (roll < 98) return { do: 'stall', on: chance.once(3) };
  if (roll < 99) return { do: 'full', on: chance.once(2) };
  return { do: 'missing', on: chance.once(3) };
}

/** Half of all programs are good ones; and sometimes nothing changes. */
function saveOf(chance: Random, programs: number): Deed {
  const file = chance.pick<File>(['main.js', 'main.js', 'lists.js', 'lists.js', 'other.js', 'settings.json']);
  const content = file === 'main.js' && chance.once(2) ? programs * chance.below(4) : chance.below(programs * 2);
  return { do: 'save', file, content };
}
