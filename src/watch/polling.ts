// The other source of events: chokidar, which polls every file with stat. It is used for --poll, and when the system
// has no more watches to give. Only its `raw` event is used: that one fires on any difference, a changed inode time
// included, while the other events need a later time stamp or another size.
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
  /**
   * The first look at new directories is over: what changed between listing them and it has not been reported. Or a
   * directory has changed that need not matter.
   */
  looked(): void;
}

export function openPolling(callbacks: SourceCallbacks, options: PollOptions): Source {
  const directories = new Set<string>();
  const closing = new AbortController();
  let watcher: FSWatcher | undefined;
  // chokidar takes what its first scan finds for the old state, so a change before that scan has no event.
  const looked = debounce(options.looked, options.interval);
  const isWanted = (path: string): boolean => directories.has(path) || options.isWanted(path);

  // Loaded only here, so that a start with events does not pay for it. Polling is the last resort of a system that
  // lacks a resource, and the lack may keep chokidar from being loaded: then each attempt to load it checks all files.
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
      // In a directory that is watched for one entry only, most changes don't matter.
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
      // close() removes our listeners, but work of chokidar may still fail: an error without a listener would be
      // thrown.
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
