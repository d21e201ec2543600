// What is known of one file, and the key that it is kept under. Data only.

/** What stat said when the file was hashed. It chooses what to hash again, and never decides. */
export interface Stamp {
  readonly size: number;
  readonly ctime: number;
  readonly ino: number;
}

export interface FileEntry extends Stamp {
  readonly digest: string;
  /** When the inode last changed, as far as is known: unlike the stamp's, never withheld. */
  readonly changed: number;
  readonly rules: readonly string[];
  /** Watched as data of the package, and named by nobody. */
  readonly data?: boolean;
}

/** A file that is named explicitly has an entry of its own beside the one of the directory that holds it. */
export function namedKey(path: string): string {
  return `\0${path}`;
}

export function pathOf(key: string): string {
  return key.startsWith('\0') ? key.slice(1) : key;
}
