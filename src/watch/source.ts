// The source of raw events: one non-recursive fs.watch a directory, or polling by chokidar. Both only say that an entry
// may have changed; the rest of the folder finds out what it means. Events are ours and not chokidar's because it lists
// a directory before it watches it (a save in between is lost), holds one inotify watch a file, and speaks only after
// stat calls of its own.
import { readFileSync, watch, type FSWatcher } from 'node:fs';
import { setImmediate } from 'node:timers';
import { statOf } from './paths.js';

export interface Source {
  readonly mode: 'events' | 'poll';
  /**
   * Watches the entries of a directory, anew if another one may have taken its place. An error means that it can't be.
   */
  add(directory: string): NodeJS.ErrnoException | undefined;
  remove(directory: string): void;
  close(): Promise<void>;
}

export interface SourceCallbacks {
  /** An entry of a watched directory may have changed. `made`: it may have been created, deleted or replaced. */
  onEntryChanged(directory: string, name: string, made: boolean): void;
  /** Events were lost, so any file may have changed. */
  onEventsLost(): void;
}

interface Watcher {
  readonly watcher: FSWatcher;
  readonly identity: string | undefined;
}

/** `isInotify`: see system.ts. */
export function openEvents(callbacks: SourceCallbacks, isInotify: boolean): Source {
  const watchers = new Map<string, Watcher>();
  const limit = queueLimit();
  let burst = 0;

  // The kernel drops events when its queue is full, and libuv does not report that. A queue that overflowed is full
  // when it is read, so many events in one turn mean that some may be lost.
  function count(): void {
    if (burst++ === 0) setImmediate(() => (burst = 0)).unref();
    if (burst === limit) callbacks.onEventsLost();
  }

  function remove(directory: string): void {
    watchers.get(directory)?.watcher.close();
    watchers.delete(directory);
  }

  return {
    mode: 'events',
    remove,
    add(directory) {
      // Without inotify each request checks all files, so a watch is replaced only if it is on another directory.
      const identity = isInotify ? undefined : identityOf(directory);
      if (identity !== undefined && watchers.get(directory)?.identity === identity) return undefined;
      try {
        // The old watch is closed only when the new one exists, so that no event in between is missed.
        const watcher = watch(directory, { persistent: false }, (type, name) => {
          count();
          if (name === null) callbacks.onEventsLost();
          else callbacks.onEntryChanged(directory, name, type === 'rename');
        });
        // Windows reports the end of a watched directory like this; its parent reports it too.
        watcher.on('error', () => {
          if (watchers.get(directory)?.watcher === watcher) remove(directory);
          callbacks.onEventsLost();
        });
        remove(directory);
        watchers.set(directory, { watcher, identity });
        return undefined;
      } catch (error) {
        remove(directory);
        return error as NodeJS.ErrnoException;
      }
    },
    close() {
      for (const { watcher } of watchers.values()) watcher.close();
      watchers.clear();
      return Promise.resolve();
    },
  };
}

/** An inode number alone is no identity: the next directory may get the same one. */
function identityOf(directory: string): string | undefined {
  const stats = statOf(directory);
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeMs}`;
}

function queueLimit(): number {
  try {
    return Math.floor(Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'latin1')) / 2);
  } catch {
    return 8192;
  }
}
