// A rule: a set of watched files, how to build them, and what to do then. A type of its own, so that the code that
// reads rules from a file and the code that carries them out do not depend on each other.

export interface Rule {
  name: string;
  watch: readonly string[];
  /** Directories, or globs, whose data files belong to the rule too. Only discovery adds them. */
  data?: readonly string[];
  build?: string;
  /** The paths that the build writes and the server runs; absolute. Only discovery adds them. */
  outputs?: readonly string[];
  /** A signal: the server reads its configuration again. `notify`: the server reloads itself. */
  then: 'restart' | 'continue' | 'notify' | NodeJS.Signals;
  /** The keys under which a watched YAML or JSON file names further files to watch, as in `import.*.path`. */
  imports?: string;
  /** The first tool result after its build says that it was built. */
  note?: boolean;
}
