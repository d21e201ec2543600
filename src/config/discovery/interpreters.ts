// Programs that run a source file: which of their words is that file, and which further files they name. Python has a
// file of its own. What else belongs to the file is found by sources.ts and javascript.ts.

import { join, resolve } from 'node:path';
import { endingOf, isDirectory, isFile } from './disk.js';
import { programName, readFlags, type Flags } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type ResolveStep } from './discovery.js';
import { languageOf, type LanguageName } from './languages.js';
import { mainOf, readManifest, runScript } from './manifest.js';
import { workspacePackage } from './workspace-packages.js';

const preloading = '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists';
const nodeFlags = [
  preloading,
  '-C --conditions --input-type --inspect-port --debug-port --title --icu-data-dir --openssl-config --redirect-warnings',
  '--trace-event-categories --trace-event-file-pattern --watch-path --disable-warning --dns-result-order --diagnostic-dir',
  '--cpu-prof-dir --cpu-prof-name --heap-prof-dir --heap-prof-name --localstorage-file --unhandled-rejections',
  '--experimental-default-type --experimental-config-file --max-http-header-size --secure-heap --stack-trace-limit',
  '--tls-cipher-list --tls-keylog --v8-pool-size --report-dir --report-directory --report-filename --report-signal --run',
  '-e --eval -p --print',
].join(' ');
const inline = ['-e', '--eval', '-p', '--print'];
const watching = ['--watch', '--watch-path', '--hot'];
const loaders = ['--import', '--loader', '--experimental-loader', '-r', '--require'];

/** Records the files that the flags name, without packages. */
function note(flags: Flags, names: string, { cwd }: Invocation, search: Search): void {
  for (const value of flags.values(...names.split(' '))) {
    const path = resolve(cwd, value);
    if (value !== '' && isFile(path)) search.named.push(path);
  }
}

/** The file that a word names for node and similar programs, which add endings and look into directories. */
function scriptFile(word: string, cwd: string, endings: readonly string[]): string {
  const path = resolve(cwd, word);
  if (isFile(path)) return path;
  const inside = isDirectory(path) ? [mainOf(path), join(path, 'index')] : [];
  for (const base of [path, ...inside.filter((one) => one !== undefined)]) {
    const found = ['', ...endings].map((ending) => base + ending).find(isFile);
    if (found !== undefined) return found;
  }
  // The file may not be built yet.
  const main = inside.find((one) => one !== undefined) ?? path;
  return languageOf(endingOf(main)) === undefined ? `${main}.js` : main;
}

interface ScriptRunner {
  readonly taking: string;
  readonly subs?: readonly string[];
  readonly typescript?: true;
}

const scriptRunners: Readonly<Record<string, ScriptRunner>> = {
  node: { taking: nodeFlags },
  nodejs: { taking: nodeFlags },
  'babel-node': { taking: `${nodeFlags} -x --extensions --config-file` },
  tsx: { taking: `${nodeFlags} --tsconfig --ignore --include --exclude`, subs: ['watch'], typescript: true },
  'ts-node': {
    taking: `-P --project -C --compiler -I --ignore -D --ignore-diagnostics -r --require -O --compiler-options --cwd --scope-dir -e --eval -p --print`,
    typescript: true,
  },
  esno: { taking: nodeFlags, typescript: true },
  tsm: { taking: nodeFlags, typescript: true },
  jiti: { taking: nodeFlags, typescript: true },
  'swc-node': { taking: nodeFlags, typescript: true },
  'vite-node': { taking: '-c --config -m --mode -r --root --options', typescript: true },
};

function scriptRunner({ taking, subs = [], typescript }: ScriptRunner): Runner {
  return (args, invocation, search) => {
    const first = readFlags(args, taking);
    const flags = subs.includes(first.rest[0] ?? '') ? readFlags(first.rest.slice(1), taking) : first;
    const mode = flags === first ? watching.find((flag) => flags.values(flag).length > 0) : first.rest[0];
    if (mode !== undefined) search.watcher = `${programName(invocation.words[0] ?? '')} ${mode}`;
    const script = flags.value('--run');
    if (script) return runScript(script, invocation, flags.rest, search);
    const word = flags.rest[0];
    if (flags.values(...inline).length > 0 || word === undefined || word === '-') {
      return nothing('it runs code that is not in a file');
    }
    note(flags, preloading, invocation, search);
    const cwd = resolve(invocation.cwd, flags.value('--cwd') ?? '');
    const loads =
      typescript ??
      flags.values(...loaders).some((name) => /(^|[/@])(tsx|tsm|ts-node|swc|esbuild|babel|jiti)|\.[cm]?ts$/.test(name));
    const file = scriptFile(word, cwd, loads ? ['.ts', '.tsx', '.mts', '.js', '.mjs'] : ['.js', '.mjs', '.cjs']);
    const config = flags.value('--tsconfig', '-P', '--project');
    return {
      kind: 'file',
      language: loads ? 'typescript' : (languageOf(endingOf(file)) ?? 'javascript'),
      file,
      ...(config ? { tsconfig: resolve(cwd, config) } : {}),
    };
  };
}

