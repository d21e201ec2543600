// The watch: raw events make paths dirty, a check hashes the dirty paths, and the content index tells what has changed
// since a mark. This file composes the parts of this folder and decides the order in which they run. The caller decides
// what to do about a change, and reports it.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDebouncer } from './debounce.js';
import { createSingleFlight } from './single-flight.js';
import { createContentIndex } from './content-index.js';
import { MAX_DATA_DIRECTORIES, MAX_DATA_FILES } from './data-files.js';
import { createFilter } from './filter.js';
import { createHashing } from './hashing.js';
import { createObserver } from './observer.js';
import { createTimeSlice, type TimeSlice } from './time-slice.js';
import { isBelow, labelOf, realOf, statOf } from './paths.js';
import { createRootLocations } from './root-locations.js';
import { parseRoot } from './roots.js';
import { thisSystem, type System } from './system.js';
import { createTree, type FileToHash } from './tree.js';
import type { WarningCode, Watch, WatchCallbacks, WatchOptions } from './types.js';

export type { Change, Mark, Watch, WatchCallbacks, WatchOptions } from './types.js';

/** Paths with an event, and whether an entry may have been created, deleted or replaced there. */
type Pending = ReadonlyMap<string, boolean>;

/**
 * How many times a check goes on with paths that became dirty during it. A file that is written all the time must not
 * keep a request waiting.
 */
