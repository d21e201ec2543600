// Makes dist/bundle, which the bin and the programmatic entry run: the sources with their libraries in few files, since
// reading 150 modules takes longer than running them, and so that nothing else has to be installed. Whatever the
// sources import dynamically becomes a file of its own that needs no other, loaded when it is asked for; only those
// that have most of their modules in common share one. Types are tsc's to check, and the tests of parts use its output,
// not this one.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compile } from './compile.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist/bundle');

/**
 * Each of them needs the configuration or the watch, and no session waits for it: together they are little larger than
 * one.
 */
const sharing = [
  'src/cli/explain.ts',
  'src/cli/smoke.ts',
  'src/build-helper.ts',
  'src/cli/clients/wrap.ts',
  'src/cli/clients/unwrap.ts',
  'src/cli/clients/clients.ts',
  'src/index.ts',
];
/** Most sessions have no configuration file to parse, and five files of the bundle could have to. */
const lateParser = 'jsonc-parser';
/**
 * Large, and needed by several files of the bundle that nobody waits for: in a file of their own even where the import
 * is static.
 */
const apart = new Set(['yaml', 'src/clients/documents.ts', 'src/config/discovery/discover.ts']);

/** CommonJS, because Node loads that in half the time, at its start above all. */
const options = {
  outdir: output,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  supported: { 'dynamic-import': false },
  mainFields: ['module', 'main'],
  define: { 'import.meta.url': 'bundleUrl' },
  // These globals are getters, and every message would ask some of them several times.
  banner: {
    js: "const{Buffer,process}=globalThis,bundleUrl=require('node:url').pathToFileURL(__filename).href;",
  },
  minify: true,
  keepNames: false,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  preserveSymlinks: true,
  metafile: true,
  write: false,
  absWorkingDir: root,
  logLevel: 'warning',
};

/** Returns whether it could be made; what is wrong is on stderr. Files that are as they should be are left alone. */
export async function bundle() {
  const files = new Map();
  const packages = new Set();
  try {
    const made = new Set();
    for (let entries = ['src/cli/main.ts']; entries.length > 0;) {
      const found = new Set();
      const { metafile, outputFiles } = await build({
        ...options,
        entryPoints: Object.fromEntries(entries.map((entry) => [nameOf(entry), entry])),
        plugins: [boundaries(found), parserAlone, lazyParser],
      });
      for (const { path, contents } of outputFiles) files.set(basename(path), Buffer.from(contents));
      for (const { inputs } of Object.values(metafile.outputs)) {
        for (const input of Object.keys(inputs)) packages.add(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
      }
      for (const entry of entries) made.add(entry);
      entries = [...found].filter((entry) => !made.has(entry));
    }
    // Nothing of ours imports the programmatic entry, so it gets its file here.
    files.set('index.cjs', Buffer.from(`module.exports = ${shared('index')};\n`));
    packages.delete(undefined);
    files.set('LICENSES.txt', Buffer.from(licences([...packages])));
  } catch (error) {
    if (error.errors === undefined) console.error(`bundle: ${error.message}`);
    return false;
  }
  if (write(files)) await compile();
  return true;
}

/** Whether anything had to be written. What was compiled of a file goes with it. */
function write(files) {
  mkdirSync(output, { recursive: true });
  for (const name of readdirSync(output)) {
    if (!files.has(name.replace(/\.compiled$/, ''))) rmSync(join(output, name));
  }
  const changed = [...files].filter(([name, contents]) => {
    const file = join(output, name);
    return !existsSync(file) || !readFileSync(file).equals(contents);
  });
  for (const [name, contents] of changed) {
    rmSync(join(output, `${name}.compiled`), { force: true });
    writeFileSync(join(output, name), contents);
  }
  return changed.length > 0 || !existsSync(join(output, 'main.cjs.compiled'));
}

/** src/cli/main.ts is main.cjs, src/reloading.ts is reloading.cjs, a package is what it is called. */
function nameOf(entry) {
  return entry
    .replace(/^src\/(cli\/)?/, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-');
}

/** What is imported dynamically is left out, to be required from the file that is made of it. */
function boundaries(found) {
  return {
    name: 'boundaries',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
        if (path === 'commands') return { path, namespace: 'shared' };
        if (path === './commands.cjs') return { path, external: true };
        const entry = path.startsWith('.') ? fromRoot(resolve(resolveDir, path)).replace(/\.js$/, '.ts') : path;
        const late = kind === 'dynamic-import' || (kind === 'require-call' && path === lateParser);
        if (!late && (kind !== 'import-statement' || !apart.has(entry))) return;
        if (!sharing.includes(entry)) {
          found.add(entry);
          return { path: `./${nameOf(entry)}.cjs`, external: true };
        }
        found.add('commands');
        return { path: nameOf(entry), namespace: 'sharing' };
      });
      const module = (contents) => ({ contents, resolveDir: root });
      onLoad({ filter: /./, namespace: 'sharing' }, ({ path }) => module(`module.exports = ${shared(path)};`));
      // A function for each, since running the modules of one is enough.
      onLoad({ filter: /./, namespace: 'shared' }, () => {
        const each = sharing.map((entry) => `'${nameOf(entry)}': () => require('./${entry}')`);
        return module(`module.exports = { ${each.join(', ')} };`);
      });
    },
  };
}

/** What a file has of the one that several share. */
function shared(name) {
  return `require('./commands.cjs')['${name}']()`;
}

function fromRoot(path) {
  return relative(root, path).replaceAll('\\', '/');
}

/** yargs/helpers exports the parser, and loads for the rest of yargs what takes far longer than parsing. */
const parserAlone = {
  name: 'parser-alone',
  setup({ onResolve }) {
    onResolve({ filter: /platform-shims\/esm\.mjs$/ }, ({ importer, path, resolveDir }) =>
      basename(importer) === 'helpers.mjs' ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    );
  },
};

/**
 * The sources require this package late, by a function that the bundler does not know: its own require takes the
 * package for a file of its own.
 */
const lazyParser = {
  name: 'lazy-parser',
  setup({ onLoad }) {
    onLoad({ filter: /config\/file\/jsonc\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(/^const require = createRequire\(import\.meta\.url\);$/m, '');
      if (contents === text) throw new Error(`${path} no longer requires its parser late`);
      return { contents, loader: 'ts' };
    });
  },
};

/** Each package that a file of the bundle has something of, with the words that its licence wants to be passed on. */
function licences(directories) {
  const texts = directories.map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, directory)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(root, directory, file), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const intro = 'The files beside this one contain code of these packages.\n';
  const sorted = [...new Set(texts)].toSorted((a, b) => a.localeCompare(b, 'en'));
  return [intro, ...sorted].join(`\n${'-'.repeat(80)}\n\n`);
}
