// `npm run prove <name> [-- arguments]`: sets up, builds, and runs one of the long proofs with these arguments; without
// a name it lists them. What a proof does, and which arguments it takes, is left to its own file.
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** By name: the file, and what it proves. */
const proofs = {
  sim: ['build/test/sim/main.js', 'the reload flow on a simulated kernel, run by run: --runs <n>, --seed <n>'],
  faults: ['build/test/faults/main.js', 'kill -9 of any process at random moments: --rounds <n>, --seed <n>'],
  soak: [
    'build/test/soak/main.js',
    'constant calls while servers are edited, crashed, broken: --minutes <n>, --upstream',
  ],
  apart: ['build/test/e2e/apart/main.js', 'crowds of clients over stdio and HTTP, apart from each other: --times <n>'],
  fuzz: ['build/test/fuzz/main.js', 'random lines, compared with JSON.parse: --minutes <n>, --seed <n>'],
  freshness: ['build/test/bench/freshness.js', 'a save and a call at once, a thousand times a kind: --cycles <n>'],
  conformance: ['build/test/peers/main.js', 'the published conformance suite, with and without reloads: --every'],
  'conformance-http': [
    'build/test/peers/served-main.js',
    'the same, both eras, straight against serve: --only <parts>',
  ],
  http: ['build/test/e2e/http/main.js', 'every published client over HTTP, through edits and crashes: --rounds <n>'],
  upstream: [
    'build/test/e2e/upstream/main.js',
    'every published client of servers that speak HTTP themselves: --rounds <n>, --only <words>',
  ],
  inspector: ['build/test/peers/inspector-main.js', 'MCP Inspector lists and calls through serve, across edits'],
  matrix: ['scripts/matrix.mjs', 'the tests on every Node that is supported: --only 22,24, parts of paths'],
  coverage: ['scripts/coverage.mjs', 'the tests, and how much of src they run: parts of paths'],
  package: ['scripts/check-package.mjs', "the package as it would be published, by README's own lines"],
};

const [name = '', ...args] = process.argv.slice(2);
if (!Object.hasOwn(proofs, name)) {
  if (name !== '') console.error(`prove: there is no ${name}`);
  const width = Math.max(...Object.keys(proofs).map(({ length }) => length));
  const lines = Object.entries(proofs).map(([known, [, what]]) => `  ${known.padEnd(width)}  ${what}`);
  console.error(`usage: npm run prove <name> [-- arguments]\n${lines.join('\n')}`);
  process.exit(1);
}

await import('./ready.mjs');
const file = `${root}${proofs[name][0]}`;
process.argv.splice(1, Infinity, file, ...args);
process.setSourceMapsEnabled(true);
await import(pathToFileURL(file).href);
