// What `wrap` puts in front of a server's command: the proxy and its options. Pure.

import { pathsOf } from './places.js';

export interface Installation {
  /** The Node that runs this program, and the bin that it runs; absolute. */
  readonly node: string;
  readonly bin: string;
}

export interface Wrapping {
  readonly platform: NodeJS.Platform;
  readonly installation: Installation;
  /** No path of this machine: for files that others use too. */
  readonly portable: boolean;
  /** Where node_modules with mcp-hotline is. */
  readonly project: string;
  /** Where the client starts the server; undefined if that is not in the project. */
  readonly startedIn: string | undefined;
  /** What the client replaces by the project's directory, as in `${workspaceFolder}`. */
  readonly projectVariable?: string | undefined;
  /** The server runs in the project's directory: said where the client starts it elsewhere. */
  readonly directory: string | undefined;
  /** As they were given. */
  readonly options: readonly string[];
}

const BIN = ['node_modules', 'mcp-hotline', 'bin', 'mcp-hotline.js'];

/** The words in front of the server's own, `--` included. */
export function prefixOf(wrapping: Wrapping): string[] {
  const { startedIn, directory, options } = wrapping;
  const cwd =
    startedIn !== undefined || directory === undefined || says(options, 'cwd')
      ? []
      : ['--cwd', directoryWord(wrapping, directory)];
  const tools = says(options, 'agent-tools') ? [] : ['--agent-tools', 'auto'];
  return [...programOf(wrapping), ...cwd, ...tools, ...options, '--'];
}

function programOf({ platform, installation, portable, project, startedIn }: Wrapping): string[] {
  if (!portable) return [installation.node, installation.bin];
  if (startedIn === undefined) return [...(platform === 'win32' ? ['cmd', '/c'] : []), 'npx', 'mcp-hotline'];
  const { join, relative } = pathsOf({ platform });
  // Forward slashes work on Windows too, and the file may be used on other systems.
  return ['node', relative(startedIn, join(project, ...BIN)).replaceAll('\\', '/')];
}

function directoryWord({ portable, projectVariable }: Wrapping, directory: string): string {
  return portable && projectVariable !== undefined ? projectVariable : directory;
}

/** Whether the words name this option, negated or not. */
export function says(words: readonly string[], option: string): boolean {
  return words.some((word) => [`--${option}`, `--no-${option}`].includes(word.replace(/=[^]*$/, '')));
}

/** The directory that the proxy is told to work in. */
export function cwdOption(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--cwd' || word.startsWith('--cwd='));
  if (at < 0) return undefined;
  return words[at] === '--cwd' ? words[at + 1] : words[at]?.slice('--cwd='.length);
}

/** A package runner's cache is emptied now and then: a path into it does not last. */
export function isTemporary({ bin }: Installation): boolean {
  return /[\\/](_npx|dlx-[^\\/]*|bunx-[^\\/]*|xfs-[^\\/]*)[\\/]|[\\/]pnpm[\\/]dlx[\\/]/.test(bin);
}
