// Turns the build that a person named into the command to run: a package.json script with the package manager that the
// lock file indicates, or a command as an argument list. It reads files and starts nothing; run.ts runs the build.
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { resolveCommand } from 'package-manager-detector/commands';
import { LOCKS } from 'package-manager-detector/constants';
import { detect } from 'package-manager-detector/detect';
import { splitCommand } from '../process/split-command.js';
import { ancestors, findCommand } from './find-command.js';

export interface BuildPlan {
  command: string;
  args: readonly string[];
  cwd: string;
  /** What a person would have typed, for the log and for reports. */
  label: string;
  /** The file that decided which package manager runs a script; absolute. */
  decidedBy?: string;
}

export type Planned = { ok: true; plan: BuildPlan } | { ok: false; problem: string };

interface Manifest {
  path: string;
  scripts: readonly string[];
  /** Why it could not be read. */
  damage?: string;
}

const SHELL_OPERATORS = new Set(['&&', '||', '|', ';']);

/** A problem is a whole sentence. */
export async function planBuild(build: string, cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Planned> {
  const name = build.trim();
  if (name === '') return refuse('The build is empty; it has to be a package.json script or a command.');
  const manifest = await nearestManifest(cwd);
  if (manifest?.scripts.includes(name) === true)
    return { ok: true, plan: await scriptPlan(name, dirname(manifest.path)) };
  const split = splitCommand(name);
  if (!split.ok) return refuse(`The build command ${JSON.stringify(name)} can't be split into words: ${split.error}.`);
  const [word, ...args] = split.words;
  if (word === undefined) return refuse(`The build ${JSON.stringify(name)} names no command.`);
  // One word is as likely to be a script as a command (`test` is both): without the manifest there is no telling.
  if (manifest?.damage !== undefined && args.length === 0) {
    return refuse(`The build ${JSON.stringify(name)} can't be looked up: ${manifest.path} ${manifest.damage}.`);
  }
  const operator = args.find((arg) => SHELL_OPERATORS.has(arg));
  if (operator !== undefined) {
    return refuse(
      `The build command ${JSON.stringify(name)} contains ${operator}, which only a shell understands, and it is run by none; ` +
        'make it a package.json script and name that.',
    );
  }
  const command = await findCommand(word, cwd, env);
  if (command === undefined)
    return refuse(`The build ${JSON.stringify(name)} was not found: ${searched(word, cwd, manifest)}.`);
  return { ok: true, plan: { command, args, cwd, label: name } };
}

async function scriptPlan(script: string, directory: string): Promise<BuildPlan> {
  // A lock file above the package tells of a workspace, as far up as the repository goes.
  const found = await detect({ cwd: directory, stopDir: (above) => existsSync(join(above, '.git')) });
  const run = resolveCommand(found?.agent ?? 'npm', 'run', [script]) ?? { command: 'npm', args: ['run', script] };
  const decidedBy = found === null ? undefined : decidingFile(directory);
  const label = [run.command, ...run.args].join(' ');
  return { command: run.command, args: run.args, cwd: directory, label, ...(decidedBy !== undefined && { decidedBy }) };
}

/** The lock file, or the package.json that names its package manager, which is nearest. */
function decidingFile(directory: string): string | undefined {
  for (const above of ancestors(directory)) {
    const lock = Object.keys(LOCKS).find((name) => existsSync(join(above, name)));
    if (lock !== undefined) return join(above, lock);
    const manifest = join(above, 'package.json');
    if (/"(packageManager|devEngines)"\s*:/.test(textOf(manifest))) return manifest;
    if (existsSync(join(above, '.git'))) return undefined;
  }
  return undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function nearestManifest(cwd: string): Promise<Manifest | undefined> {
  for (const directory of ancestors(cwd)) {
    const path = join(directory, 'package.json');
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      return { path, scripts: [], damage: `can't be read (${(error as Error).message})` };
    }
    return { path, ...scriptsIn(text) };
  }
  return undefined;
}

function scriptsIn(text: string): { scripts: string[]; damage?: string } {
  try {
    const manifest: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    const scripts = typeof manifest === 'object' && manifest !== null && 'scripts' in manifest ? manifest.scripts : {};
    return {
      scripts: Object.entries(scripts ?? {}).flatMap(([name, value]) => (typeof value === 'string' ? [name] : [])),
    };
  } catch (error) {
    return { scripts: [], damage: `is not valid JSON (${(error as Error).message})` };
  }
}

function searched(word: string, cwd: string, manifest: Manifest | undefined): string {
  const command = `${JSON.stringify(word)} is not a command on the PATH or in ${join(cwd, 'node_modules', '.bin')}`;
  if (manifest === undefined) return `there is no package.json in ${cwd} or above it, and ${command}`;
  const scripts = manifest.scripts.length > 0 ? `its scripts are ${manifest.scripts.join(', ')}` : 'it has no scripts';
  return `${manifest.path} has no script of that name (${scripts}), and ${command}`;
}

function refuse(problem: string): Planned {
  return { ok: false, problem };
}