const MAX_ROUNDS = 8;

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
  const contents = createContentIndex();
  const unchanged: string[] = [];
  let pending = new Map<string, boolean>();
  let isLost = false;
  let isSweeping = false;
  let isReady = false;

  const isDirty = (): boolean => pending.size > 0 || isLost;
  const singleFlight = createSingleFlight(isDirty, () => guarded(processDirty));
  let hasUnreportedChange = false;
  const debouncer = createDebouncer(options.debounce, () => {
    if (!isDirty() && !hasUnreportedChange) return;
    hasUnreportedChange = false;
    callbacks.onQuiet();
  });

  function warn(code: WarningCode, about: string, text: string): void {
    if (warned.has(code + about)) return;
    warned.add(code + about);
    callbacks.warn({ code, text });
  }

  function onEventsLost(): void {
    isLost = true;
    debouncer.trigger();
  }

  const observer = createObserver({
    poll: options.poll,
    system,
    onEventsLost,
    isWanted,
    onEntryChanged(directory, name, made) {
      const path = join(directory, name);
      const known = pending.get(path);
      // One save causes several events, and a checkout causes thousands in one turn.
      if (known === undefined && !isWanted(directory, name, path)) return;
      if (known === undefined || made) pending.set(path, made);
      debouncer.trigger();
    },
    isListed: (path) => tree.directories.has(path),
    needed: () => [...tree.directories.keys(), ...locations.watchedParents, ...hashing.targetParents.keys()],
    isNeeded: (path) =>
      tree.directories.has(path) || locations.watchedParents.has(path) || hashing.targetParents.has(path),
    recheckAll() {
      isLost = true;
      const before = contents.version;
      return singleFlight.run().then(() => {
        if (contents.version === before || closing.signal.aborted) return;
        hasUnreportedChange = true;
        debouncer.trigger();
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
    onCrowded(path: string, what: 'files' | 'directories') {
      const label = labelOf(path, options.cwd) || '.';
      const text =
        what === 'files'
          ? `${label} holds more than ${MAX_DATA_FILES} data files: they are taken for a store and not watched.`
          : `There are more than ${MAX_DATA_DIRECTORIES} directories that may hold data files: ${label} and others are not watched for them.`;
      warn('crowded', what === 'files' ? path : '', `${text} --also-watch names those that the server reads.`);
    },
    same(path: string, touched: boolean) {
      // Not every file that is hashed again was saved: a sweep also hashes files whose stamps are too young to count,
      // and a late event may be about a change that a sweep has seen before.
      if (touched || (observer.isPrompt && !isSweeping)) unchanged.push(labelOf(path, options.cwd));
    },
  };
  const tree = createTree({
    ...shared,
    onListed: (directory, listing) => hashing.recordListing(directory, listing),
  });
  const hashing = createHashing({ ...shared, since: options.since, isPending: (path) => pending.has(path) });
  const { expectChanges, observe } = observer;
  const locations = createRootLocations({ ...shared, roots, tree, hashing, expectChanges, observe });

  function isWanted(directory: string, name: string, path = join(directory, name)): boolean {
    return locations.isAnchor(path) || hashing.linksTo(path).size > 0 || tree.isRelevant(directory, name);
  }

  async function baseline(): Promise<void> {
    // Two turns of the event loop first: a server that comes up gets at once what the client has sent. No edit is lost
    // by it: the inode time of a file that is saved before it is hashed is later than the start of the server.
    await nextTurn();
    await nextTurn();
    const slice = createTimeSlice(closing.signal);
    const found: FileToHash[] = [];
    try {
      await locations.locateRoots(undefined, found, slice);
      const optional = new Set(options.rules.flatMap((rule) => (rule.optional === true ? rule.paths : [])));
      for (const { text, glob } of await locations.missing(slice)) {
        if (optional.has(text)) continue;
        warn(
          'missing',
          text,
          `${text} ${glob ? 'matches no file' : 'does not exist'} yet. It is watched as soon as it does.`,
        );
      }
      const files = found.length + locations.namedFiles().length;
      const ms = performance.now() - opened;
      callbacks.began?.({ files, directories: tree.directories.size, mode: observer.mode, ms });
      await hashing.hashFiles(found, slice);
    } finally {
      hashing.endBaseline();
      contents.endBaseline();
      isReady = true;
    }
    await processDirty();
  }

  async function processDirty(): Promise<void> {
    const slice = createTimeSlice(closing.signal);
    const before = contents.version;
    for (let round = 0; round < MAX_ROUNDS && isDirty() && !closing.signal.aborted; round++) {
      const [batch, all] = [pending, isLost];
      pending = new Map();
      isLost = false;
      isSweeping = all;
      const found: FileToHash[] = [];
      const walked = await locations.locateRoots(all ? undefined : [...batch.keys()], found, slice);
      if (!all) await visit(batch, walked, found, slice);
      await locations.rewalkDropped(found, slice);
      await hashing.hashFiles(found, slice);
    }
    const same = unchanged.splice(0);
    if (contents.version === before && same.length > 0) callbacks.unchanged?.([...new Set(same)]);
  }

  async function visit(
    batch: Pending,
    walked: ReadonlySet<string>,
    found: FileToHash[],
    slice: TimeSlice,
  ): Promise<void> {
    for (const [path, made] of batch) {
      const turn = slice();
      if (turn) await turn;
      await tree.visit(path, made, found, slice, walked);
      await visitLinks(hashing.linksTo(path), found, slice);
    }
    for (const { directory, name } of hashing.hasLinks ? found.slice() : []) {
      const turn = slice();
      if (turn) await turn;
      await visitLinks(hashing.linksTo(directory.prefix + name), found, slice);
    }
    await visitLinks(hashing.broken, found, slice);
  }

  async function findEmptied(): Promise<void> {
    const slice = createTimeSlice(closing.signal);
    const find = (key: string, path: string): void => {
      if (hashing.wasEmptied(key, path)) pending.set(path, pending.get(path) ?? false);
    };
    for (const directory of tree.directories.values()) {
      for (const name of directory.files.keys()) {
        const turn = slice();
        if (turn) await turn;
        find(directory.label + name, directory.prefix + name);
      }
    }
    for (const [key, path] of locations.namedFiles()) find(key, path);
  }

  async function visitLinks(links: ReadonlySet<string>, found: FileToHash[], slice: TimeSlice): Promise<void> {
    for (const link of links) {
      if (statOf(link)?.isSymbolicLink()) await tree.visit(link, true, found, slice);
      else hashing.unlink(link);
    }
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (closing.signal.aborted) return;
      // The state is unknown after an error, so the next check looks at all files.
      isLost = true;
      warn('failed', String(error), `Watching failed: ${String(error)}. The next change or request tries again.`);
    }
  }

  return {
    get dirty() {
      return isDirty() || singleFlight.isRunning || !isReady;
    },
    get saves() {
      return contents.saves;
    },
    get needsSweep() {
      return !observer.isPrompt;
    },
    ready: singleFlight.first(() => guarded(baseline)),
    check() {
      if (!observer.isPrompt) isLost = true;
      return singleFlight.run();
    },
    sweep() {
      isLost = true;
      return singleFlight.run();
    },
    async findEmptied() {
      // Elsewhere each check looks at all files, and the first look of all waits for the content of what is empty.
      if (observer.isPrompt && isReady) await guarded(findEmptied);
    },
    mark: contents.mark,
    release: contents.release,
    changedSince: contents.changedSince,
    touchedSince: contents.touchedSince,
    fingerprint: contents.fingerprint,
    prepare: (rules) => guarded(() => contents.prepare(rules, createTimeSlice(closing.signal))),
    changedAt: contents.changedAt,
    accept(paths) {
      for (const path of paths) contents.accept(path);
    },
    acceptFor(mark, paths, since) {
      for (const path of paths) contents.acceptFor(mark, path, since);
    },
    distrust(changes) {
      for (const { path, rules } of changes) contents.distrust(path, rules);
    },
    async close() {
      closing.abort();
      debouncer.clear();
      await Promise.all([observer.close(), singleFlight.idle()]);
    },
  };
}
