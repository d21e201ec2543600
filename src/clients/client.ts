// What is known about one MCP client: where it reads its servers from, how it starts them, and what a developer should
// know about it. Types only; the clients themselves are in table.ts.

import type { Shape } from './shape.js';

/** How a fact is known: seen in a run of the client, read in its source or documentation, or told by others. */
export type Evidence = 'run' | 'source' | 'documentation' | 'hearsay';

/** Directories that a path can begin with; `places.ts` knows where they are on each platform. */
export type Root =
  /** Where the client is opened: the project's directory or one above it, up to the repository's. */
  | 'project'
  | 'home'
  /** `$XDG_CONFIG_HOME` or `~/.config`, on macOS too. */
  | 'config'
  /** Where applications keep their data: `~/Library/Application Support`, `%APPDATA%`, `~/.config`. */
  | 'applications';

/** One file of a client's, or several if a segment of the path is `*`. */
export interface FileSpec {
  readonly root: Root;
  /** Below the root, with forward slashes. */
  readonly path: string;
  /** `project`: what it says counts for one project only. */
  readonly scope: 'project' | 'user';
  readonly shape: Shape;
  /** On these platforms only. */
  readonly platforms?: readonly NodeJS.Platform[];
  /** A variable that names another directory instead of the root and all but the last segment of the path. */
  readonly directoryVariable?: string;
  /** Servers are kept by project, under the key that stands before this one: Claude Code's `projects`. */
  readonly byProject?: string;
  /** The client writes the file while it runs, from what it has in memory. */
  readonly rewritten?: true;
  /** Where this file's servers are started, if not where the client's others are. */
  readonly startsIn?: StartsIn;
}

/** The directory that servers are started in; `elsewhere` also where nobody knows. */
export type StartsIn = 'project' | 'elsewhere';

/** How variables are written that the client replaces in a command. */
export type Variables = '${V}' | '$V' | '${env:V}' | '{env:V}';

export interface Client {
  readonly id: string;
  readonly name: string;
  /** What it calls itself in `initialize`, where that is known; `…` at the end stands for anything. */
  readonly clientInfoName?: string;
  /** Project files first. */
  readonly files: readonly FileSpec[];
  /** Files and directories that are there where the client is, by root. */
  readonly signs: readonly {
    readonly root: Root;
    readonly path: string;
    readonly platforms?: readonly NodeJS.Platform[];
  }[];
  readonly startsIn: StartsIn;
  readonly variables: readonly Variables[];
  /** It replaces `${workspaceFolder}` by the project's directory. */
  readonly workspaceFolder?: true;
  /** Whether it shows new tools after `list_changed`; undefined where nobody knows. */
  readonly listChanged: { readonly heeds: boolean | undefined; readonly evidence?: Evidence; readonly note?: string };
  /** The one thing to know about it. */
  readonly note: string;
  /** What to do after its configuration has changed. */
  readonly afterWrap: string;
}
