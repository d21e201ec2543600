// What each generation of a fixture server was told, in order: the server notes it down where `JOURNAL` in its
// environment says.

import { existsSync, readFileSync } from 'node:fs';

export interface JournalEntry {
  generation: number;
  pid: number;
  line: string;
}

export function readJournal(file: string): JournalEntry[] {
  if (!existsSync(file)) return [];
  // What follows the last newline is being written, or nothing.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}
