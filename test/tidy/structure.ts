// The shape that the sources must keep, as checks over a map of path (from src/) to text. Imports are found by pattern,
// which is enough for code that the formatter has laid out. Reading the tree is left to tree.ts.
import { posix } from 'node:path';

type Tree = ReadonlyMap<string, string>;

/** What each folder may import besides itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  channel: ['wire'],
  process: [],
  events: ['agent', 'channel'],
  sinks: ['events', 'state', 'agent'],
  state: ['channel'],
  config: ['process'],
  agent: ['lists'],
  watch: [],
  session: ['wire'],
  lists: ['wire'],
  build: ['process', 'state', 'agent'],
  server: ['process', 'wire', 'channel', 'lists', 'agent'],
  flow: ['process', 'wire', 'channel', 'events', 'config', 'server', 'agent'],
  front: ['wire', 'channel'],
  exchange: ['session', 'server', 'wire', 'channel', 'lists', 'agent'],
  project: 'process events state config agent watch session build server flow'.split(' '),
  lineage:
    'wire channel process events state config agent watch session lists build server flow front exchange project'.split(
      ' ',
    ),
  clients: ['config', 'state'],
  smoke: ['wire', 'channel', 'process', 'agent', 'sinks', 'state', 'config', 'lists', 'server', 'flow'],
  cli: [
    'project',
    'reloading.ts',
    'watch',
    'config',
    'events',
    'sinks',
    'state',
    'build',
    'server',
    'smoke',
    'clients',
    'proxy.ts',
    'exit-code.ts',
    'build-helper.ts',
  ],
};

const pure =
  /^(session\/|exchange\/|server\/(upstream|pending-requests|owed-by-clients|tasks|call-times)\.ts$|project\/edits\/|lineage\/(state|backoff)\.ts$|lists\/compare\.ts$)/;
const pureFront =
  /^front\/http\/(headers|addresses|guard|route|media-type|body-facts|encoded-value|param-headers|replies)\.ts$/;
const pureRequests = /^front\/http\/(legacy|modern)-request\.ts$/;
const impureGlobals =
  /(?<!-)\b(process\.|setTimeout\(|setInterval\(|setImmediate\(|Date\.now\(|new Date\(\)|Math\.random\()/;

const homes: Readonly<Record<string, string | readonly string[]>> = {
  ajv: 'smoke',
  'cross-spawn': 'process',
  chokidar: 'watch',
  debounce: 'watch',
  picomatch: 'watch',
  ignore: 'watch',
  'p-queue': 'lineage',
  yargs: 'cli',
  'package-manager-detector': 'build',
  'jsonc-parser': 'config',
  yaml: ['config', 'clients'],
  'toml-eslint-parser': 'clients',
};

/** In lines. From the first on, a run says so; above the second it fails. */
const LONG = 250;
const LONGEST = 400;
const TABLES: ReadonlySet<string> = new Set(['config/options.ts']);

export const checks: Readonly<Record<string, (tree: Tree) => string[]>> = {
  'imports point downwards only': direction,
  'pure code stays pure': purity,
  'imports have no cycle': cycles,
  'every package has one home, and no MCP SDK is used': packageHomes,
  'every file opens with a comment': openingComments,
  'a file that a comment names is there': filesInComments,
  'no file outgrows its purpose': tooLong,
  'only the cli prints, exits and reads argv': cliOnly,
  'no time stamp decides and nothing is left to be done': forbiddenWords,
};

function direction(tree: Tree): string[] {
  return eachImport(tree, (file, target) => {
    if (!target.startsWith('.')) return undefined;
    const from = layerOf(file);
    const to = layerOf(resolve(file, target));
    const allowed = mayImport(from, to);
    if (allowed === undefined) return `${file}: ${from} is no known layer`;
    return allowed || from === to ? undefined : `${file}: ${from} must not import ${to}`;
  });
}

/** A file directly in src is where folders meet: it imports what it likes but the two ways in. */
function mayImport(from: string, to: string): boolean | undefined {
  return from.endsWith('.ts') ? to !== 'cli' && to !== 'index.ts' : layers[from]?.includes(to);
}

function purity(tree: Tree): string[] {
  const parts = new Map([...tree].filter(([file]) => [pure, pureFront, pureRequests].some((each) => each.test(file))));
  const imports = eachImport(parts, (file, target) =>
    target.startsWith('.') ? undefined : `${file}: pure code must not import ${target}`,
  );
  const globals = [...parts].flatMap(([file, text]) => {
    const found = impureGlobals.exec(code(text))?.[0];
    return found === undefined ? [] : [`${file}: pure code must not use ${found.replace(/\W+$/, '')}`];
  });
  return [...imports, ...globals];
}

