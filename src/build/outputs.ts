// The fingerprint of a build's outputs, as far as they are code that a server runs: if an output was deleted or
// changed, the build has to run again. Data beside the code does not count, because a server may write it. The caller
// knows which paths are outputs.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

const CODE = /\.([cm]?js|jsx|node|wasm)$/;
/** A directory with more files of code than this is no output worth reading at each start. */
const MAX_FILES = 5000;
/** How long the event loop has to wait at most, in milliseconds. */
const SLICE_MS = 4;
const CHUNK_BYTES = 256 * 1024;

/** `paths`: files and directories, absolute. Undefined if there are none, or too many files. */
export async function outputsFingerprint(paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const pause = createPause();
  const files = new Set<string>();
  for (const path of paths) {
    if (kindOf(path) !== 'directory') files.add(path);
    else if (!(await collect(path, files, pause))) return undefined;
  }
  const sum = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (const path of [...files].sort()) {
    sum.update(`${path}\0${await digestOf(path, buffer, pause)}\n`);
    await pause();
  }
  return sum.digest('hex');
}

/** False if there are too many. */
async function collect(directory: string, files: Set<string>, pause: () => Promise<void>): Promise<boolean> {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    // Links to directories are not followed: they may lead back up, or out.
    if (entry.isDirectory()) {
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      if (!(await collect(path, files, pause))) return false;
    } else if (CODE.test(entry.name) && (entry.isFile() || kindOf(path) === 'file')) {
      files.add(path);
      if (files.size > MAX_FILES) return false;
    }
  }
  await pause();
  return true;
}

async function digestOf(path: string, buffer: Buffer, pause: () => Promise<void>): Promise<string> {
  let file: number | undefined;
  try {
    if (kindOf(path) !== 'file') return 'absent';
    file = openSync(path, 'r');
    const sum = createHash('sha256');
    for (;;) {
      const length = readSync(file, buffer, 0, CHUNK_BYTES, null);
      if (length === 0) return sum.digest('hex');
      sum.update(buffer.subarray(0, length));
      if (length === CHUNK_BYTES) await pause();
    }
  } catch {
    return 'unreadable';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() ? 'directory' : stats?.isFile() ? 'file' : undefined;
  } catch {
    return undefined;
  }
}

/** Gives the event loop a turn when a slice is over. */
function createPause(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await turn();
    began = performance.now();
  };
}
