// The types between the watch and its caller. watch.ts decides in which order the callbacks come.
import type { Change, Mark } from './content-index.js';

export type { Change, Mark };

export interface WatchRule {
  readonly name: string;
  readonly paths: readonly string[];
  /** Directories, or globs, of which the data files count too. */
  readonly data?: readonly string[];
  /** No warning if some of them do not exist. */
  readonly optional?: boolean;
}

export interface WatchOptions {
  cwd: string;
  rules: readonly WatchRule[];
  /** Globs, on top of what is ignored by default. */
  ignore: readonly string[];
  /** Only these endings, if there are any. */
  ext: readonly string[];
  /** Milliseconds without an event until the files count as quiet. */
  debounce: number;
  /** Milliseconds between two looks, instead of events. */
  poll: number | undefined;
  /** Absolute paths that are never watched, even if they are named. */
  never: readonly string[];
  /** When the server was started, in milliseconds since 1970. */
  since: number;
}

export interface WatchCallbacks {
  /** The debounce is over and something is dirty, or has turned out to be changed. */
  onQuiet(): void;
  /** These files had an event and were hashed, and their content is the same. */
  unchanged?(files: readonly string[]): void;
  warn(warning: { code: WarningCode; text: string }): void;
  /** Everything is watched; hashing it goes on. */
  began?(info: { files: number; directories: number; mode: 'events' | 'poll'; ms: number }): void;
}

export type WarningCode = 'missing' | 'unreadable' | 'polling' | 'failed' | 'crowded';

export interface Watch {
  /** There was an event whose file has not been hashed yet. */
  readonly dirty: boolean;
  /**
   * Events may come late (polling, or a system without inotify): a caller that needs the state of the disk now has to
   * call `check`.
   */
  readonly needsSweep: boolean;
  /** Grows with every file that a check has found saved, whatever its content. */
  readonly saves: number;
  /** Resolves when all files are watched and hashed. Look at what has changed since the opening mark then. */
  readonly ready: Promise<void>;
  /**
   * Hashes what is dirty at the time of the call, or where a sweep is needed everything that stat can't vouch for.
   * Never rejects.
   */
  check(): Promise<void>;
  /**
   * Hashes every file whose stamp may be out of date, whether it had an event or not: the kernel reports a change only
   * after it has happened.
   */
  sweep(): Promise<void>;
  /**
   * Looks which files are empty that were not when they were hashed, and makes them dirty. A save in place empties the
   * file first, and the kernel reports that only a moment later: tens of milliseconds on a busy machine. A server may
   * have read the nothing by then. It reads no file, and so is cheaper than a sweep.
   */
  findEmptied(): Promise<void>;
  /**
   * Remembers the present content, or what `like` does. Taken before `ready`, it stands for the content when the server
   * was started.
   */
  mark(like?: Mark): Mark;
  release(mark: Mark): void;
  changedSince(mark: Mark): readonly Change[];
  /** The same, and what was saved or touched since and is what it was: in between it may have been something else. */
  touchedSince(mark: Mark): readonly Change[];
  fingerprint(rule: string): string;
  /** Computes the fingerprints of these rules in slices: what they cover may be large, and most changes need none. */
  prepare(rules: readonly string[]): Promise<void>;
  /** When the file's inode last changed, in milliseconds since 1970, if it is there. Path as in a Change. */
  changedAt(path: string): number | undefined;
  /** What these files are now is what every mark remembers of them. Paths as in a Change. */
  accept(paths: readonly string[]): void;
  /**
   * The same for one mark. Unless `since` is undefined, only for files that both remember alike: of the others, what
   * had changed before `since` still counts.
   */
  acceptFor(mark: Mark, paths: readonly string[], since: Mark | undefined): void;
  /** Takes back an `accept`: every mark differs from these data files. */
  distrust(changes: readonly Pick<Change, 'path' | 'rules'>[]): void;
  close(): Promise<void>;
}