function cycles(tree: Tree): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push([...trail.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const target of importsOf(tree.get(file) ?? '')) {
      if (target.startsWith('.')) visit(resolve(file, target), [...trail, file]);
    }
    done.add(file);
  };
  for (const file of tree.keys()) visit(file, []);
  return found;
}

/** The files of the tree that each file imports. */
export function filesImported(tree: Tree): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...tree].map(([file, text]) => [
      file,
      importsOf(text)
        .filter((target) => target.startsWith('.'))
        .map((target) => resolve(file, target)),
    ]),
  );
}

/** Every import of what is neither ours nor Node's. */
export function packagesImported(tree: Tree): { file: string; name: string }[] {
  return [...tree].flatMap(([file, text]) =>
    importsOf(text)
      .filter((target) => /^[@a-z]/.test(target) && !target.startsWith('node:'))
      .map((target) => ({ file, name: packageOf(target) })),
  );
}

function packageOf(target: string): string {
  return target.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? target;
}

function packageHomes(tree: Tree): string[] {
  return eachImport(tree, (file, target) => {
    const name = packageOf(target);
    if (name.startsWith('@modelcontextprotocol/')) return `${file}: the proxy must not import ${name}`;
    const rooms = [homes[name] ?? []].flat();
    if (rooms.length === 0 || rooms.includes(layerOf(file))) return undefined;
    return `${file}: ${name} belongs in ${rooms.map((room) => `${room}/`).join(' or ')}`;
  });
}

export function openingComments(tree: Tree): string[] {
  return [...tree]
    .filter(([, text]) => !/^(#!.*\n)?(\/\/ |\/\*)/.test(text))
    .map(([file]) => `${file}: begins without a comment that says what it does`);
}

/** Files are moved, and comments stay: a name may be that of a file in the same folder, in any folder, or a path. */
function filesInComments(tree: Tree): string[] {
  const files = [...tree.keys()];
  const isThere = (name: string): boolean => files.some((file) => `/${file}`.endsWith(`/${name}`));
  return [...tree].flatMap(([file, text]) =>
    [...text.matchAll(/\/\*[^]*?\*\/|(?:^|\s)\/\/.*$/gm)]
      .flatMap(([comment]) => [...comment.matchAll(/(?<![\w./-])(?:[\w-]+\/)*[\w-]+\.ts\b/g)])
      .filter(([name]) => !isThere(name))
      .map(([name]) => `${file}: a comment names ${name}, which is not there`),
  );
}

/** Length is a smell to look at, and at some point no longer a matter of opinion. A table is as long as it has rows. */
export function tooLong(tree: Tree): string[] {
  return longerThan(LONGEST, new Map([...tree].filter(([file]) => !TABLES.has(file))));
}

export function getsLong(tree: Tree): string[] {
  return longerThan(LONG, tree);
}

function longerThan(limit: number, tree: Tree): string[] {
  return [...tree]
    .map(([file, text]) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > limit)
    .map(({ file, lines }) => `${file}: ${lines} lines, more than ${limit}`);
}

function cliOnly(tree: Tree): string[] {
  const outside = [...tree].filter(([file]) => layerOf(file) !== 'cli');
  return outside.flatMap(([file, text]) =>
    [...code(text).matchAll(/\bconsole\.\w+(?=\()|\bprocess\.(exit|exitCode|argv)\b/g)].map(
      ([found]) => `${file}: ${found} outside cli/`,
    ),
  );
}

function forbiddenWords(tree: Tree): string[] {
  return [...tree].flatMap(([file, text]) =>
    [...text.matchAll(/mtime|\b(?:TODO|FIXME|XXX)\b/g)].map(([found]) => `${file}: contains ${found}`),
  );
}

function eachImport(tree: Tree, judge: (file: string, target: string) => string | undefined): string[] {
  return [...tree].flatMap(([file, text]) =>
    importsOf(text)
      .map((target) => judge(file, target))
      .filter((problem) => problem !== undefined),
  );
}

/** Static, type-only, side-effect and dynamic imports, re-exports, and types written as `import('…')`. */
function importsOf(text: string): string[] {
  const found = code(text).matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)['"]([^'"]+)['"]/g);
  return [...found].map(([, target]) => target ?? '');
}

function code(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function layerOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function resolve(file: string, target: string): string {
  return posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts');
}
