// The watch: raw events make paths dirty, a check hashes what is dirty, and the contents tell what has changed since a
// mark. It composes the pieces of this folder and owns their order in time; what to do about a change, and how to
// report it, is the caller's.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBell } from './debounce.js';
import { createChecks } from './single-flight.js';
import { createContents } from './content-index.js';
import { MAX_DATA_DIRECTORIES, MAX_DATA_FILES } from './data-files.js';
import { createFilter } from './filter.js';
import { createIntake } from './hashing.js';
import { createObserver } from './observer.js';
import { createPace, type Pace } from './time-slice.js';
import { isBelow, labelOf, realOf, statOf } from './paths.js';
import { createPlaces } from './root-locations.js';
import { parseRoot } from './roots.js';
import { thisSystem, type System } from './system.js';
import { createTree, type Found } from './tree.js';
import type { WarningCode, Watch, WatchCallbacks, WatchOptions } from './types.js';

export type { Change, Mark, Watch, WatchCallbacks, WatchOptions } from './types.js';

/** Paths that stirred, and whether something may have come, gone or been replaced there. */
type Pending = ReadonlyMap<string, boolean>;

// What is written to without end must not keep a request waiting.
const ROUNDS = 8;

export function openWatch(options: WatchOptions, callbacks: WatchCallbacks, system: System = thisSystem()): Watch {
  const opened = performance.now();
  const cwd = realOf(options.cwd);
  const roots = options.rules.flatMap(({ name, paths, data = [] }) => [
    ...paths.map((path) => parseRoot(name, path, options.cwd)),
    ...data.map((path) => parseRoot(name, path, options.cwd, true)),
  ]);
  const nevers = [...new Set(options.never.flatMap((path) => [path, realOf(path)]))];
  const isNever = (path: string): boolean => nevers.some((never) => path === never || isBelow(path, never));
  const closing = new AbortController();
  const warned = new Set<string>();
  const contents = createContents();
  const unchanged: string[] = [];
  let pending = new Map<string, boolean>();
  let isLost = false;
  let isSweeping = false;
  let isReady = false;

  const isDirty = (): boolean => pending.size > 0 || isLost;
  const checks = createChecks(isDirty, () => guarded(absorb));
  let isNews = false;
  const bell = createBell(options.debounce, () => {
    if (!isDirty() && !isNews) return;
    isNews = false;
    callbacks.settled();
  });

  function warn(code: WarningCode, about: string, text: string): void {
    if (warned.has(code + about)) return;
    warned.add(code + about);
    callbacks.warn({ code, text });
  }

  function lost(): void {
    isLost = true;
    bell.touch();
  }

  const observer = createObserver({
    poll: options.poll,
    system,
    lost,
    isWanted,
    stirred(directory, name, made) {
      const path = join(directory, name);
      const known = pending.get(path);
      // One save stirs a file several times, and a checkout thousands of them in one turn.
      if (known === undefined && !isWanted(directory, name, path)) return;
      if (known === undefined || made) pending.set(path, made);
      bell.touch();
    },
    isListed: (path) => tree.directories.has(path),
    needed: () => [...tree.directories.keys(), ...places.holds, ...intake.holds.keys()],
    isNeeded: (path) => tree.directories.has(path) || places.holds.has(path) || intake.holds.has(path),
    unsure() {
      isLost = true;
      const before = contents.version;
      return checks.request().then(() => {
        if (contents.version === before || closing.signal.aborted) return;
        isNews = true;
        bell.touch();
      });
    },
    fellBack: (text) => warn('polling', '', text),
  });
  const shared = {
    cwd,
    contents,
    isNever,
    filter: createFilter(options),
    observe(directory: string) {
      observer.expectChanges(directory);
      observer.observe(directory);
    },
    unobserve: observer.unobserve,
    forget: contents.delete,
    unreadable(path: string) {
      const label = labelOf(path, options.cwd);
      warn('unreadable', path, `${label} can't be read: a change of its content would not be noticed.`);
    },
    crowded(path: string, what: 'files' | 'directories') {
      const label = labelOf(path, options.cwd) || '.';
      const text =
        what === 'files'
          ? `${label} holds more than ${MAX_DATA_FILES} data files: they are taken for a store and not watched.`
          : `There are more than ${MAX_DATA_DIRECTORIES} directories that may hold data files: ${label} and others are not watched for them.`;
      warn('crowded', what === 'files' ? path : '', `${text} --also-watch names those that the server reads.`);
    },
    same(path: string, touched: boolean) {
      // A sweep also hashes what is too young for its stamp to count, and a late event tells of what a sweep has seen
      // already.
      if (touched || (observer.isPrompt && !isSweeping)) unchanged.push(labelOf(path, options.cwd));
    },
  };
  const tree = createTree({
    ...shared,
    listed: (directory, listing) => intake.takeListing(directory, listing),
  });
  const intake = createIntake({ ...shared, since: options.since, isPending: (path) => pending.has(path) });
  const { expectChanges, observe } = observer;
  const places = createPlaces({ ...shared, roots, tree, intake, expectChanges, observe });

  function isWanted(directory: string, name: string, path = join(directory, name)): boolean {
    return places.isAnchor(path) || intake.linksTo(path).size > 0 || tree.stirs(directory, name);
  }

  async function baseline(): Promise<void> {
    // What the client has sent already, a server that comes up can be given at once. Nothing is lost by it: what is
    // saved before it is hashed shows that it was touched since the start.
    await nextTurn();
    await nextTurn();
    const pace = createPace(closing.signal);
    const found: Found[] = [];
    try {
      await places.settle(undefined, found, pace);
      const optional = new Set(options.rules.flatMap((rule) => (rule.optional === true ? rule.paths : [])));
      for (const { text, glob } of await places.missing(pace)) {
        if (optional.has(text)) continue;
        warn(
          'missing',
          text,
          `${text} ${glob ? 'matches no file' : 'does not exist'} yet. It is watched as soon as it does.`,
        );
      }
      const files = found.length + places.files();
      const ms = performance.now() - opened;
      callbacks.began?.({ files, directories: tree.directories.size, mode: observer.mode, ms });
      await intake.take(found, pace);
    } finally {
      intake.seal();
      contents.seal();
      isReady = true;
    }
    await absorb();
  }

  async function absorb(): Promise<void> {
    const pace = createPace(closing.signal);
    const before = contents.version;
    for (let round = 0; round < ROUNDS && isDirty() && !closing.signal.aborted; round++) {
      const [batch, all] = [pending, isLost];
      pending = new Map();
      isLost = false;
      isSweeping = all;
      const found: Found[] = [];
      const walked = await places.settle(all ? undefined : [...batch.keys()], found, pace);
      if (!all) await visit(batch, walked, found, pace);
      await places.mend(found, pace);
      await intake.take(found, pace);
    }
    const same = unchanged.splice(0);
    if (contents.version === before && same.length > 0) callbacks.unchanged?.([...new Set(same)]);
  }

  async function visit(batch: Pending, walked: ReadonlySet<string>, found: Found[], pace: Pace): Promise<void> {
    for (const [path, made] of batch) {
      const turn = pace();
      if (turn) await turn;
      await tree.visit(path, made, found, pace, walked);
      await visitLinks(intake.linksTo(path), found, pace);
    }
    for (const { directory, name } of intake.hasLinks ? found.slice() : []) {
      const turn = pace();
      if (turn) await turn;
      await visitLinks(intake.linksTo(directory.prefix + name), found, pace);
    }
    await visitLinks(intake.broken, found, pace);
  }

  async function visitLinks(links: ReadonlySet<string>, found: Found[], pace: Pace): Promise<void> {
    for (const link of links) {
      if (statOf(link)?.isSymbolicLink()) await tree.visit(link, true, found, pace);
      else intake.unlink(link);
    }
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (closing.signal.aborted) return;
      // Whatever it was, the next check looks at everything again.
      isLost = true;
      warn('failed', String(error), `Watching failed: ${String(error)}. The next change or request tries again.`);
    }
  }

  return {
    get dirty() {
      return isDirty() || checks.running || !isReady;
    },
    get needsSweep() {
      return !observer.isPrompt;
    },
    ready: checks.first(() => guarded(baseline)),
    check() {
      if (!observer.isPrompt) isLost = true;
      return checks.request();
    },
    sweep() {
      isLost = true;
      return checks.request();
    },
    mark: contents.mark,
    release: contents.release,
    changedSince: contents.changedSince,
    stirredSince: contents.stirredSince,
    fingerprint: contents.fingerprint,
    prepare: (rules) => guarded(() => contents.prepare(rules, createPace(closing.signal))),
    changedAt: contents.changedAt,
    accept(paths) {
      for (const path of paths) contents.accept(path);
    },
    distrust(changes) {
      for (const { path, rules } of changes) contents.distrust(path, rules);
    },
    async close() {
      closing.abort();
      bell.clear();
      await Promise.all([observer.close(), checks.idle()]);
    },
  };
}
