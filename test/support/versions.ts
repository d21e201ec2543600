// A project whose server says which version of its files it was started from, and saves of it with a call right behind:
// the question is only ever whether an answer is older than what had been saved when it was asked for. How many times,
// and on which proxy, is the caller's.

import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.js';
import type { Peer } from './peer.js';
import type { Project } from './project.js';

/** How a version is saved, and what else is going on at the time. */
export const kinds = [
  'in place',
  'in a new directory',
  'by a rename',
  'with calls in flight',
  'during reloads',
] as const;
export type Kind = (typeof kinds)[number];

export interface Tally {
  readonly cycles: number;
  /** Answers to calls, those in flight included. */
  readonly answers: number;
  /** What was asked for and what was answered, where the answer was older. */
  readonly stale: readonly string[];
}

/**
 * The files of the project: run `node server.mjs` in it, and watch `versions`. Its version is the greatest in there.
 */
export function versions(): Record<string, string> {
  const server = pathToFileURL(join(root, 'fixtures/servers/reloadable.mjs')).href;
  return {
    'versions/0': '0',
    'server.mjs': `
      import { readdirSync, readFileSync } from 'node:fs';
      import { join } from 'node:path';
      import { serve } from ${JSON.stringify(server)};
      const files = readdirSync('versions', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const found = files.map((entry) => Number(readFileSync(join(entry.parentPath, entry.name), 'utf8')));
      await serve({ answer: String(Math.max(...found)), lists: { tools: [{ name: 'version' }] } });
    `,
  };
}

/** Saves version after version, and calls at once after each. The session has to stand. */
export async function saveAndCall(peer: Peer, files: Project, kind: Kind, cycles: number): Promise<Tally> {
  const save = saving(files, kind);
  const stale: string[] = [];
  let saved = 0;
  let answers = 0;
  const call = async (): Promise<void> => {
    const asked = saved;
    const { result } = await peer.request('tools/call', { name: 'version' }, { deadline: 60_000 });
    answers += 1;
    const version = Number(result?.content[0].text);
    if (!(version >= asked)) stale.push(`${asked}: ${JSON.stringify(result)}`);
  };
  const stream = new AbortController();
  const inFlight = kind === 'with calls in flight' ? [1, 2, 3].map(() => keepCalling(call, stream.signal)) : [];
  for (let version = 1; version <= cycles; version += 1) {
    // At every moment of a reload: the next save comes at another one each time.
    if (kind === 'during reloads') await delay((version * 37) % 160);
    save((saved = version));
    const called = call();
    if (kind !== 'during reloads' || version % 8 === 0 || version === cycles) await called;
  }
  stream.abort();
  await Promise.all(inFlight);
  return { cycles, answers, stale };
}

async function keepCalling(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await call();
}

function saving(files: Project, kind: Kind): (version: number) => void {
  switch (kind) {
    case 'in a new directory':
      return (version) => files.write(`versions/by-50/${Math.floor(version / 50)}/${version}/file`, String(version));
    case 'by a rename':
      return (version) => files.writeAtomic('versions/0', String(version));
    default:
      return (version) => files.write('versions/0', String(version));
  }
}
