// The shapes between the watch and its caller; what they mean in time is watch.ts's business.
import type { Change, Mark } from './content-index.js';

export type { Change, Mark };

export interface WatchRule {
  readonly name: string;
  readonly paths: readonly string[];
  /** Directories, or globs, of which the data files count too. */
  readonly data?: readonly string[];
  /** That some of them do not exist is nothing to tell anybody. */
  readonly optional?: boolean;
}

export interface WatchOptions {
  cwd: string;
  rules: readonly WatchRule[];
  /** Globs, on top of what is ignored by default. */
  ignore: readonly string[];
  /** Only these endings, if there are any. */
  ext: readonly string[];
  /** How long it has to be quiet, in milliseconds. */
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
  settled(): void;
  /** These files stirred, were hashed, and are what they were. */
  unchanged?(files: readonly string[]): void;
  warn(warning: { code: WarningCode; text: string }): void;
  /** Everything is watched; hashing it goes on. */
  began?(info: { files: number; directories: number; mode: 'events' | 'poll'; ms: number }): void;
}

export type WarningCode = 'missing' | 'unreadable' | 'polling' | 'failed' | 'crowded';

export interface Watch {
  /** Something stirred and has not been hashed yet. */
  readonly dirty: boolean;
  /**
   * Events come late, by polling or where they are not inotify's: whoever needs to know the disk as it is now has to
   * check.
   */
  readonly needsSweep: boolean;
  /** The baseline is hashed, and everything is watched. Look at what has changed since the opening mark then. */
  readonly ready: Promise<void>;
  /** Hashes what is dirty at the time of the call, or where a sweep is needed everything that stat can't vouch for. Never rejects. */
  check(): Promise<void>;
  /**
   * The same for everything that stat can't vouch for, whether it stirred or not: the kernel tells of a change after it
   * is there.
   */
  sweep(): Promise<void>;
  /** Remembers the present content, or what `like` does. Taken before `ready`, it stands for the content when the server was
   * started. */
  mark(like?: Mark): Mark;
  release(mark: Mark): void;
  changedSince(mark: Mark): readonly Change[];
  /** The same, and what was saved or touched since and is what it was: in between it may have been something else. */
  stirredSince(mark: Mark): readonly Change[];
  fingerprint(rule: string): string;
  /** Computes the fingerprints of these rules in slices: what they cover may be large, and most changes need none. */
  prepare(rules: readonly string[]): Promise<void>;
  /** When the file's inode last changed, in milliseconds since 1970, if it is there. Path as in a Change. */
  changedAt(path: string): number | undefined;
  /** What these files are now is what every mark remembers of them. Paths as in a Change. */
  accept(paths: readonly string[]): void;
  /** Takes that back: every mark differs from these data files. */
  distrust(changes: readonly Pick<Change, 'path' | 'rules'>[]): void;
  close(): Promise<void>;
}
