// Keeps the directories under observation, by events as long as the system has watches to give and by polling from then on.
// The rest of the folder need not know which; only the caller of a check does.
import { basename, dirname } from 'node:path';
import { openPolling } from './polling.js';
import { openEvents, type Source, type SourceCallbacks } from './source.js';

export interface ObserverOptions extends SourceCallbacks {
  /** Milliseconds between two looks; events without. */
  poll: number | undefined;
  isWanted(directory: string, name: string): boolean;
  isListed(directory: string): boolean;
  /** Every directory that has to be under observation. */
  needed(): Iterable<string>;
  isNeeded(directory: string): boolean;
  /** The text says why, what to do about it, and what comes next. */
  fellBack(text: string): void;
  /** Something may have changed that no event has told or will tell of. */
  unsure(): void;
}

export interface Observer {
  readonly mode: Source['mode'];
  observe(directory: string): void;
  unobserve(directory: string): void;
  close(): Promise<void>;
}

const DEFAULT_POLL = 2000;
const REMEDIES = new Map([
  ['ENOSPC', 'raise fs.inotify.max_user_watches with sysctl'],
  ['EMFILE', 'raise fs.inotify.max_user_instances with sysctl, or the limit of open files (ulimit -n)'],
  ['ENFILE', 'raise the limit of open files (fs.file-max)'],
]);

export function createObserver(options: ObserverOptions): Observer {
  let source = options.poll === undefined ? openEvents(options) : poll();

  function poll(): Source {
    const isWanted = (path: string): boolean => options.isWanted(dirname(path), basename(path));
    const interval = options.poll ?? DEFAULT_POLL;
    return openPolling(options, { interval, isWanted, isListed: options.isListed, looked: options.unsure });
  }

  return {
    get mode() {
      return source.mode;
    },

    observe(directory) {
      const error = source.add(directory);
      const remedy = REMEDIES.get(error?.code ?? '');
      // Any other error: the directory is gone or closed to us, and listing it will tell.
      if (error === undefined || remedy === undefined) return;
      void source.close();
      source = poll();
      source.add(directory);
      for (const path of options.needed()) source.add(path);
      options.lost();
      options.fellBack(
        `The system has no more watches to give (${error.code}): ${remedy}. Polling instead until then.`,
      );
    },

    unobserve(directory) {
      if (!options.isNeeded(directory)) source.remove(directory);
    },

    close: () => source.close(),
  };
}
