// Compiles src to dist and test to build/test, and removes what was compiled from sources that are gone, so that no
// deleted test runs and no deleted module ships. Both compilations check all types; the second one needs the first.
// What the bin runs is bundle.mjs's, what is published of the programmatic entry library.mjs's.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { library } from './library.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

prune('dist', 'src');
prune('build/test', 'test');
for (const project of ['tsconfig.json', 'test/tsconfig.json']) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}
if (!(await bundle())) process.exit(1);
library();

function prune(output, source) {
  if (!existsSync(join(root, output))) return;
  for (const entry of readdirSync(join(root, output), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (/^(bundle|lib)[/\\]/.test(relative(join(root, output), file))) continue;
    const compiled = /^(.*?)(\.d\.ts|\.js)(\.map)?$/.exec(relative(join(root, output), file));
    if (compiled && !existsSync(join(root, source, `${compiled[1]}.ts`))) rmSync(file);
  }
}
