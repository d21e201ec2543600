// Keeps what `unwrap` will need and the file itself does not contain, in the user's state directory: one file of
// records for each file of a client, by its real path. If a record is lost, `unwrap` still works, but may not restore
// the exact bytes.

import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stateDir } from '../config/state-dir.js';
import { readStateFile, writeAtomically, type Written } from '../state/state-file.js';
import { isRecord } from './layout.js';
import type { Shape, Undo } from './shape.js';

/** Which entry: the file by its real path, where its servers stand, and the name. */
export interface EntryKey {
  readonly file: string;
  readonly servers: Shape['servers'];
  readonly name: string;
}

type Records = Readonly<Record<string, Undo>>;

export async function readUndo(key: EntryKey, env: NodeJS.ProcessEnv): Promise<Undo | undefined> {
  return (await readRecords(recordsFile(key, env)))[idOf(key)];
}

/**
 * To be called before the wrapped text is written: a record too many does no harm. Nothing to keep drops what an
 * earlier `wrap` kept.
 */
export async function keepUndo(key: EntryKey, undo: Undo | undefined, env: NodeJS.ProcessEnv): Promise<Written> {
  const file = recordsFile(key, env);
  const { [idOf(key)]: before, ...others } = await readRecords(file);
  const records: Records = undo === undefined ? others : { ...others, [idOf(key)]: undo };
  if (before === undefined && undo === undefined) return { ok: true };
  if (Object.keys(records).length > 0) return writeAtomically(file, `${JSON.stringify({ file: key.file, records })}\n`);
  await rm(file, { force: true }).catch(() => {});
  await rmdir(dirname(file)).catch(() => {});
  return { ok: true };
}

/** To be called once the unwrapped text is written. */
export function dropUndo(key: EntryKey, env: NodeJS.ProcessEnv): Promise<Written> {
  return keepUndo(key, undefined, env);
}

function recordsFile({ file }: EntryKey, env: NodeJS.ProcessEnv): string {
  return join(stateDir({ cwd: file, env }), 'unwrap.json');
}

function idOf({ servers, name }: EntryKey): string {
  return JSON.stringify([...servers, name]);
}

async function readRecords(file: string): Promise<Records> {
  try {
    const { records } = JSON.parse(await readStateFile(file)) as { records?: unknown };
    if (!isRecord(records)) return {};
    return Object.fromEntries(Object.entries(records).flatMap(([id, undo]) => (isUndo(undo) ? [[id, undo]] : [])));
  } catch {
    return {};
  }
}

function isUndo(value: unknown): value is Undo {
  if (!isRecord(value)) return false;
  const { args, command } = value;
  return (
    (args === undefined || args === 'absent' || args === 'empty') &&
    (command === undefined || typeof command === 'string')
  );
}
