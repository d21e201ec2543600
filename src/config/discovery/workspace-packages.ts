// The packages of a workspace by their names: pnpm-workspace.yaml or `workspaces` in package.json say where they are.
// Also the forms in which pnpm's `--filter` names one. Reads manifests only.

import { basename, dirname, join, resolve } from 'node:path';
import { expandDirectories } from './directories.js';
import { isDirectory, isInside, readText, realOf } from './disk.js';
import { manifestIn } from './manifest.js';

/** A package by its name, its directory or a filter of pnpm's. Undefined if there is none, or more than one. */
export function workspacePackage(filter: string, cwd: string, script?: string): string | undefined {
  // Dependents and dependencies are run too, but the server is the package itself.
  const name = filter.replace(/^\.{3}\^?|\^?\.{3}$/g, '').replace(/^\{(.*)\}$/, './$1');
  const beside = resolve(cwd, name);
  if (/^\.{0,2}[\\/]/.test(name) || name === '.')
    return hasManifest(beside) ? realOf(beside) : oneBelow(beside, cwd, script);
  const packages = packagesAround(cwd);
  const pattern = new RegExp(`^${name.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`);
  const named = packages.filter((one) => pattern.test(manifestIn(one)?.name ?? ''));
  // As pnpm does: without its scope, if that leaves one.
  const unscoped = packages.filter((one) => manifestIn(one)?.name.replace(/^@[^/]+\//, '') === name);
  const found = onlyOf(named, script) ?? onlyOf(unscoped, script);
  if (found !== undefined) return found;
  const places = [beside, join(cwd, 'node_modules', name), join(cwd, 'packages', name)];
  const place = places.find(hasManifest);
  return place && realOf(place);
}

function oneBelow(directory: string, cwd: string, script: string | undefined): string | undefined {
  const real = realOf(directory);
  return onlyOf(
    packagesAround(cwd).filter((one) => isInside(one, real)),
    script,
  );
}

/** Of several, the one that has the script. */
function onlyOf(packages: readonly string[], script: string | undefined): string | undefined {
  if (packages.length === 1) return packages[0];
  const able = packages.filter((one) => script !== undefined && manifestIn(one)?.scripts[script] !== undefined);
  return able.length === 1 ? able[0] : undefined;
}

function packagesAround(cwd: string): string[] {
  for (let at = realOf(cwd); ; at = dirname(at)) {
    const patterns = patternsIn(at);
    if (patterns !== undefined) return [at, ...expandDirectories(at, patterns).filter(hasManifest)];
    if (at === dirname(at)) return [];
  }
}

function patternsIn(directory: string): readonly string[] | undefined {
  const yaml = readText(join(directory, 'pnpm-workspace.yaml'));
  return yaml === undefined ? manifestIn(directory)?.workspaces : (listIn(yaml) ?? []);
}

/** The list `packages` of a YAML file, in either style. */
function listIn(text: string): string[] | undefined {
  const plain = text.replace(/(^|\s)#.*$/gm, '');
  const flow = /^packages:\s*\[([^\]]*)\]/m.exec(plain)?.[1];
  const rows =
    flow?.split(',') ??
    /^packages:[ \t]*\r?\n((?:[ \t]*-.*(?:\r?\n|$)|[ \t]*\r?\n)*)/m.exec(plain)?.[1]?.split(/\r?\n/);
  return rows
    ?.map((row) =>
      row
        .replace(/^\s*-?\s*/, '')
        .trim()
        .replace(/^(['"])(.*)\1$/, '$2'),
    )
    .filter((one) => one !== '');
}

function hasManifest(directory: string): boolean {
  return isDirectory(directory) && basename(directory) !== 'node_modules' && manifestIn(directory) !== undefined;
}
