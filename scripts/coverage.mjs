// `npm run prove coverage`: runs the tests (all, or those that the arguments name) with coverage and fails where too
// little of src is run. Every process of a test counts, the proxies above all; one that is killed can't tell what it
// ran. The bin runs tsc's output here instead of the bundle, which has no place for what was left out of it and would
// pass that for run. The report is c8's, in coverage/.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'coverage');
const [raw, kept] = [join(folder, 'raw'), join(folder, 'tmp')];
const dist = pathToFileURL(join(root, 'dist/')).href;
const bundle = `${dist}bundle/`;

/**
 * In per cent, of all files together that a pattern matches. What decides a reload is run in every branch;
 * pairs.test.ts says more.
 */
const gates = [
  { files: /^src\/(lineage\/(state|backoff)|lists\/compare)\.ts$/, lines: 100, branches: 100 },
  { files: /^src\/(exchange|session)\//, lines: 98 },
  { files: /^src\//, lines: 95 },
];

const begin = performance.now();
rmSync(folder, { recursive: true, force: true });
for (const directory of [raw, kept]) mkdirSync(directory, { recursive: true });
const filters = process.argv.slice(2);
const tests = await run(['scripts/test.mjs', ...filters], {
  NODE_V8_COVERAGE: raw,
  HOTLINE_TEST_BIN: join(root, 'dist/cli/main.js'),
});
sift();
const ran = performance.now();
const report = ['report', '--all', '--include=dist/**/*.js', '--exclude=dist/bundle/**', '--merge-async'];
const made = await run(['node_modules/c8/bin/c8.js', ...report, '--reporter=html', '--reporter=json-summary'], {});
rmSync(raw, { recursive: true, force: true });
rmSync(kept, { recursive: true, force: true });
const all = made === 0 ? summary() : [];
print(all);
console.log(`tests ${seconds(begin, ran)} s, report ${seconds(ran, performance.now())} s: coverage/index.html`);
const complaints = filters.length > 0 || made !== 0 ? [] : tooLittle(all);
for (const complaint of complaints) console.error(`coverage: ${complaint}`);
process.exitCode = tests === 0 && made === 0 && complaints.length === 0 ? 0 : 1;

/** Meanwhile, what the processes leave is sifted: all of it together would fill the disk. */
async function run(args, env) {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  let code;
  child.on('exit', (exit) => (code = exit ?? 1));
  while (code === undefined) {
    await wait(1000);
    sift();
  }
  return code;
}

/** Keeps of each process what it ran of dist. One that is still writing is left for the next time. */
function sift() {
  for (const name of readdirSync(raw)) {
    try {
      const { result } = JSON.parse(readFileSync(join(raw, name), 'utf8'));
      const ours = result.filter(({ url }) => url.startsWith(dist) && !url.startsWith(bundle));
      if (ours.length > 0) writeFileSync(join(kept, name), JSON.stringify({ result: ours }));
      rmSync(join(raw, name));
    } catch {
      // It is not written to its end.
    }
  }
}

function summary() {
  const { total: _, ...each } = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8'));
  return Object.entries(each)
    .map(([file, counts]) => ({ file: relative(root, file).replaceAll('\\', '/'), ...counts }))
    .filter(({ file }) => !onlyTypes(file));
}

/** Nothing is left of types when they are compiled, and nobody loads that. */
function onlyTypes(file) {
  const compiled = readFileSync(join(root, file.replace(/^src/, 'dist').replace(/\.ts$/, '.js')), 'utf8');
  return /^export \{\};$/.test(compiled.replace(/\/\*[^]*?\*\/|^\/\/.*$/gm, '').trim());
}

function share(files, what) {
  const total = files.reduce((sum, file) => sum + file[what].total, 0);
  const covered = files.reduce((sum, file) => sum + file[what].covered, 0);
  return total === 0 ? 100 : (100 * covered) / total;
}

function print(files) {
  const folders = grouped(files);
  const row = (name, some) =>
    console.log(`${name.padEnd(16)} ${percent(share(some, 'lines'))} ${percent(share(some, 'branches'))}`);
  console.log(`${''.padEnd(16)} lines    branches`);
  for (const name of [...folders.keys()].sort((a, b) => a.localeCompare(b))) row(name, folders.get(name));
  row('all', files);
  const least = files.filter(({ lines }) => lines.covered < lines.total).sort((a, b) => missing(b) - missing(a));
  for (const file of least.slice(0, 15)) console.log(`  ${missing(file)} lines of ${file.file} are run by no test`);
}

function grouped(files) {
  const folders = new Map();
  for (const file of files) folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), file]);
  return folders;
}

function folderOf({ file }) {
  return file.split('/').slice(0, 2).join('/');
}

function missing({ lines }) {
  return lines.total - lines.covered;
}

function percent(value) {
  return `${value.toFixed(2).padStart(6)} %`;
}

function seconds(from, to) {
  return Math.round((to - from) / 1000);
}

function tooLittle(files) {
  return gates.flatMap(({ files: pattern, ...least }) => {
    const some = files.filter(({ file }) => pattern.test(file));
    return Object.entries(least)
      .map(([what, wanted]) => [what, wanted, share(some, what)])
      .filter(([, wanted, actual]) => some.length === 0 || actual < wanted)
      .map(
        ([what, wanted, actual]) =>
          `${actual.toFixed(2)} % of the ${what} of ${pattern.source}, ${wanted} % are wanted`,
      );
  });
}
