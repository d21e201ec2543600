// Decides whether a package manager runs the script `prestart` before `start`, by what its documentation says about its
// version and settings. If in doubt, it does not: to build twice is slow, not to build would run old code.

import { join } from 'node:path';
import { projectDirectories, readText } from './disk.js';

export interface ManagerFacts {
  /** Of the version, where that is known. */
  readonly major?: number | undefined;
  /** pnpm's `enable-pre-post-scripts`. */
  readonly setting?: boolean | undefined;
  /** `--ignore-scripts`: the script itself is run, and no other. */
  readonly ignoresScripts?: boolean;
}

/** `node --run` skips such scripts on purpose. Deno runs those of package.json, and none of deno.json. */
export function runsPreScripts(manager: string, { major, setting, ignoresScripts = false }: ManagerFacts): boolean {
  if (ignoresScripts) return false;
  switch (manager) {
    case 'npm':
    case 'bun':
    case 'deno':
      return true;
    case 'yarn':
    case 'yarnpkg':
      return major === 1; // later versions run none
    case 'pnpm':
      return setting ?? (major !== undefined && (major < 6 || major >= 9));
    default:
      return false;
  }
}

/** `declared`: what package.json names as its `packageManager`. */
export function managerFacts(
  manager: string,
  words: readonly string[],
  directory: string,
  declared: string | undefined,
  env: NodeJS.ProcessEnv,
): ManagerFacts {
  const directories = projectDirectories(directory);
  const home = env['HOME'] ?? env['USERPROFILE'];
  const texts = (name: string, more: readonly (string | undefined)[] = []): string[] =>
    [...directories, ...more].flatMap((place) => (place ? (readText(join(place, name)) ?? []) : []));
  const settings = texts('.npmrc', [home]);
  const ignoring = [...settings, `ignore-scripts=${env['npm_config_ignore_scripts'] ?? ''}`];
  return {
    major: declaredMajor(manager, declared) ?? lockMajor(manager, texts),
    setting: prePostSetting([...texts('pnpm-workspace.yaml'), ...settings]),
    ignoresScripts:
      words.includes('--ignore-scripts') || ignoring.some((text) => /^\s*ignore-scripts\s*=\s*true\b/m.test(text)),
  };
}

function declaredMajor(manager: string, declared = ''): number | undefined {
  const [, name, major] = /^(\w+)@(\d+)/.exec(declared) ?? [];
  return name === manager.replace(/pkg$/, '') ? Number(major) : undefined;
}

/** The lock file tells which versions can have written it. */
function lockMajor(manager: string, texts: (name: string) => string[]): number | undefined {
  if (manager === 'pnpm') {
    const version = Number(/^lockfileVersion:\s*['"]?(\d+)/m.exec(texts('pnpm-lock.yaml')[0] ?? '')?.[1] ?? NaN);
    return Number.isNaN(version) ? undefined : version >= 9 ? 9 : 8;
  }
  const [lock = ''] = manager.startsWith('yarn') ? texts('yarn.lock') : [];
  return /^# yarn lockfile v1/m.test(lock) ? 1 : /^__metadata:/m.test(lock) ? 2 : undefined;
}

function prePostSetting(texts: readonly string[]): boolean | undefined {
  for (const text of texts) {
    const said = /^\s*enable(?:-pre-post-scripts\s*=|PrePostScripts\s*:)\s*(true|false)\b/m.exec(text)?.[1];
    if (said !== undefined) return said === 'true';
  }
  return undefined;
}
