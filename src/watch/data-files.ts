// Tells by name which files of a package are data that its server reads, for roots that discovery adds (`Root.data`).
// Also the limits on how many of them are watched, because a package may contain a store of thousands. Files that an
// option names are not judged here.

import { isDirectoryIgnoredByDefault, isIgnoredByDefault } from './default-ignores.js';

export const DATA_ENDINGS: readonly string[] =
  'json jsonc yaml yml toml md txt csv sql graphql html hbs j2 ejs xml ini'.split(' ');

/** In bytes. A larger file is a store, and nobody edits it by hand. */
export const MAX_DATA_BYTES = 1_000_000;

const DATA = new RegExp(`\\.(${DATA_ENDINGS.join('|')})$`, 'i');
const ENVIRONMENT = /^\.env(\.[^.]+)*$/;
// What is copied to make a .env of, and is read by nobody.
const MODELS = /\.(example|sample|template|dist|defaults?)$/;

/** Files with such an ending that are written for people, by tools, or for the clients of the server. */
const NOT_DATA = new RegExp(
  [
    // Also README.de.md and CHANGELOG-2.md; but readme-template.md and readme.md.hbs are templates.
    '^(readme|changelog)(\\.(?!te?mpl)[\\w-]+|[_-](v?\\d[\\w.-]*|[a-z]{2}([_-][a-z]{2,4})?))?\\.(md|txt|html)$',
    '^(license|licence|contributing|code_of_conduct|agents|claude|gemini|copilot-instructions)(\\.local)?\\.(md|txt)$',
    // Those that matter are manifests, and watched as such.
    '^(tsconfig|jsconfig)\\b.*\\.json$',
    '[.-]lock\\.(json|ya?ml)$|^npm-shrinkwrap\\.json$',
    '^(mcp|mcp_config|mcp_settings|cline_mcp_settings|claude_desktop_config|opencode)\\.jsonc?$',
    '^mcp-hotline\\.config\\.jsonc?$',
    '^(biome|cspell|jest\\.config|knip|lerna|nodemon|nx|oxlint|renovate|turbo|typedoc|codecov|mkdocs)\\.(jsonc?|ya?ml)$',
    '^(docker-)?compose(\\.\\w+)?\\.ya?ml$',
    '(^|[._-])logs?\\.\\w+$',
    '^(junit|coverage|clover|cobertura|test-results?)\\b.*\\.(xml|json|html|txt)$',
    // openapi.spec.yaml is a specification, and no test.
    '\\.test\\.\\w+$|(?<!api|swagger)\\.spec\\.\\w+$',
  ].join('|'),
  'i',
);

const TESTS_AND_LOGS = new Set(
  'test tests __tests__ __mocks__ __fixtures__ __snapshots__ testdata e2e spec specs log logs'.split(' '),
);

// Elsewhere than at the top of a project these may be modules, with data of their own.
const AT_THE_TOP = new Set(
  'doc docs documentation site cache output outputs report reports results test-results playwright-report temp'.split(
    ' ',
  ),
);

/** `.env` and its kin: read at every start, though hidden and kept from git. */
export function isEnvironmentFile(name: string): boolean {
  return ENVIRONMENT.test(name) && !isIgnoredByDefault(name.slice(1)) && !MODELS.test(name);
}

export function isDataFile(name: string): boolean {
  return (DATA.test(name) && !isIgnoredByDefault(name) && !NOT_DATA.test(name)) || isEnvironmentFile(name);
}

/** `top`: the directory that contains it is the top of a project. */
export function holdsNoData(name: string, top: boolean): boolean {
  const lower = name.toLowerCase();
  return isDirectoryIgnoredByDefault(name, top) || TESTS_AND_LOGS.has(lower) || (top && AT_THE_TOP.has(lower));
}

/** In one directory. */
export const MAX_DATA_FILES = 1000;
/** Directories that are entered for data alone: each costs one of the system's watches. */
export const MAX_DATA_DIRECTORIES = 1000;
