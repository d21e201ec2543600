/**
 * Files of the state directory: written whole or not at all, readable by the user alone. A file that can't be written
 * is a value that says why, and never more than that (P14).
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
import { mkdir, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { draftOf } from './temp-files.js';

/** Without O_NONBLOCK the opening of a pipe would wait for its other end. Windows has no such pipes, and not the flag. */
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

/** For reading, and with the same care. */
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

export async function writeWhole(file: string, content: string | Buffer): Promise<Written> {
  const draft = draftOf(file);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, content, { flag: 'wx', mode: 0o600 });
    await rename(draft, file);
    return { ok: true };
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    return problem(file, error);
  }
}

/** For the little that has to be there before something else happens. */
export function writeWholeSync(file: string, content: string | Buffer): Written {
  const draft = draftOf(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600 });
    renameSync(draft, file);
    return { ok: true };
  } catch (error) {
    try {
      rmSync(draft, { force: true });
    } catch {
      // What can't be removed was never there, or can't be helped.
    }
    return problem(file, error);
  }
}

function problem(file: string, error: unknown): Written {
  return { ok: false, problem: `${file} can't be written: ${(error as Error).message}` };
}
