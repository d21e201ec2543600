// Reads a folder of the repository into a map of path to text, for the checks that judge the sources as text.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies in build/test/tidy. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Files under `folder` whose name ends with `ending`, by their path from `folder`, with forward slashes. */
export function readTree(folder: string, ending: string): Map<string, string> {
  const base = join(root, folder);
  const entries = readdirSync(base, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [relative(base, file).replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  );
}
