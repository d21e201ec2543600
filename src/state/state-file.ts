/**
 * Files of the state directory: written whole or not at all, readable by the user alone. A write that fails is a value
 * with the reason, and never an exception (P14, safe files). What the files contain is for the callers.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { link, mkdir, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tempName } from './temp-files.js';

/**
 * Without O_NONBLOCK the opening of a pipe would wait for its other end. Windows has no such pipes, and not the flag.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a state file. Only of a regular file: reading a pipe that somebody has put in its place would wait for
 * ever.
 */
export async function readStateFile(path: string): Promise<string> {
  const file = await openStateFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** The same for a small file that has to be known before something else happens. */
export function readStateFileSync(path: string): string {
  const file = openSync(path, FLAGS);
  try {
    if (!fstatSync(file).isFile()) throw new NotRegular(path);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Opens a state file for reading. Rejects with `NotRegular` if it is no regular file. */
export async function openStateFile(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new NotRegular(path);
}

export class NotRegular extends Error {
  constructor(path: string) {
    super(`${path} is not a regular file`);
  }
}

export type Written = { ok: true } | { ok: false; problem: string };

export async function writeAtomically(file: string, content: string | Buffer): Promise<Written> {
  const temp = tempName(file);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temp, content, { flag: 'wx', mode: 0o600 });
    await rename(temp, file);
    return { ok: true };
  } catch (error) {
    await rm(temp, { force: true }).catch(() => {});
    return problem(file, error);
  }
}

/**
 * Writes a file that must not exist yet, whole: whoever reads it at the same time sees nothing or all of it. A file
 * that exists is left as it is, and that is no problem.
 */
export async function createAtomically(file: string, content: string): Promise<Written> {
  const temp = tempName(file);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temp, content, { flag: 'wx', mode: 0o600 });
    await link(temp, file);
    return { ok: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems have no links.
    return code === 'EEXIST' ? { ok: true } : await writeAtomically(file, content);
  } finally {
    await rm(temp, { force: true }).catch(() => {});
  }
}

/** For a small file that has to be on the disk before the caller goes on. */
export function writeAtomicallySync(file: string, content: string | Buffer): Written {
  const temp = tempName(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temp, content, { flag: 'wx', mode: 0o600 });
    renameSync(temp, file);
    return { ok: true };
  } catch (error) {
    try {
      rmSync(temp, { force: true });
    } catch {
      // The temporary file was never made, or the directory can't be written: there is nothing to remove.
    }
    return problem(file, error);
  }
}

function problem(file: string, error: unknown): Written {
  return { ok: false, problem: `${file} can't be written: ${(error as Error).message}` };
}
