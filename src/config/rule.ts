// A rule: a set of watched files, how to build them, and what to do then. The type only, because those who read it from
// a file and those who carry it out are not to depend on each other.

export interface Rule {
  name: string;
  watch: readonly string[];
  /** Directories, or globs, whose data files belong to it too. Only discovery adds them, and no file can say so. */
  data?: readonly string[];
  build?: string;
  /** Absolute: what the build writes and the server runs. Found, like `data`. */
  outputs?: readonly string[];
  /** A signal is for servers that re-read their configuration, `notify` for those that reload themselves. */
  then: 'restart' | 'continue' | 'notify' | NodeJS.Signals;
  /** Where a watched YAML or JSON file names further files to watch, as in `import.*.path`. */
  imports?: string;
  /** The first tool result after its build says that it was built. */
  note?: boolean;
}
