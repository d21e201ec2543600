// The languages of servers: the endings of their sources, the files that mark the top of a project, and the manifests.
// A table; sources.ts applies it.

export interface Language {
  readonly label: string;
  readonly endings: readonly string[];
  /** A directory with one of these is the top of a project. */
  readonly tops: readonly string[];
  /** Globs, for the top. */
  readonly manifests: readonly string[];
  /** The manifests of every directory below count too. */
  readonly deep?: true;
  /** Directories that hold no sources, at any depth. */
  readonly outputs?: readonly string[];
}

export const typescriptEndings = ['ts', 'tsx', 'mts', 'cts'] as const;
export const javascriptEndings = ['js', 'mjs', 'cjs'] as const;

// Lock files are no manifests: a server runs what is installed, and its lock file changes nothing about that. The
// exceptions are go.sum, Cargo.lock and Package.resolved, because `go run`, `cargo run` and `swift run` compile the
// server by them at each start.
const nodeFiles = { tops: ['package.json'], manifests: ['package.json', 'tsconfig*.json', 'jsconfig.json'] };

const table = {
  javascript: { label: 'JavaScript', endings: javascriptEndings, ...nodeFiles },
  typescript: {
    label: 'TypeScript',
    endings: [...typescriptEndings, ...javascriptEndings, 'jsx'],
    ...nodeFiles,
  },
  deno: {
    label: 'code for Deno',
    endings: ['ts', 'tsx', 'mts', 'js', 'jsx', 'mjs'],
    tops: ['deno.json', 'deno.jsonc', 'package.json'],
    manifests: ['deno.json', 'deno.jsonc', 'import_map.json', 'package.json'],
  },
  python: {
    label: 'Python',
    endings: ['py'],
    tops: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile'],
    manifests: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements*.txt', 'Pipfile'],
  },
  go: { label: 'Go', endings: ['go'], tops: ['go.mod'], manifests: ['go.mod', 'go.sum', 'go.work'] },
  rust: {
    label: 'Rust',
    endings: ['rs'],
    tops: ['Cargo.toml'],
    manifests: ['Cargo.toml', 'Cargo.lock'],
    deep: true,
  },
  java: {
    label: 'Java',
    endings: ['java', 'kt', 'kts', 'scala', 'groovy', 'properties'],
    tops: ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    manifests: ['pom.xml', 'build.gradle', 'settings.gradle', 'libs.versions.toml'],
    deep: true,
  },
  dotnet: {
    label: '.NET',
    endings: ['cs', 'fs', 'vb', 'razor', 'cshtml', 'resx'],
    tops: [],
    manifests: ['*.csproj', '*.fsproj', '*.vbproj', '*.sln', '*.slnx', '*.props', 'global.json', 'appsettings*.json'],
    deep: true,
    outputs: ['bin', 'obj'],
  },
  php: {
    label: 'PHP',
    endings: ['php'],
    tops: ['composer.json'],
    manifests: ['composer.json'],
    outputs: ['vendor'],
  },
  ruby: {
    label: 'Ruby',
    endings: ['rb'],
    tops: ['Gemfile', 'gems.rb'],
    manifests: ['Gemfile', 'gems.rb', '*.gemspec'],
    outputs: ['vendor'],
  },
  perl: { label: 'Perl', endings: ['pl', 'pm'], tops: ['cpanfile'], manifests: ['cpanfile'] },
  lua: { label: 'Lua', endings: ['lua'], tops: [], manifests: ['*.rockspec'] },
  r: { label: 'R', endings: ['R', 'r'], tops: ['DESCRIPTION'], manifests: ['DESCRIPTION'] },
  julia: { label: 'Julia', endings: ['jl'], tops: ['Project.toml'], manifests: ['Project.toml', 'Manifest.toml'] },
  elixir: {
    label: 'Elixir',
    endings: ['ex', 'exs'],
    tops: ['mix.exs'],
    manifests: ['mix.exs'],
    outputs: ['deps', '_build'],
  },
  dart: { label: 'Dart', endings: ['dart'], tops: ['pubspec.yaml'], manifests: ['pubspec.yaml'] },
  swift: { label: 'Swift', endings: ['swift'], tops: ['Package.swift'], manifests: ['Package.resolved'] },
} as const satisfies Record<string, Language>;

export type LanguageName = keyof typeof table;

export const languages: Readonly<Record<LanguageName, Language>> = table;

const endings = new Map<string, LanguageName>([
  ...Object.entries(languages).flatMap(([name, { endings: own }]) =>
    own.map((ending) => [ending.toLowerCase(), name as LanguageName] as const),
  ),
  // An ending that several languages share counts for the most common one.
  ...typescriptEndings.map((ending) => [ending, 'typescript'] as const),
  ...javascriptEndings.map((ending) => [ending, 'javascript'] as const),
  ['jsx', 'typescript'],
]);

export function languageOf(ending: string): LanguageName | undefined {
  return endings.get(ending);
}

/** Every file that marks the top of some project. */
export const allTops: readonly string[] = [...new Set(Object.values(languages).flatMap(({ tops }) => tops))];
