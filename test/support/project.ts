// A temporary directory with files that a test edits the way people and editors do: in place, atomically, by touch, by
// deletion. Removed when the test ends. Knows nothing of what watches it.

import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';

export interface Project {
  readonly directory: string;
  /** The absolute path of a file in the project. */
  path(file: string): string;
  /** Writes in place, making directories as needed. Has returned = has been saved. */
  write(file: string, content: string | Buffer): void;
  /** Writes a temporary neighbour and renames it over the file. */
  writeAtomic(file: string, content: string | Buffer): void;
  /** New time stamps, same content. */
  touch(file: string): void;
  /** Removes a file or a directory. */
  remove(file: string): void;
}

export function project(t: TestContext, files: Record<string, string | Buffer> = {}): Project {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-hotline-project-')));
  cleanup(t, () => rmSync(directory, { recursive: true, force: true }));
  let temporary = 0;
  const path = (file: string) => join(directory, file);
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), content);
  };
  for (const [file, content] of Object.entries(files)) write(file, content);
  return {
    directory,
    path,
    write,
    writeAtomic(file, content) {
      const beside = `${file}.${++temporary}.tmp`;
      write(beside, content);
      renameSync(path(beside), path(file));
    },
    touch(file) {
      const now = new Date();
      utimesSync(path(file), now, now);
    },
    remove: (file) => rmSync(path(file), { recursive: true }),
  };
}
