/**
 * What a program that runs a proxy can learn of it: the events of `on(…)`, and what `status()` returns. Types only, and
 * of nothing else: they are published. programmatic.ts makes them of the events of the bus.
 */

/** What the listeners of each event are given. */
export interface ProxyEvents {
  /** A server has given its first answer; without reloading: its process has been started. */
  ready: { generation: number | undefined; pid: number | undefined };
  reloaded: {
    generation: number | undefined;
    pid: number | undefined;
    ms: number;
    /** The changed files that caused it, relative to the working directory. */
    files: readonly string[];
    /** Milliseconds by phase. */
    phases: Readonly<Record<string, number>>;
    /** What changed in the server's lists, like `+ tool add`. */
    changes: readonly string[];
  };
  failed: {
    /** What failed. `exit`: the server ended with code 0, though nobody had asked it to. */
    kind: 'build' | 'start' | 'crash' | 'exit' | 'era' | 'away' | 'configuration';
    command: string;
    /** How it failed, as the end of a sentence: `exited with code 1`. */
    how: string;
    /** The compiler's or the server's own words. */
    output: string;
    /** The server that crashed or did not start. */
    generation: number | undefined;
  };
  /** The proxy has ended, and every server with it. */
  exit: { code: number };
}

export interface ProxyStatus {
  state: 'starting' | 'serving' | 'reloading' | 'restarting' | 'failing' | 'closing' | 'closed';
  /** Of the server that serves, or that did so last. */
  generation?: number;
  pid?: number;
  /** Name and version, as the client gives them. */
  client?: string;
  /** What stands, if it is `failing`, or `reloading` because that is tried again. */
  failure?: { since: string; text: string; output: string; nextTry?: string };
  lastReload?: { at: string } & Omit<ProxyEvents['reloaded'], 'generation' | 'pid'>;
}

export interface Observed {
  /** Returns what ends it. */
  on<Name extends keyof ProxyEvents>(name: Name, listener: (event: ProxyEvents[Name]) => void): () => void;
  status(): ProxyStatus;
}
