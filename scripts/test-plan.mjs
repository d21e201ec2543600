// Says what `npm test` is about to do and how long that takes, before anything is installed. What it does is
// setup.mjs's, build.mjs's and test.mjs's.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(`${root}test`, { recursive: true }).filter((file) => file.endsWith('.test.ts'));
const setUp = existsSync(`${root}node_modules/.setup-stamp`)
  ? 'what is new in yarn.lock'
  : 'all packages, once, a minute or two';

console.log(`npm test does three things:
  1. set-up: installs ${setUp}
  2. build: some ten seconds
  3. tests: ${files.length} files, or those whose path has a word of yours in it (npm test -- cli/explain). All of them took about
     eight minutes on an idle machine with two cores, and fifteen to twenty beside other work.`);
