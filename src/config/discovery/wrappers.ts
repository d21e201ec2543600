// Programs that run another program and are no part of the server: environments, limits, version managers, shells. Each
// row says how many of its own words stand in front of the other program.

import { resolve } from 'node:path';
import { readFlags } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type ResolveStep } from './discovery.js';
import { shellScript } from './shell-scripts.js';
import { readShellText } from './shell-text.js';

interface Wrapper {
  /** Flags that take the next word. */
  readonly taking?: string;
  /** Words of its own after the flags: a duration, a version. */
  readonly own?: number;
  /** The subcommand that runs another program. */
  readonly sub?: readonly string[];
}

const table: Readonly<Record<string, Wrapper>> = {
  'cross-env': {},
  nohup: {},
  setsid: {},
  time: { taking: '-o -f' },
  exec: { taking: '-a' },
  command: {},
  unbuffer: {},
  tini: { taking: '-p -e' },
  'dumb-init': { taking: '-r' },
  nice: { taking: '-n --adjustment' },
  ionice: { taking: '-c -n --class --classdata' },
  timeout: { taking: '-s --signal -k --kill-after', own: 1 },
  stdbuf: { taking: '-i -o -e --input --output --error' },
  sudo: { taking: '-u -g --user --group' },
  'xvfb-run': { taking: '-s -n -e -f -w --server-args --server-num' },
  corepack: {},
  dotenv: { taking: '-e -c -v -p -o' },
  dotenvx: { sub: ['run'], taking: '-f --env-file -e --env -fk' },
  doppler: { sub: ['run'], taking: '-p -c -t --project --config --token --mount' },
  op: { sub: ['run'], taking: '--env-file --account' },
  infisical: { sub: ['run'], taking: '--env --path --projectId --token' },
  direnv: { sub: ['exec'], own: 1 },
  asdf: { sub: ['exec'] },
  volta: { sub: ['run'], taking: '--node --npm --yarn --pnpm' },
  fnm: { sub: ['exec'], taking: '--using' },
  conda: { sub: ['run'], taking: '-n --name -p --prefix --cwd' },
  mamba: { sub: ['run'], taking: '-n --name -p --prefix --cwd' },
  micromamba: { sub: ['run'], taking: '-n --name -p --prefix --cwd' },
  bundle: { sub: ['exec'] },
};

function runnerOf({ taking = '', own = 0, sub }: Wrapper): Runner {
  return (args, invocation) => {
    if (sub !== undefined && !sub.includes(args[0] ?? ''))
      return nothing(`${invocation.words[0]} does not run a server here`);
    const { rest } = readFlags(sub === undefined ? args : args.slice(1), taking);
    return { ...invocation, words: rest.slice(own) };
  };
}

/** Tools and their versions stand in front of `--`. */
function afterDashes(args: readonly string[], invocation: Invocation): ResolveStep {
  const end = args.indexOf('--');
  return end < 0
    ? nothing(`${invocation.words[0]} does not run a server here`)
    : { ...invocation, words: args.slice(end + 1) };
}

function env(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const { rest, value } = readFlags(args, '-u --unset -C --chdir -S --split-string');
  const cwd = resolve(invocation.cwd, value('-C', '--chdir') ?? '');
  const text = value('-S', '--split-string');
  if (text === undefined) return { ...invocation, words: rest, cwd };
  return readShellText(text, { ...invocation, cwd }, search, rest);
}

function shell(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const at = args.findIndex((word) => !/^[-+]/.test(word) || /^-\w*c$/.test(word));
  const word = args[at];
  if (word === undefined) return nothing('a shell without a script is run');
  if (word.startsWith('-')) return readShellText(args[at + 1] ?? '', invocation, search);
  return shellScript(resolve(invocation.cwd, word), args.slice(at + 1), invocation, search);
}

/** `cmd /c npx …` is how clients on Windows are told to start things. */
function windowsShell(args: readonly string[], invocation: Invocation): ResolveStep {
  const at = args.findIndex((word) => /^\/[ck]$/i.test(word));
  return at < 0 ? nothing('a shell without a command is run') : { ...invocation, words: args.slice(at + 1) };
}

export const wrappers: Readonly<Record<string, Runner>> = {
  ...Object.fromEntries(Object.entries(table).map(([name, row]) => [name, runnerOf(row)])),
  ...Object.fromEntries(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh'].map((name) => [name, shell])),
  env,
  cmd: windowsShell,
  mise: afterDashes,
  rtx: afterDashes,
  'cross-env-shell': (args, invocation, search) => readShellText(args.join(' '), invocation, search),
};
