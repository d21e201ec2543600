// Finds processes that a server left behind, in whatever session or group: all of them inherit a variable with a mark.
// Linux only, where the environment of a process can be read.

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findMarked } from '../process/marked.js';

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Not MCP_HOTLINE_…: names of that form are options. */
export const SMOKE_MARK = 'HOTLINE_SMOKE';

/** How long a killed process may take to disappear, and how often that is checked, in milliseconds. */
const GRACE_MS = 1000;
const CHECK_EVERY_MS = 50;

export const canFindLeftovers = process.platform === 'linux';

/** Returns the processes that are still there after a moment, and kills them. */
export async function endLeftovers(mark: string): Promise<Leftover[]> {
  if (!canFindLeftovers) return [];
  let left = await marked(mark);
  for (let waited = 0; left.length > 0 && waited < GRACE_MS; waited += CHECK_EVERY_MS) {
    await delay(CHECK_EVERY_MS);
    left = await marked(mark);
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  return left;
}

async function marked(mark: string): Promise<Leftover[]> {
  const found = await findMarked(SMOKE_MARK, (value) => value === mark);
  return Promise.all(found.map(async ({ pid }) => ({ pid, command: await commandOf(pid) })));
}

/** Empty if it has ended meanwhile. */
async function commandOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').join(' ').trim();
}
