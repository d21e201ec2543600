// Judges the package as it would be published: what is in it and how much, publint, attw, and that it can be installed in every way that README
// tells: from a clone, from the packed file, into a project, globally, with and without install scripts. All of it happens in a temporary
// directory with a home and a cache of its own; publishing is left to people.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'hotline-package-'));
const unpacked = join(scratch, 'package');

const shell = process.platform === 'win32';
const npm = shell ? 'npm.cmd' : 'npm';

try {
  const packed = execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell,
  });
  const tarball = join(scratch, JSON.parse(packed)[0].filename);
  execFileSync('tar', ['-xzf', tarball, '-C', scratch]);

  const problems = [...unwantedFiles(), ...excess()];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  tool('publint/src/cli.js', 'run', '--strict', tarball);
  tool(
    '@arethetypeswrong/cli/dist/index.js',
    tarball,
    '--profile',
    'esm-only',
    '--format',
    'ascii',
    '--no-emoji',
    '--no-color',
  );
  intoProject(tarball);
  intoProject(tarball, '--ignore-scripts');
  globally(tarball);
  fromClone();
} catch (error) {
  console.error(`package: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function files() {
  return readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
}

function unwantedFiles() {
  const wanted =
    /^((bin|dist[/\\](bundle|lib)|schema|skills)[/\\]|(package\.json|README\.md|CHANGELOG\.md|LICENSE|llms\.txt)$)/;
  return files()
    .filter((file) => !wanted.test(file) || /\.test\.|tsbuildinfo|\.map$|\.compiled$/.test(file))
    .map((file) => `${file} does not belong in the package`);
}

/** Everything is bundled: what is installed besides is installed twice. */
function excess() {
  const { dependencies = {} } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const bytes = files().reduce((sum, file) => sum + statSync(join(unpacked, file)).size, 0);
  console.log(`package: ${files().length} files, ${bytes} bytes, ${Object.keys(dependencies).length} dependencies`);
  return [
    ...(files().length < 200 ? [] : [`the package has ${files().length} files`]),
    ...(bytes < 1_500_000 ? [] : [`the package has ${bytes} bytes`]),
    ...Object.keys(dependencies).map((name) => `${name} is installed with the package`),
  ];
}

function intoProject(tarball, ...flags) {
  const project = fresh('project');
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  npmIn(project, 'install', '--save-dev', ...flags, tarball);
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  if (installed.join() !== 'mcp-hotline') throw new Error(`installed besides: ${installed.join(', ')}`);
  expectVersion(join(project, 'node_modules/mcp-hotline/bin/mcp-hotline.js'), project);
  const type = nodeIn(
    project,
    '-e',
    `console.log(typeof (await import('mcp-hotline')).createProxy)`,
    '--input-type=module',
  );
  if (type !== 'function') throw new Error('the packed entry does not export createProxy');
  cpSync(join(root, 'fixtures/projects/javascript'), join(project, 'server'), { recursive: true });
  const smoke = nodeIn(
    join(project, 'server'),
    join(project, 'node_modules/mcp-hotline/bin/mcp-hotline.js'),
    'smoke',
    '--',
    process.execPath,
    'server.js',
  );
  if (!/passed|ok/i.test(smoke)) throw new Error(`the packed bin does not smoke a server: ${smoke}`);
}

function globally(tarball) {
  const prefix = fresh('prefix');
  npmIn(prefix, 'install', '--global', '--prefix', prefix, tarball);
  const bin = process.platform === 'win32' ? 'mcp-hotline.cmd' : 'bin/mcp-hotline';
  if (!existsSync(join(prefix, bin))) throw new Error('a global installation has no command');
  npmIn(prefix, 'uninstall', '--global', '--prefix', prefix, 'mcp-hotline');
  const left = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  if (left.length > 0) throw new Error(`npm uninstall leaves ${left.map(({ name }) => name).join(', ')}`);
}

/** With nothing installed and nothing built: the bin says so, and packing brings what it needs. */
function fromClone() {
  const clone = fresh('clone');
  execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  const unbuilt = spawnSync(process.execPath, ['bin/mcp-hotline.js', '--version'], { cwd: clone, encoding: 'utf8' });
  if (unbuilt.status !== 1 || !/^mcp-hotline: it has not been built yet: run .*\n$/.test(unbuilt.stderr))
    throw new Error(`a bin without a build says: ${unbuilt.stderr}`);
  const packed = JSON.parse(npmIn(clone, 'pack', '--json'))[0];
  if (!packed.files.some(({ path }) => path === 'dist/bundle/main.cjs')) throw new Error('npm pack packs no build');
  expectVersion(join(clone, 'bin/mcp-hotline.js'), clone);
}

function expectVersion(bin, directory) {
  const { version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  if (nodeIn(directory, bin, '--version') !== version) throw new Error(`${bin} does not tell its version`);
}

function fresh(name) {
  const directory = mkdtempSync(join(scratch, `${name}-`));
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** As somebody would run it who has never run npm before. Where packages come from is this user's setting. */
function npmIn(cwd, ...args) {
  const home = fresh('home');
  const userConfig = execFileSync(npm, ['config', 'get', 'userconfig'], { encoding: 'utf8', shell }).trim();
  const env = { ...process.env, HOME: home, npm_config_cache: join(home, 'cache'), npm_config_userconfig: userConfig };
  for (const name of Object.keys(env)) if (/^npm_(lifecycle|package)_/.test(name)) delete env[name];
  return execFileSync(npm, [...args, '--no-audit', '--no-fund', '--no-update-notifier'], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell,
  });
}

function nodeIn(cwd, ...args) {
  return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function tool(path, ...args) {
  execFileSync(process.execPath, [join(root, 'node_modules', path), ...args], { cwd: root, stdio: 'inherit' });
}
