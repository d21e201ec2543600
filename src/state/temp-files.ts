// Names for files that are written under another name first, so that what a process leaves behind that was killed in
// the middle of it can be told from what is being written now, and removed.

import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from './is-running.js';

const ofProcess = /\.(\d+)\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function draftOf(file: string): string {
  return `${file}.${process.pid}.${randomUUID()}`;
}

/** Removes the drafts of processes that are gone. What can't be removed stays. */
export async function sweepDrafts(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const pid = ofProcess.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dir, name), { force: true }).catch(() => {});
  }
}
