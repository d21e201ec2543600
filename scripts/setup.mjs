// Installs what yarn.lock says, by a Yarn that npx fetches: a fresh clone needs Node and npm only. Does nothing when
// the installed tree is already that of the present lock file and manifest. Building is left to build.mjs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.setup-stamp`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const wanted = createHash('sha256')
  .update(readFileSync(`${root}yarn.lock`))
  .update(JSON.stringify([manifest.packageManager, manifest.dependencies, manifest.devDependencies]))
  .digest('hex');

if (installed() !== wanted) {
  const yarn = manifest.packageManager.replace('yarn@', '@yarnpkg/cli-dist@');
  const { status } = spawnSync('npx', ['--yes', yarn, 'install', '--immutable'], {
    cwd: root,
    env: withoutCallersOptions(process.env),
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, wanted);
}

/** Below `npm install -g .` or `npm pack --dry-run`, npx would take these for its own options, and fetch nothing. */
function withoutCallersOptions(env) {
  const isCallers = (name) => /^npm_config_(global|location|dry_run|local_prefix|workspaces?)$/i.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isCallers(name)));
}

function installed() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}
