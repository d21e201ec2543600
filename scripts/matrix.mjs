// `npm run prove matrix`: the test suite on every Node that is supported, one after the other, and a table of what came
// of it. `--only 22,24` takes some of them, `--markdown` prints the table for the docs; other arguments choose tests,
// as they do for test.mjs, which runs them. The Nodes that are not the present one are fetched from the npm registry
// into node_modules/.cache.
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fetchNode } from './fetch.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache/matrix');
mkdirSync(cache, { recursive: true });
const versions = ['20', '22', '24', '26'];

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, markdown: { type: 'boolean', default: false } },
});
const wanted = options.only?.split(',').map((version) => version.trim()) ?? versions;
const unknown = wanted.filter((version) => !versions.includes(version));
if (unknown.length > 0) fail(`--only takes some of ${versions.join(', ')}, not ${unknown.join(', ')}`);

const rows = [];
for (const version of wanted) {
  const node = fetchNode(version);
  const row = typeof node === 'string' ? await runSuite(version, node) : { name: version, note: node.problem };
  rows.push({ ...row, good: row.note === undefined });
}
console.log(`\n${table(rows)}`);
process.exitCode = rows.every(({ good }) => good) ? 0 : 1;

/** All output goes to a file; what failed is shown. */
async function runSuite(version, node) {
  const name = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const log = join(cache, `node-${version}.log`);
  console.log(`Node ${name}: running, all output in ${log}`);
  const begin = performance.now();
  // First on the PATH, so that whatever a test starts by name runs on it too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, [join(root, 'scripts/test.mjs'), ...filters], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  await new Promise((resolve) => file.end(resolve));
  const seconds = Math.round((performance.now() - begin) / 1000);
  const output = readFileSync(log, 'utf8');
  const counted = (what) => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? NaN);
  const row = { name, tests: counted('tests'), passed: counted('pass'), failed: counted('fail'), seconds };
  if (code === 0) return row;
  const from = output.indexOf('✖ failing tests:');
  console.log(from < 0 ? output.slice(-4000) : output.slice(from));
  return { ...row, note: row.failed > 0 ? 'tests failed' : `the run failed: ${lastLine(output)}` };
}

function lastLine(output) {
  return output.trimEnd().split('\n').at(-1);
}

function table(all) {
  const head = ['Node', 'tests', 'passed', 'failed', 'seconds', ''];
  const cells = all.map(({ name, tests, passed, failed, seconds, note }) =>
    [name, tests ?? '–', passed ?? '–', failed ?? '–', seconds ?? '–', note ?? 'good'].map(String),
  );
  if (options.markdown)
    return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
  const widths = head.map((_, at) => Math.max(...[head, ...cells].map((row) => row[at].length)));
  const line = (row) =>
    row.map((cell, at) => (at === 0 || at === 5 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])));
  return [head, ...cells].map((row) => line(row).join('  ').trimEnd()).join('\n');
}

function fail(message) {
  console.error(`matrix: ${message}`);
  process.exit(1);
}