/** Interpreters that take a file and nothing more. */
const plain: Readonly<Record<string, { language: LanguageName; taking: string; file?: string; code?: string }>> = {
  ruby: { language: 'ruby', taking: '-I -r -C -E -F -e --encoding --external-encoding', code: '-e' },
  php: { language: 'php', taking: '-d -c -f -z -t -S -r -B -R -F -E', file: '-f', code: '-r' },
  perl: { language: 'perl', taking: '-I -e -E', code: '-e' },
  lua: { language: 'lua', taking: '-l -e', code: '-e' },
  luajit: { language: 'lua', taking: '-l -e', code: '-e' },
  rscript: { language: 'r', taking: '-e', code: '-e' },
  julia: { language: 'julia', taking: '-J -p -t -L -e -E', code: '-e' },
  elixir: { language: 'elixir', taking: '-r -e -S --erl --sname --name --cookie -pa -pz', code: '-e' },
};

function plainRunner({ language, taking, file = '', code = '' }: (typeof plain)[string]): Runner {
  return (args, { cwd }) => {
    const flags = readFlags(args, taking);
    const word = flags.value(file) ?? flags.rest[0];
    if (word === undefined || flags.values(code).length > 0) return nothing('it runs code that is not in a file');
    return { kind: 'file', language, file: resolve(cwd, word) };
  };
}

const bunFlags =
  '--cwd -F --filter -r --preload --env-file -c --config --tsconfig-override --conditions -e --eval -p --print --port';

function bun(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const first = readFlags(args, bunFlags);
  const isRun = first.rest[0] === 'run';
  const flags = isRun ? readFlags(first.rest.slice(1), bunFlags) : first;
  const base = resolve(invocation.cwd, first.value('--cwd') ?? flags.value('--cwd') ?? '');
  const [word, ...more] = flags.rest;
  const filter = first.value('-F', '--filter') ?? flags.value('-F', '--filter');
  const found = filter ? workspacePackage(filter, base, word) : base;
  if (found === undefined) return nothing(`no package of this workspace is called ${filter}`);
  const at = { ...invocation, cwd: found, local: true };
  const { cwd } = at;
  if (word === 'x' && !isRun) return { ...at, words: ['npx', ...more] };
  if (word === undefined || first.values('-e', '--eval', '-p', '--print').length > 0) {
    return nothing('it runs code that is not in a file');
  }
  const mode = watching.find((flag) => first.values(flag).length + flags.values(flag).length > 0);
  if (mode !== undefined) search.watcher = `bun ${mode}`;
  note(first, '-r --preload --env-file', at, search);
  note(flags, '-r --preload --env-file', at, search);
  const isScript = readManifest(cwd)?.scripts[word] !== undefined;
  if (isScript && (isRun || !isFile(resolve(cwd, word)))) return runScript(word, at, more, search);
  if (languageOf(endingOf(word)) === undefined && !word.includes('/') && isRun)
    return { ...at, words: [word, ...more] };
  return { kind: 'file', language: 'typescript', file: scriptFile(word, cwd, ['.ts', '.tsx', '.js', '.mjs']) };
}

const denoFlags =
  '-c --config --import-map --location --seed --cert -L --log-level --preload --import --env-file --ext --cwd --allow-scripts';

function deno(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const first = readFlags(args, denoFlags);
  const [sub, ...behind] = first.rest;
  const flags = readFlags(sub === 'run' || sub === 'serve' || sub === 'task' ? behind : first.rest, denoFlags);
  const [word, ...more] = flags.rest;
  if (word === undefined) return nothing('it runs code that is not in a file');
  if (sub === 'task') {
    const at = { ...invocation, cwd: resolve(invocation.cwd, flags.value('--cwd') ?? '') };
    return runScript(word, at, more, search, ['deno.json', 'deno.jsonc', 'package.json']);
  }
  if (/^(npm|jsr|https?|data):/.test(word))
    return nothing(`${word} is installed, and its sources are not in this project`);
  if (flags.values('--watch', '--watch-hmr').length > 0) search.watcher = 'deno --watch';
  note(flags, '-c --config --import-map --preload --import --env-file', invocation, search);
  return { kind: 'file', language: 'deno', file: resolve(invocation.cwd, word) };
}

function nodemon(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  search.watcher = 'nodemon';
  const { rest, value } = readFlags(
    args,
    '-w --watch -e --ext -i --ignore -x --exec -d --delay -s --signal --config -C --cwd',
  );
  const exec = value('-x', '--exec');
  return { ...invocation, words: [...(exec ? exec.split(' ') : ['node']), ...rest], local: true };
}

export const interpreters: Readonly<Record<string, Runner>> = {
  ...Object.fromEntries(Object.entries(scriptRunners).map(([name, row]) => [name, scriptRunner(row)])),
  ...Object.fromEntries(Object.entries(plain).map(([name, row]) => [name, plainRunner(row)])),
  'ts-node-esm': scriptRunner(scriptRunners['ts-node']!),
  bun,
  deno,
  nodemon,
};
