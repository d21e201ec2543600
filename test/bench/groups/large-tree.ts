// A large repository: 2,000 directories with 50,000 files to watch, and 100,000 more that are ignored. How long it
// takes until they are watched and hashed, what that takes, and what a checkout does that changes 5,000 of them.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { open } from '../client.js';
import { inotifyWatchesOf, memoryOf } from '../processes.js';
import { echo, type Ground } from '../ways.js';
import type { Group } from './group.js';

const run = promisify(execFile);
const stall = fileURLToPath(new URL('../stall.js', import.meta.url));
const bareTree = fileURLToPath(new URL('../bare-tree.js', import.meta.url));
const DIRECTORIES = 2000;
const FILES = 25;
const IGNORED = 100_000;
/** Every so manieth file differs between the branches. */
const EVERY = 10;
/** A second reload would have begun by then. */
const QUIET = 3000;

export const largeTree: Group = async (ground) => {
  const directory = await repository(ground);
  const bare = await bareLoops(directory);
  // A process that does nothing stands still only when the machine has no time for it.
  const still = await open(ground.node(['--import', stall, echo]));
  const options = ['--watch', '.', '--log-format', 'json', '--log-level', 'debug'];
  const way = ground.proxy(options, [echo], directory);
  const client = await open({ ...way, args: ['--import', stall, ...way.args] });
  const { ms: watched } = await client.logged((entry) => entry.text.startsWith('watching '));
  const { ms: hashed } = await client.logged((entry) => entry.text.startsWith('hashed '));
  await client.call('echo', { text: 'x' });
  // What was read is garbage soon.
  await delay(2000);
  const memory = memoryOf(client.pid);
  const watches = inotifyWatchesOf(client.pid);
  const hashing = await client.longestStall();
  await still.longestStall();

  const begin = performance.now();
  await git(directory, 'checkout', '--quiet', (await isOn(directory, 'main')) ? 'other' : 'main');
  const checkedOut = performance.now();
  await client.logged((entry) => entry.event === 'reloaded');
  const reloaded = performance.now();
  await client.call('echo', { text: 'x' });
  await delay(QUIET);
  const checkout = await client.longestStall();
  const meanwhile = await still.longestStall();
  const reloads = client.log.filter((entry) => entry.event === 'reloaded').length;
  await Promise.all([client.close(), still.close()]);
  return {
    'tree watched bare': bare.watched,
    'tree hashed bare': bare.hashed,
    ...(watched === undefined ? {} : { 'tree watched': watched }),
    ...(hashed === undefined ? {} : { 'tree hashed': hashed }),
    ...(memory === undefined ? {} : { 'tree rss': memory.now, 'tree most rss': memory.most }),
    ...(watches === undefined ? {} : { 'tree watches': watches }),
    'tree stall hashing': hashing,
    'checkout itself': checkedOut - begin,
    'checkout to reloaded': reloaded - checkedOut,
    'checkout stall': checkout,
    'checkout stall idle': meanwhile,
    'checkout reloads': reloads,
  };
};

async function bareLoops(directory: string): Promise<{ watched: number; hashed: number }> {
  const { stdout } = await run(process.execPath, [bareTree, directory, '.git', 'node_modules', 'generated']);
  return JSON.parse(stdout) as { watched: number; hashed: number };
}

const made = new Map<Ground, Promise<string>>();

function repository(ground: Ground): Promise<string> {
  const known = made.get(ground) ?? make(join(ground.scratch, 'large'));
  made.set(ground, known);
  return known;
}

async function make(directory: string): Promise<string> {
  const folder = (number: number): string =>
    join(directory, 'src', String(Math.floor(number / 40)), String(number % 40));
  for (let number = 0; number < DIRECTORIES; number += 1) mkdirSync(folder(number), { recursive: true });
  const write = (version: number, step: number): void => {
    for (let file = 0; file < DIRECTORIES * FILES; file += step) {
      const text = `export const file = ${file}, version = ${version};\n`.repeat(20);
      writeFileSync(join(folder(Math.floor(file / FILES)), `${file % FILES}.js`), text);
    }
  };
  write(1, 1);
  for (let file = 0; file < IGNORED; file += 1) {
    const inside = join(directory, file % 2 === 0 ? 'node_modules' : 'generated', String(Math.floor(file / 500)));
    if (file % 500 < 2) mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${file % 500}.js`), `${file}\n`);
  }
  writeFileSync(join(directory, '.gitignore'), 'node_modules/\ngenerated/\n');
  await git(directory, 'init', '--quiet', '--initial-branch', 'main');
  await git(directory, 'config', 'gc.auto', '0');
  await commit(directory);
  await git(directory, 'checkout', '--quiet', '-b', 'other');
  write(2, EVERY);
  await commit(directory);
  return directory;
}

async function commit(directory: string): Promise<void> {
  await git(directory, 'add', '--all');
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  await git(directory, ...who, 'commit', '--quiet', '--message', 'bench', '--no-gpg-sign');
}

async function isOn(directory: string, branch: string): Promise<boolean> {
  return (await git(directory, 'rev-parse', '--abbrev-ref', 'HEAD')).trim() === branch;
}

async function git(directory: string, ...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: directory })).stdout;
}
