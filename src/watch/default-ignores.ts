// The names that are ignored by default, because nobody edits such files. This file judges names only; filter.ts weighs
// .gitignore files, --ignore and what is named explicitly.

const DIRECTORIES = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  '__pycache__',
  '__pypackages__',
  'venv',
  'dist',
]);

// Directories that hold build output at the top of a project, and sources elsewhere: `src/build/` is a module like any
// other. To miss an edit is worse than one restart too many.
const OUTPUTS = new Set(['build', 'out', 'target', 'coverage', 'htmlcov', '_build', 'tmp']);

const TOPS = new Set([
  '.git',
  'package.json',
  'tsconfig.json',
  'deno.json',
  'deno.jsonc',
  'pyproject.toml',
  'setup.py',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'composer.json',
  'Gemfile',
]);

const FILES = new RegExp(
  [
    '^\\.', // hidden, Emacs' locks among them
    '~$',
    '^#.*#$',
    '\\.sw[nopx]$',
    '^4913$', // vim's probe whether it may write here
    '___jb_(tmp|old)___$',
    '\\.te?mp(\\.\\d+)*$',
    '\\.(bak|orig|rej|vsctmp)$',
    '\\.log(\\.\\d+)?$',
    '\\.pid$',
    '\\.py[co]$',
    '\\.tsbuildinfo$',
    '\\.\\w+-(journal|wal|shm)$', // SQLite's
    '^(Thumbs\\.db|desktop\\.ini)$',
  ].join('|'),
);

export function isIgnoredByDefault(name: string): boolean {
  return FILES.test(name);
}

/** `top`: the directory that contains it is the top of a project. */
export function isDirectoryIgnoredByDefault(name: string, top: boolean): boolean {
  return name.startsWith('.') || DIRECTORIES.has(name) || name.endsWith('.egg-info') || (top && OUTPUTS.has(name));
}

/** A directory with one of these in it is the top of a project. */
export function isProjectMarker(name: string): boolean {
  return TOPS.has(name);
}
