// The paths of a client's files, by platform, home and environment. Pure; configurations.ts finds out which files
// exist.

import { posix, win32 } from 'node:path';
import type { Client, FileSpec, Root, StartsIn } from './client.js';
import type { Shape } from './shape.js';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A place where a client may keep servers. */
export interface Place {
  readonly client: Client;
  /** Absolute; one segment may be `*`. */
  readonly path: string;
  readonly scope: 'project' | 'user';
  readonly shape: Shape;
  /** The directory that the client is opened in, as far as this file is concerned. */
  readonly base: string;
  readonly startsIn: StartsIn;
  /** The client itself writes the file while it runs. */
  readonly rewritten: boolean;
}

/** `directories`: the current one and those above it that may hold project files, the nearest first. */
export function placesOf(client: Client, machine: Machine, directories: readonly string[]): Place[] {
  return client.files.flatMap((file) => {
    if (!isFor(file, machine)) return [];
    const startsIn = file.startsIn ?? client.startsIn;
    const common = { client, scope: file.scope, startsIn, rewritten: file.rewritten === true };
    const { join } = pathsOf(machine);
    if (file.root === 'project') {
      return directories.map((base) => ({ ...common, base, shape: file.shape, path: join(base, file.path) }));
    }
    const path = pathOf(file, machine);
    const { byProject } = file;
    if (byProject === undefined) return [{ ...common, base: directories[0] ?? '', shape: file.shape, path }];
    return directories.flatMap((base) =>
      spellings(base, machine).map((key) => ({
        ...common,
        base,
        path,
        shape: { ...file.shape, servers: [byProject, key, ...file.shape.servers] },
      })),
    );
  });
}

/** What tells that the client is used on this machine: files and directories, absolute. */
export function signsOf(client: Client, machine: Machine): string[] {
  const { join } = pathsOf(machine);
  return client.signs.filter((sign) => isFor(sign, machine)).map(({ root, path }) => join(rootOf(root, machine), path));
}

function pathOf({ root, path, directoryVariable }: FileSpec, machine: Machine): string {
  const { join, isAbsolute, basename } = pathsOf(machine);
  const named = directoryVariable === undefined ? '' : (machine.env[directoryVariable] ?? '');
  return isAbsolute(named) ? join(named, basename(path)) : join(rootOf(root, machine), path);
}

function rootOf(root: Root, machine: Machine): string {
  const { platform, home, env } = machine;
  const { join, isAbsolute } = pathsOf(machine);
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  const config = isAbsolute(xdg) ? xdg : join(home, '.config');
  if (root === 'home') return home;
  if (root === 'config') return config;
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : config;
}

/** As a key: on Windows with either slash. */
function spellings(directory: string, { platform }: Machine): string[] {
  return platform === 'win32' ? [...new Set([directory.replaceAll('\\', '/'), directory])] : [directory];
}

function isFor({ platforms }: { readonly platforms?: readonly NodeJS.Platform[] }, { platform }: Machine): boolean {
  const like = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  return platforms === undefined || platforms.includes(like);
}

export function pathsOf({ platform }: { readonly platform: NodeJS.Platform }): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
