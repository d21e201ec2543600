// Makes dist/lib, the programmatic entry as it is published: a module that hands out what dist/bundle has, and the
// declarations that its types need, out of those that tsc made of all sources.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist/lib');

const entry = `// The bundle is CommonJS, which Node loads faster; whoever imports this gets a module.
import bundle from '../bundle/index.cjs';

export const { createProxy } = bundle;
`;

export function library() {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, 'index.js'), entry);
  for (const file of declarations('index.d.ts')) cpSync(join(root, 'dist', file), join(output, file));
}

/** The file and all that it names, directly or not. */
function declarations(first) {
  const found = new Set([first]);
  for (const file of found) {
    const text = readFileSync(join(root, 'dist', file), 'utf8');
    for (const [, named] of text.matchAll(/(?:from |import\()['"](\.[^'"]*)\.js['"]/g)) {
      found.add(join(dirname(file), `${named}.d.ts`));
    }
  }
  return found;
}
