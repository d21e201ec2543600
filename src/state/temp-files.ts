// Names of temporary files: a file is written under such a name first and renamed when it is whole. The name carries
// the process that writes, so that what a killed process left behind can be told from what is being written now.

import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from './is-running.js';

const TEMP_NAME = /\.(\d+)\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function tempName(file: string): string {
  return `${file}.${process.pid}.${randomUUID()}`;
}

/** Removes the temporary files of processes that are gone. A file that can't be removed stays. */
export async function removeStaleTempFiles(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const pid = TEMP_NAME.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dir, name), { force: true }).catch(() => {});
  }
}
