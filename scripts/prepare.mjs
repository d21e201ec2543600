// What npm runs before it packs, links or installs from a clone or from git (`prepare`, `prepack`): installs what the
// build needs if it isn't there, and builds what is published. Nothing is done if that is what is there already. Says
// nothing on stdout, which may be npm's JSON.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/.prepared');

// An installation below may run this script again.
if (process.env.HOTLINE_PREPARES === undefined) await prepare();

async function prepare() {
  const sources = hashOf(['src', 'scripts', 'package.json', 'yarn.lock', 'tsconfig.json']);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources && existsSync(join(root, 'dist/bundle/main.cjs')))
    return;
  const needed = ['typescript/bin/tsc', 'esbuild/lib/main.js'];
  if (needed.some((file) => !existsSync(join(root, 'node_modules', file)))) {
    console.error('mcp-hotline: installing what the build needs …');
    run('scripts/setup.mjs');
  }
  console.error('mcp-hotline: building …');
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json');
  const { bundle } = await import('./bundle.mjs');
  if (!(await bundle())) process.exit(1);
  const { library } = await import('./library.mjs');
  library();
  writeFileSync(stamp, sources);
}

function run(script, ...args) {
  const env = { ...process.env, HOTLINE_PREPARES: '1' };
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 2, 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of filesIn(path))
      hash
        .update(file)
        .update('\0')
        .update(readFileSync(join(root, file)))
        .update('\0');
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
