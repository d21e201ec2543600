// Finds processes that a server left behind, however they got away: a variable that all of them inherit gives them
// away, also those that made themselves a session of their own. Linux only, where the environment of a process can be
// read.

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findMarked } from '../process/marked.js';

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Not MCP_HOTLINE_…: names of that form are options. */
export const MARK = 'HOTLINE_SMOKE';

/** What has been killed takes a moment to be gone. */
const GRACE = 1000;
const LOOK = 50;

export const canFindLeftovers = process.platform === 'linux';

/** Those that are still there after a moment; they are ended, so that a failed check leaves nothing behind either. */
export async function endLeftovers(mark: string): Promise<Leftover[]> {
  if (!canFindLeftovers) return [];
  let left = await marked(mark);
  for (let waited = 0; left.length > 0 && waited < GRACE; waited += LOOK) {
    await delay(LOOK);
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
  const found = await findMarked(MARK, (value) => value === mark);
  return Promise.all(found.map(async ({ pid }) => ({ pid, command: await commandOf(pid) })));
}

/** Empty if it has ended meanwhile. */
async function commandOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').join(' ').trim();
}
