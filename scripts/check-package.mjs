// Judges the package as it would be published: what is in it, that its source maps lead somewhere, publint, attw, and
// that the packed bin and entry run. Packs into a temporary directory; publishing is left to people.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'hotline-package-'));
const unpacked = join(scratch, 'package');

try {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  const tarball = join(scratch, JSON.parse(packed)[0].filename);
  execFileSync('tar', ['-xzf', tarball, '-C', scratch]);

  const problems = [...unwantedFiles(), ...brokenSourceMaps()];
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
  tryOut();
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
  const wanted = /^((bin|dist|schema|src)[/\\]|(package\.json|README\.md|CHANGELOG\.md|LICENSE)$)/;
  return files()
    .filter((file) => !wanted.test(file) || /\.test\.|tsbuildinfo/.test(file))
    .map((file) => `${file} does not belong in the package`);
}

function brokenSourceMaps() {
  return files()
    .filter((file) => file.endsWith('.map'))
    .flatMap((file) => {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(unpacked, file), 'utf8'));
      // The code of other packages is for those who have them to look at.
      const own = sources.filter((source) => !source.includes('node_modules/'));
      const lost = own.filter((source, index) => {
        return !sourcesContent?.[index] && !existsSync(resolve(unpacked, dirname(file), source));
      });
      return lost.map((source) => `${file} refers to ${source}, which is not in the package`);
    });
}

/** The dependencies are those that are installed here. */
function tryOut() {
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'), 'junction');
  const run = (...args) => execFileSync(process.execPath, args, { cwd: unpacked, encoding: 'utf8' }).trim();
  const { version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  if (run('bin/mcp-hotline.js', '--version') !== version) throw new Error('the packed bin does not tell its version');
  const type = run('--input-type=module', '-e', `console.log(typeof (await import('mcp-hotline')).createProxy)`);
  if (type !== 'function') throw new Error('the packed entry does not export createProxy');
}

function tool(path, ...args) {
  execFileSync(process.execPath, [join(root, 'node_modules', path), ...args], { cwd: root, stdio: 'inherit' });
}
