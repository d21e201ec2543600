/*
 * The fingerprint of what a build has written, as far as it is code that a server runs: what was deleted or changed
 * since has to be built anew. Data beside it does not count, since a server may write it. Which paths are outputs is
 * the caller's knowledge.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

const CODE = /\.([cm]?js|jsx|node|wasm)$/;
/** A directory with more files of code than this is no output worth reading at each start. */
const MAX_FILES = 5000;
/** So long the event loop is kept waiting, in milliseconds. */
const SLICE = 4;
const PIECE = 256 * 1024;

/** Of files and directories, by absolute path. Undefined if there are none to look at, or too many. */
export async function outputsFingerprint(paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const pause = pacer();
  const files = new Set<string>();
  for (const path of paths) {
    if (kindOf(path) !== 'directory') files.add(path);
    else if (!(await collect(path, files, pause))) return undefined;
  }
  const sum = createHash('sha256');
  const buffer = Buffer.allocUnsafe(PIECE);
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
    // Links to directories may lead back, or out.
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
      const length = readSync(file, buffer, 0, PIECE, null);
      if (length === 0) return sum.digest('hex');
      sum.update(buffer.subarray(0, length));
      if (length === PIECE) await pause();
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
function pacer(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE) return;
    await turn();
    began = performance.now();
  };
}
