// How the file of an MCP client lays out its servers. Types only: the table of clients says which client has which
// shape, and formats/ knows the text.

/** `json` is strict: a comment or a trailing comma is a mistake, because the client's own parser refuses it. */
export type Format = 'json' | 'jsonc' | 'toml' | 'yaml';

export interface Shape {
  readonly format: Format;
  /**
   * Where the map or the list of servers stands: `['mcpServers']`, `['projects', '/home/me/project', 'mcpServers']`.
   */
  readonly servers: readonly string[];
  /** The servers are a list, and each has its name in this key. */
  readonly nameKey?: string;
  readonly command: string;
  /** Absent where `command` is a list that holds the arguments too. */
  readonly args?: string;
  readonly env: string;
}

export interface ServerEntry {
  readonly name: string;
  /**
   * Command and arguments as the client reads them; absent in an entry without a command (a server behind a URL) and in
   * a faulty one.
   */
  readonly words: readonly string[] | undefined;
  readonly url: string | undefined;
  readonly cwd: string | undefined;
  /** Names only: values are secrets. */
  readonly envNames: readonly string[];
  readonly keys: readonly string[];
  readonly disabled: boolean;
  /** Counted from 1. */
  readonly line: number;
  /** Why the client can't start it as it is written. */
  readonly problem?: string;
}

/** Where a text can't be parsed, and why. Line and column count from 1. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What a wrapped entry does not tell about the entry before. It goes to the state directory as JSON. */
export interface Undo {
  /** The arguments were not there, or an empty list. */
  readonly args?: 'absent' | 'empty';
  /** The command as it was spelled, where the wrapped entry does not tell that for certain. */
  readonly command?: string;
}
