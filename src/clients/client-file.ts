// Reads and writes the configuration file of a client. The file is replaced as a whole: mode and owner stay, a symbolic
// link to it stays a link, and a file that was changed since it was read is not written. documents.ts makes the new
// text.

import { access, constants, lstat, open, readFile, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import type { Result } from '../config/check.js';
import { tempName } from '../state/temp-files.js';
import { openStateFile } from '../state/state-file.js';

export interface ClientFile {
  /** As it was named. */
  readonly path: string;
  /** The real path, with all symbolic links resolved. */
  readonly realPath: string;
  /** With its byte order mark, if it has one. */
  readonly text: string;
  readonly bytes: Buffer;
}

export async function readClientFile(path: string): Promise<Result<ClientFile>> {
  try {
    const realPath = await realpath(path);
    const bytes = await contentOf(realPath);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, value: { path, realPath, text, bytes } };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, error: `${path} is not UTF-8 text` };
    return { ok: false, error: `${path} can't be read: ${(error as Error).message}` };
  }
}

/** Returns the file as it is now. */
export async function writeClientFile(file: ClientFile, text: string): Promise<Result<ClientFile>> {
  const { path, realPath } = file;
  const fail = (why: string): Result<never> => ({ ok: false, error: `${path} ${why}` });
  const bytes = Buffer.from(text);
  const temp = tempName(realPath);
  try {
    const { mode, uid, gid, nlink } = await lstat(realPath);
    if (nlink > 1) return fail('has another name (a hard link), which would keep the old text: edit it by hand');
    if ((mode & 0o222) === 0) return fail('is read-only');
    await access(realPath, constants.W_OK);
    const handle = await open(temp, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await giveTo(handle, { mode, uid, gid });
      await handle.sync();
    } finally {
      await handle.close();
    }
    // As late as possible, because another program may write between this check and the rename.
    if (!(await isAsRead(file))) return fail('has changed since it was read: nothing was written');
    await rename(temp, realPath);
    return { ok: true, value: { ...file, text, bytes } };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(code === 'EACCES' || code === 'EROFS' ? `is read-only: ${message}` : `can't be written: ${message}`);
  } finally {
    await rm(temp, { force: true }).catch(() => {});
  }
}

/** Reads regular files only, because reading a pipe would wait for ever. */
async function contentOf(path: string): Promise<Buffer> {
  const handle = await openStateFile(path);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function isAsRead({ path, realPath, bytes }: ClientFile): Promise<boolean> {
  try {
    return (await realpath(path)) === realPath && (await readFile(realPath)).equals(bytes);
  } catch {
    return false;
  }
}

/** The owner first: changing it takes bits of the mode away. Windows knows neither. */
async function giveTo(
  handle: FileHandle,
  { mode, uid, gid }: { mode: number; uid: number; gid: number },
): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
  await handle.chmod(mode & 0o7777);
}
