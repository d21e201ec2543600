// Reads directories: their entries, sorted into files, links and directories, and the .gitignore files that apply.
// Large directories are read in pieces, since one readdir of 100,000 names would hold up the traffic. filter.ts decides
// which entries count.
import { lstatSync, opendirSync, readdirSync, readFileSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { below, parseLayer, type Layer } from './gitignore.js';
import { isProjectMarker } from './default-ignores.js';
import type { TimeSlice } from './time-slice.js';
import { parentsInProject } from './roots.js';

export interface Listing {
  readonly files: string[];
  readonly links: string[];
  readonly directories: string[];
  /** A manifest or a repository lies here. */
  top: boolean;
  /** The text of its .gitignore. */
  gitignore: string | undefined;
}

export type Listed = Listing | 'absent' | 'unreadable';

// In bytes as stat reports them: some thousand names on the file systems that report any.
const LARGE = 256 * 1024;

export function list(path: string, slice: TimeSlice): Listed | Promise<Listed> {
  const listing: Listing = { files: [], links: [], directories: [], top: false, gitignore: undefined };
  try {
    const stats = lstatSync(path);
    if (!stats.isDirectory()) return 'absent';
    if (stats.size > LARGE) return listInPieces(path, listing, slice);
    for (const entry of readdirSync(path, { withFileTypes: true })) sort(listing, path, entry);
    return listing;
  } catch (error) {
    return failure(error);
  }
}

async function listInPieces(path: string, listing: Listing, slice: TimeSlice): Promise<Listed> {
  try {
    const directory = opendirSync(path, { bufferSize: 256 });
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        sort(listing, path, entry);
        const turn = slice();
        if (turn) await turn;
      }
    } finally {
      directory.closeSync();
    }
    return listing;
  } catch (error) {
    return failure(error);
  }
}

function sort(listing: Listing, path: string, entry: Dirent): void {
  const { name } = entry;
  if (isProjectMarker(name)) listing.top = true;
  if (name === '.gitignore') listing.gitignore = gitignoreIn(path);
  else if (entry.isFile()) listing.files.push(name);
  else if (entry.isDirectory()) listing.directories.push(name);
  else if (entry.isSymbolicLink()) listing.links.push(name);
}

/** The .gitignore files of the directories above, as they are seen from `base`. */
export function gitignoresAbove(base: string, cwd: string): Layer[] {
  let layers: Layer[] = [];
  const chain = [...parentsInProject(base, cwd), base];
  for (const [index, path] of chain.slice(0, -1).entries()) {
    const text = gitignoreIn(path);
    if (text !== undefined) layers.push(parseLayer(text, ''));
    layers = below(layers, basename(chain[index + 1]!));
  }
  return layers;
}

/** Not if it is a link: git does not follow those either. */
function gitignoreIn(directory: string): string | undefined {
  const path = join(directory, '.gitignore');
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function failure(error: unknown): Listed {
  const { code, errno } = error as NodeJS.ErrnoException;
  if (errno === undefined) throw error;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unreadable';
}
