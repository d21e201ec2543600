// What is known of one file, and its key in the content index. Data only.

/** What stat returned when the file was hashed. It only chooses which files to hash again (P5, content only). */
export interface Stamp {
  readonly size: number;
  readonly ctime: number;
  readonly ino: number;
}

export interface FileEntry extends Stamp {
  readonly digest: string;
  /** The inode time, as far as it is known. The stamp leaves a young time out, this one never. */
  readonly changed: number;
  readonly rules: readonly string[];
  /** Watched as data of the package, and named by nobody. */
  readonly data?: boolean;
}

/** A file that is named explicitly has an entry of its own, beside the one that it has in its directory. */
export function namedKey(path: string): string {
  return `\0${path}`;
}

export function pathOf(key: string): string {
  return key.startsWith('\0') ? key.slice(1) : key;
}
