// `npm run prove package`: judges the package as it would be published: what is in it and how much, publint, attw, and
// that it can be installed and used by README's own lines: from a clone, from the packed file, into a project,
// globally, with and without install scripts. All of it happens in a temporary directory with a home and a cache of its
// own; publishing is left to people.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLines, readmeProject, runConfigured, runLines } from './readme.mjs';
import { wrapAndBack } from './wrapped.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'hotline-package-'));
const unpacked = join(scratch, 'package');

/**
 * A guard against what slips in unseen. Of what is there, 0.6 MB is loaded by a usual start, 0.05 more by clients over
 * HTTP and 0.07 by servers that speak it; the rest are commands, parsers of clients' files and licences.
 */
const MOST_BYTES = 1_850_000;

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
  await intoProject(tarball, '--ignore-scripts');
  await asReadmeSays();
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
    ...(bytes < MOST_BYTES ? [] : [`the package has ${bytes} bytes`]),
    ...Object.keys(dependencies).map((name) => `${name} is installed with the package`),
  ];
}

async function intoProject(tarball, ...flags) {
  const project = fresh('project');
  readmeProject(project);
  const env = newcomer();
  run(`npm install --save-dev ${flags.join(' ')} ${tarball}`, project, env);
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  if (installed.join() !== 'mcp-hotline') throw new Error(`installed besides: ${installed.join(', ')}`);
  await useIn(project, env);
}

/** From a clone with nothing installed and nothing built, by the lines of "Install", and then by all the others. */
async function asReadmeSays() {
  const clone = fresh('clone');
  const project = fresh('project');
  const prefix = fresh('prefix');
  const env = { ...newcomer(), npm_config_prefix: prefix };
  const { inClone, elsewhere } = installLines();
  execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  const unbuilt = spawnSync(process.execPath, ['bin/mcp-hotline.js', '--version'], { cwd: clone, encoding: 'utf8' });
  if (unbuilt.status !== 1 || !/^mcp-hotline: it has not been built yet: run .*\n$/.test(unbuilt.stderr))
    throw new Error(`a bin without a build says: ${unbuilt.stderr}`);
  for (const line of inClone) {
    run(line, clone, env);
    expectVersion(join(clone, 'bin/mcp-hotline.js'), clone);
  }
  readmeProject(project);
  const command = join(prefix, shell ? 'mcp-hotline.cmd' : 'bin/mcp-hotline');
  for (const line of elsewhere) {
    const placed = line.replaceAll('/path/to/clone', clone).replace(/\/path\/to\/(?=mcp-hotline)/, join(clone, '/'));
    if (line.startsWith('npm uninstall -g')) expectCommand(command);
    run(placed, project, env);
    if (line.startsWith('npm install -D')) await useIn(project, env);
  }
  const left = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  if (left.length > 0) throw new Error(`npm uninstall leaves ${left.map(({ name }) => name).join(', ')}`);
}

/**
 * The command and the module that are installed in a project do what README says, and put servers behind the proxy and
 * back.
 */
async function useIn(project, env) {
  const bin = join(project, 'node_modules/mcp-hotline/bin/mcp-hotline.js');
  expectVersion(bin, project);
  const path = [join(project, 'node_modules/.bin'), env.PATH].join(delimiter);
  await runLines(project, { ...env, PATH: path });
  await runConfigured(project, { ...env, PATH: path });
  console.log('package: wrap, start what was written, call, unwrap');
  await wrapAndBack(project, bin, env);
}

function expectCommand(command) {
  const { version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', shell });
  if (stdout.trim() !== version) throw new Error('a global installation has no command that works');
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

/** The environment of somebody who has never run npm before. Where packages come from is this user's setting. */
function newcomer() {
  const home = fresh('home');
  const userConfig = execFileSync(npm, ['config', 'get', 'userconfig'], { encoding: 'utf8', shell }).trim();
  const env = { ...process.env, HOME: home, npm_config_cache: join(home, 'cache'), npm_config_userconfig: userConfig };
  for (const name of Object.keys(env)) if (/^(npm_(lifecycle|package)_|MCP_|XDG_)/.test(name)) delete env[name];
  return { ...env, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
}

function run(line, cwd, env) {
  console.log(`package: ${line.replaceAll(scratch, '…')}`);
  const { status, stdout, stderr } = spawnSync(line, { cwd, env, encoding: 'utf8', shell: true });
  if (status !== 0) throw new Error(`${line}: exit code ${status}\n${stdout}${stderr}`);
}

function nodeIn(cwd, ...args) {
  return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function tool(path, ...args) {
  execFileSync(process.execPath, [join(root, 'node_modules', path), ...args], { cwd: root, stdio: 'inherit' });
}
