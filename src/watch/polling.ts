// The other source: chokidar, which asks stat for every file again and again. For --poll, and for when the system gives
// no more watches. Its `raw` event is all that is used: it fires on any difference, a changed inode time included,
// where the others want a later time stamp or another size.
import type { FSWatcher, watch as Poll } from 'chokidar';
import debounce from 'debounce';
import { basename, dirname, normalize } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Source, SourceCallbacks } from './source.js';

export interface PollOptions {
  interval: number;
  /** Whether a path is worth asking for. */
  isWanted(path: string): boolean;
  /** Whether all of a directory's entries matter. */
  isListed(directory: string): boolean;
  /** The first look at new directories is over: what changed between listing them and it has not been reported.
   * Or a directory stirred that need not matter. */
  looked(): void;
}

export function openPolling(callbacks: SourceCallbacks, options: PollOptions): Source {
  const directories = new Set<string>();
  const closing = new AbortController();
  let watcher: FSWatcher | undefined;
  // What its first look finds is the old state to chokidar, however new it is.
  const looked = debounce(options.looked, options.interval);
  const isWanted = (path: string): boolean => directories.has(path) || options.isWanted(path);

  // Loaded only here: it costs a start with events nothing. Polling is the last resort of a system that lacks
  // something, and that may keep it from being loaded: then each attempt to is a look at everything.
  async function start(): Promise<void> {
    for (; !closing.signal.aborted; await delay(options.interval, undefined, { ref: false, signal: closing.signal })) {
      const chokidar = await import('chokidar').catch(() => undefined);
      if (chokidar === undefined) options.looked();
      else return begin(chokidar.watch);
    }
  }

  function begin(watch: typeof Poll): void {
    if (closing.signal.aborted) return;
    watcher = withoutOverride(() =>
      watch([], {
        usePolling: true,
        interval: options.interval,
        binaryInterval: options.interval,
        // Directory by directory: the tree says which.
        depth: 0,
        ignored: (given) => !isWanted(normalize(given)),
        ignoreInitial: true,
        followSymlinks: false,
        atomic: false,
        persistent: false,
      }),
    );
    watcher.on('raw', (_, path) => {
      // Of a directory that is watched for one entry only, most changes mean nothing.
      if (directories.has(path)) (options.isListed(path) ? callbacks.onEventsLost : looked)();
      else callbacks.onEntryChanged(dirname(path), basename(path), true);
    });
    watcher.on('error', () => callbacks.onEventsLost());
    watcher.add([...directories]);
    looked();
  }

  const started = start().catch(() => {});

  return {
    mode: 'poll',
    add(directory) {
      if (directories.has(directory)) return undefined;
      directories.add(directory);
      watcher?.add(directory);
      if (watcher) looked();
      return undefined;
    },
    remove(directory) {
      if (directories.delete(directory)) watcher?.unwatch(directory);
    },
    async close() {
      closing.abort();
      looked.clear();
      await started;
      const end = watcher?.close();
      // It has dropped our listeners, and what it still had under way may yet fail: without one, that would be thrown.
      watcher?.on('error', () => {});
      await end;
    },
  };
}

// chokidar lets two environment variables overrule its caller. They are meant for programs that have no --poll.
function withoutOverride<T>(make: () => T): T {
  const { CHOKIDAR_USEPOLLING: polling, CHOKIDAR_INTERVAL: interval } = process.env;
  delete process.env['CHOKIDAR_USEPOLLING'];
  delete process.env['CHOKIDAR_INTERVAL'];
  try {
    return make();
  } finally {
    if (polling !== undefined) process.env['CHOKIDAR_USEPOLLING'] = polling;
    if (interval !== undefined) process.env['CHOKIDAR_INTERVAL'] = interval;
  }
}
