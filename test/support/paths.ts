// Where things lie, seen from a compiled test: the repository, the built bin, the fixture servers, and one scratch
// directory a test process for everything that must not touch the user's home. Starts nothing.

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Another one where coverage is measured. */
export const bin = process.env['HOTLINE_TEST_BIN'] ?? join(root, 'bin/mcp-hotline.js');
const servers = join(root, 'fixtures/servers');

export const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-hotline-test-')));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
mkdirSync(join(scratch, 'empty'));

/** A directory with nothing in it: the default working directory, so that no configuration is found by accident. */
export const emptyDirectory = join(scratch, 'empty');

/** The command that runs a fixture server, e.g. `fixture('echo')` or `fixture('python-stdlib.py')`. */
export function fixture(name: string, ...args: string[]): string[] {
  if (name.endsWith('.py')) return ['python3', join(servers, name), ...args];
  return [process.execPath, join(servers, `${name}.mjs`), ...args];
}

let copies = 0;

/** The same, from a copy outside of this repository: what a proxy finds to watch there changes under nobody's hands. */
export function fixtureCopy(name: string, ...args: string[]): string[] {
  const directory = join(scratch, `servers-${++copies}`);
  cpSync(servers, directory, { recursive: true });
  const [command, file, ...rest] = fixture(name, ...args);
  return [command!, join(directory, basename(file!)), ...rest];
}
