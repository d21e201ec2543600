// Observes directories: by events as long as the system has watches to give and the file system reports changes, by
// polling from then on. Where events may be late or lost, it asks for a check of all files from time to time. The rest
// of the folder need not know which source is used; only the caller of a check does.
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openPolling } from './polling.js';
import { openEvents, type Source, type SourceCallbacks } from './source.js';
import { isInotify, withoutEvents, type System } from './system.js';

export interface ObserverOptions extends SourceCallbacks {
  /** Milliseconds between two looks; events without. */
  poll: number | undefined;
  system: System;
  isWanted(directory: string, name: string): boolean;
  isListed(directory: string): boolean;
  /** Every directory that has to be under observation. */
  needed(): Iterable<string>;
  isNeeded(directory: string): boolean;
  /** The text says why, what to do about it, and what comes next. */
  fellBack(text: string): void;
  /** There may be a change without an event, now or later. Resolves when all files have been checked. */
  recheckAll(): Promise<void>;
}

export interface Observer {
  readonly mode: Source['mode'];
  /**
   * The event of a change is delivered as soon as the event loop has polled. If not, only a check of all files tells
   * the state of the disk.
   */
  readonly isPrompt: boolean;
  observe(directory: string): void;
  unobserve(directory: string): void;
  /** The contents of files in this directory count: polls from now on if its file system does not tell of changes. */
  expectChanges(directory: string): void;
  close(): Promise<void>;
}

const DEFAULT_POLL = 2000;
const SWEEP_EVERY_MS = 2000;
/** At most one part in this many of the time is spent on sweeps, so a large tree is checked less often. */
const SWEEP_SHARE = 10;
const REMEDIES = new Map([
  ['ENOSPC', 'raise fs.inotify.max_user_watches with sysctl'],
  ['EMFILE', 'raise fs.inotify.max_user_instances with sysctl, or the limit of open files (ulimit -n)'],
  ['ENFILE', 'raise the limit of open files (fs.file-max)'],
]);

export function createObserver(options: ObserverOptions): Observer {
  const { platform } = options.system;
  const closing = new AbortController();
  let source = options.poll === undefined ? openEvents(options, isInotify(platform)) : poll();
  if (source.mode === 'events' && !isInotify(platform)) void sweepNowAndThen().catch(() => {});

  function poll(): Source {
    const isWanted = (path: string): boolean => options.isWanted(dirname(path), basename(path));
    const interval = options.poll ?? DEFAULT_POLL;
    const looked = (): void => void options.recheckAll();
    return openPolling(options, { interval, isWanted, isListed: options.isListed, looked });
  }

  function pollInstead(why: string): void {
    void source.close();
    source = poll();
    for (const path of options.needed()) source.add(path);
    options.onEventsLost();
    options.fellBack(why);
  }

  async function sweepNowAndThen(): Promise<void> {
    for (let took = 0; ;) {
      const pause = Math.max(SWEEP_EVERY_MS, took * (SWEEP_SHARE - 1));
      await delay(pause, undefined, { ref: false, signal: closing.signal });
      if (source.mode !== 'events') return;
      const began = performance.now();
      await options.recheckAll();
      took = performance.now() - began;
    }
  }

  return {
    get mode() {
      return source.mode;
    },

    get isPrompt() {
      return source.mode === 'events' && isInotify(platform);
    },

    observe(directory) {
      const error = source.add(directory);
      const remedy = REMEDIES.get(error?.code ?? '');
      // Any other error: the directory is gone or closed to us, and listing it will tell.
      if (error === undefined || remedy === undefined) return;
      pollInstead(`The system has no more watches to give (${error.code}): ${remedy}. Polling instead until then.`);
      source.add(directory);
    },

    unobserve(directory) {
      if (!options.isNeeded(directory)) source.remove(directory);
    },

    expectChanges(directory) {
      if (source.mode === 'poll') return;
      const name = withoutEvents(platform, options.system.fileSystemType(directory));
      if (name === undefined) return;
      pollInstead(
        `${directory} lies on a shared file system (${name}), where changes may come without events. Polling instead.`,
      );
    },

    async close() {
      closing.abort();
      await source.close();
    },
  };
}
