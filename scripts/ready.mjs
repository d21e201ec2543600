// Set-up and build, for the scripts of package.json that run what was built. What to install is setup.mjs's, what to
// compile build.mjs's: each in a process of its own, since the second needs packages that the first installs.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const script of ['scripts/setup.mjs', 'scripts/build.mjs']) {
  const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
