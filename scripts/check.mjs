// Everything that is judged without running the product: types, schema, lint, format, unused code, the lock file. All
// of it runs even if a part fails, and each part is told in one line. Tests are left to test.mjs, the package to
// check-package.mjs.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (name, file) => `node_modules/${name}/${file}`;

let failed = false;
// First and alone, because the types of the tests come from the build.
await part('types', () => run('scripts/build.mjs'));
await part('schema', () => run('scripts/schema.mjs', '--check'));
await part('lint', () => run(tool('oxlint', 'bin/oxlint'), '--type-aware', '--deny-warnings'));
await part('format', () => run(tool('prettier', 'bin/prettier.cjs'), '--check', '--log-level=warn', '.'));
await part('unused', () => run(tool('knip', 'bin/knip.js'), '--no-progress', '--treat-config-hints-as-errors'));
await part('lock file', () => {
  const address = /^.*:\/\/.*$/m.exec(readFileSync(`${root}yarn.lock`, 'utf8'))?.[0];
  return address === undefined ? '' : `yarn.lock names an address: ${address.trim()}\n`;
});
process.exitCode = failed ? 1 : 0;

async function part(name, check) {
  const begin = performance.now();
  const complaint = await check();
  console.log(`${complaint === '' ? 'ok    ' : 'failed'}  ${name} (${Math.round(performance.now() - begin)} ms)`);
  if (complaint === '') return;
  console.log(complaint);
  failed = true;
}

/** The output of a tool that failed, or nothing. */
function run(script, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? '' : output || `it ended with code ${code}\n`));
  });
}
