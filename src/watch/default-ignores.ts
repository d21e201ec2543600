// The names that nobody edits: what is left out without being asked. Names only; .gitignore files, --ignore and the
// exceptions for what is named explicitly are for filter.ts to weigh.

const DIRECTORIES = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  '__pycache__',
  '__pypackages__',
  'venv',
  'dist',
]);

// These hold build output at the top of a project, but sources elsewhere: `src/build/` is a module like any other, and
// an edit that is overlooked is worse than a restart too many.
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
