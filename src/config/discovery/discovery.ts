// The types that the steps of discovery pass on: from the command to the target that it runs in the end, and from the
// target to what is watched. Types only.

import type { InstalledCopy } from '../installed-copy.js';
import type { BuildProposal } from '../build-proposal.js';
import type { Rule } from '../rule.js';
import type { LanguageName } from './languages.js';

/** One thing that was found out, for `explain`. */
export interface Fact {
  what: string;
  value: string;
  from: string;
}

export interface Discovery {
  /** In the order in which they are built; none if there is nothing to watch. */
  rules: Rule[];
  /** Globs. */
  ignore: string[];
  /** Only if the command leaves no choice. */
  strategy?: 'replace';
  /** One line for the log: what is watched, or that nothing is, and why. */
  why: string;
  /** That the command restarts the server by itself, if it does: a warning. */
  watcherWarning?: string;
  /** Why there is nothing to watch, if there is nothing. */
  reason?: string;
  /** The level of that line. `debug`: the program can't be run, and its start will report that. */
  level: 'info' | 'warn' | 'debug';
  facts: Fact[];
  /** The paths that a build writes, and the files that this result was read from; absolute. */
  outputs: string[];
  sources: string[];
  /** A copy of the sources runs instead of them. */
  copy?: InstalledCopy;
  /** The sources are unknown; these options would name them. */
  proposal?: BuildProposal;
  /** The source file that the command runs; absolute. Left out if a build makes it. */
  entry?: string;
  /** The file that the command names does not exist, and no build makes it. */
  isMissing?: true;
}

/** The options to watch and build a program whose manifest does not settle them. */
export interface Proposal {
  /** The values of --watch and --build. */
  readonly watch: string;
  readonly build: string;
  readonly doubt: string;
}

export interface DiscoveryInput {
  command: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Only these endings, instead of the language's own. */
  ext?: readonly string[];
  /** The build that the user named, or false for none; found if left out. */
  build?: string | false;
}

/** What the steps share. */
export interface Search {
  /** Shown paths and patterns are relative to it. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly facts: Fact[];
  /** Files that the command names besides its entry point: preloaded modules, environment files. */
  readonly named: string[];
  debugged: boolean;
  /** The program that restarts the server by itself, with the word that makes it do so. */
  watcher: string | undefined;
  /** The commands that run before the server. */
  readonly before: Ran[];
  /** The copy that runs instead of the sources. */
  copy: InstalledCopy | undefined;
}

/** A command as it is run, and where. */
export interface Ran {
  readonly words: readonly string[];
  readonly cwd: string;
}

/** A command on its way to the target, as it would be run. */
export interface Invocation extends Ran {
  readonly kind: 'command';
  /** Programs of installed packages (node_modules/.bin) come before those of the PATH. */
  readonly local?: boolean;
  /** The target if nothing is found behind the command: the script that names it. */
  readonly fallback?: Target;
}

/** What a command runs in the end. Paths are absolute. */
export type Target =
  /** A source file or a build output; `root` is where its imports start, if not at the file. */
  | {
      readonly kind: 'file';
      readonly language: LanguageName;
      readonly file: string;
      readonly root?: string;
      readonly tsconfig?: string;
    }
  | { readonly kind: 'project'; readonly language: LanguageName; readonly directory: string }
  /**
   * A program that is compiled from the sources in a directory; `build` is the command, `manifest` the file that tells
   * it.
   */
  | {
      readonly kind: 'made';
      readonly language: LanguageName;
      readonly file: string;
      readonly directory: string;
      readonly build: string;
      readonly manifest: string;
    }
  /** A program that is watched by itself, because its sources are unknown. */
  | { readonly kind: 'itself'; readonly file: string; readonly proposal?: Proposal }
  /** `reason` completes "nothing to watch was found: …". */
  | { readonly kind: 'nothing'; readonly reason: string; readonly absent?: true };

export type Nothing = Extract<Target, { kind: 'nothing' }>;
export type ResolveStep = Invocation | Target;

/** Resolves the arguments of a known program by one step. */
export type Runner = (args: readonly string[], invocation: Invocation, search: Search) => ResolveStep;

export function nothing(reason: string): Nothing {
  return { kind: 'nothing', reason };
}
