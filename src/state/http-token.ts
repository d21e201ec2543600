/**
 * The token that clients over HTTP have to send. `--token auto` makes one and keeps it in a file of the state
 * directory, so that clients need not be configured anew at each start. The file is trusted only if nobody else can
 * have read or written it. The token itself is shown by the cli alone, and by nothing that writes a log.
 */
import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { createAtomically, readStateFile } from './state-file.js';

export interface ResolvedToken {
  /** What clients have to send; undefined: nothing. */
  readonly token: string | undefined;
  /** The file that holds it, if it was made here. */
  readonly file: string | undefined;
  /** It was made just now, so nobody has seen it yet. */
  readonly isNew: boolean;
}

type Resolved = { readonly ok: true; readonly value: ResolvedToken } | { readonly ok: false; readonly error: string };
type FileToken = { readonly kind: 'none' } | { readonly kind: 'token' | 'refused'; readonly text: string };

const FILE = 'http-token';
const RANDOM_BYTES = 32;
const TOKEN = /^[!-~]{16,1024}$/;

/** Where `--token auto` keeps it. */
export function tokenFile(stateDir: string): string {
  return join(stateDir, FILE);
}

export async function resolveToken({
  token,
  stateDir,
}: {
  readonly token: string | undefined;
  readonly stateDir: string;
}): Promise<Resolved> {
  if (token !== 'auto') return { ok: true, value: { token, file: undefined, isNew: false } };
  const file = tokenFile(stateDir);
  const kept = await readToken(file);
  if (kept.kind === 'token') return { ok: true, value: { token: kept.text, file, isNew: false } };
  if (kept.kind === 'refused') return { ok: false, error: `--token auto: ${kept.text}` };
  const made = randomBytes(RANDOM_BYTES).toString('base64url');
  const written = await createAtomically(file, `${made}\n`);
  if (!written.ok) return { ok: false, error: `--token auto: ${written.problem}` };
  // Another proxy may have made one at the same time: the file decides.
  const read = await readToken(file);
  if (read.kind === 'token') return { ok: true, value: { token: read.text, file, isNew: read.text === made } };
  return { ok: false, error: `--token auto: ${read.kind === 'none' ? `${file} was removed at once` : read.text}` };
}

async function readToken(file: string): Promise<FileToken> {
  const remedy = 'remove it, and another token is made';
  try {
    const stats = await lstat(file);
    if (!stats.isFile()) return { kind: 'refused', text: `${file} is not a regular file; ${remedy}` };
    const user = process.getuid?.();
    if (user !== undefined && stats.uid !== user)
      return { kind: 'refused', text: `${file} belongs to another user; ${remedy}` };
    // Windows has no such modes: there the file is as private as the user's own directories.
    if (user !== undefined && (stats.mode & 0o077) !== 0)
      return { kind: 'refused', text: `${file} can be read or written by other users; ${remedy}` };
    const text = (await readStateFile(file)).trim();
    if (!TOKEN.test(text)) return { kind: 'refused', text: `${file} holds no token; ${remedy}` };
    return { kind: 'token', text };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { kind: 'none' } : { kind: 'refused', text: `${file} can't be read: ${message}` };
  }
}
