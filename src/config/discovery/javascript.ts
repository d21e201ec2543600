// JavaScript and TypeScript: what is watched and built, by the class of the entry point. Packages of the same workspace
// that it depends on are treated in the same way, and are built first.

import { basename, dirname, join } from 'node:path';
import { builderIn } from './builds-itself.js';
import { endingOf, isFile, isInside, projectDirectories, shown } from './disk.js';
import type { Search, DiscoveryInput } from './discovery.js';
import { createEntryClassifier, type EntryClass } from './classify-entry.js';
import { javascriptEndings, languageOf, languages, type LanguageName } from './languages.js';
import { dataIn, ignored, withEndings } from './patterns.js';
import { manifestsIn, type Sources } from './sources.js';
import { buildIn, endlessBuildIn, linkedMains, lockDirectory, packageIn, type Build } from './workspace.js';

export interface EntryPoint {
  readonly file: string;
  readonly language: LanguageName;
  readonly tsconfig?: string;
}

export interface Package extends Sources {
  /** The name in its manifest. */
  readonly name: string;
}

/** What makes an output. `endless`: a script would make it, but never ends. */
type Making =
  | { readonly by: 'us'; readonly build: Build }
  | { readonly by: 'the command'; readonly command: string }
  | { readonly by: 'nobody'; readonly endless?: string };

type Mutable = { watch: string[]; ignore: string[]; data: string[] };

/** The packages in the order in which they are built; the entry point's own package is the last. */
export async function javascriptSources(entry: EntryPoint, search: Search, wanted: DiscoveryInput): Promise<Package[]> {
  const { cwd, facts } = search;
  const classifier = createEntryClassifier(search);
  const { classifyEntry, withReferences } = classifier;
  const endings = (own: readonly string[]): readonly string[] => (wanted.ext?.length ? wanted.ext : own);
  const visited = new Set<string>();

  async function packagesOf({ file, language, tsconfig }: EntryPoint): Promise<Package[]> {
    const directories = projectDirectories(dirname(file));
    const manifest = packageIn(directories);
    const top = manifest?.directory ?? dirname(file);
    visited.add(top);
    const entryClass = await classifyEntry(file, tsconfig);
    const making = await makingOf(entryClass, directories);
    const build = making.by === 'us' ? making.build : undefined;
    tell(file, entryClass, making);
    const files: Mutable = { watch: [], ignore: [], data: dataIn([top], cwd) };
    const projects = await addSources(files, language, top, entryClass, making);
    addManifests(files, directories, projects);
    const isOutput = entryClass.kind === 'built' && isInside(file, entryClass.output);
    if (!isOutput && isFile(file)) files.watch.push(shown(file, cwd));

    const linked: Package[] = [];
    for (const main of manifest === undefined ? [] : linkedMains(manifest)) {
      if (visited.has(packageIn(projectDirectories(dirname(main)))?.directory ?? '')) continue;
      linked.push(...(await packagesOf({ file: main, language: languageOf(endingOf(main)) ?? 'javascript' })));
    }
    for (const one of linked) {
      files.watch.push(...one.watch);
      files.ignore.push(...one.ignore);
      files.data.push(...one.data);
    }
    const isCovered = (one: Package): boolean =>
      wanted.build !== undefined ||
      (build !== undefined && build.directory !== top && isInside(one.directory, build.directory)) ||
      projects.some((path) => isInside(path, one.directory));
    const coveredOutputs = linked.filter(isCovered).flatMap(({ outputs = [] }) => outputs);
    const own: Package = {
      name: manifest?.name || basename(top),
      watch: [...new Set(files.watch)],
      ignore: [...new Set(files.ignore)],
      data: wanted.ext?.length ? [] : [...new Set(files.data)],
      directory: top,
      because: because(file, entryClass, making),
      read: [...['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(top, name)), ...projects],
      ...(entryClass.kind === 'built'
        ? { outputs: [...new Set([...(await outputsOf(entryClass)), ...coveredOutputs])] }
        : {}),
      ...(build === undefined ? {} : { build }),
    };
    return [...linked.filter((one) => one.build !== undefined && !isCovered(one)), own];
  }

  async function makingOf(entryClass: EntryClass, directories: readonly string[]): Promise<Making> {
    if (entryClass.kind !== 'built') return { by: 'nobody' };
    const build = buildOf(directories);
    // A build that the user names is run in any case.
    const named = typeof wanted.build === 'string';
    const product = { entryClass, build: buildIn(directories), classifier };
    const command = named ? undefined : await builderIn(search, product);
    if (command !== undefined) return { by: 'the command', command };
    if (build !== undefined) return { by: 'us', build };
    const endless = wanted.build === undefined ? endlessBuildIn(directories) : undefined;
    return endless === undefined ? { by: 'nobody' } : { by: 'nobody', endless };
  }

  /** One build writes the outputs of all projects that the tsconfig refers to. */
  async function outputsOf({ output, config }: Extract<EntryClass, { kind: 'built' }>): Promise<string[]> {
    const projects = config === undefined ? [] : await withReferences(config);
    const others = projects.flatMap(({ outDir, directory }) =>
      outDir === undefined || isInside(directory, outDir) ? [] : [outDir],
    );
    return [output, ...others];
  }

  function buildOf(directories: readonly string[]): Build | undefined {
    if (wanted.build === false) return undefined;
    if (wanted.build === undefined) return buildIn(directories);
    return buildIn(directories, wanted.build) ?? { script: wanted.build, directory: cwd };
  }

  /** Returns the tsconfigs, those that they extend among them. */
  async function addSources(
    { watch, ignore, data }: Mutable,
    language: LanguageName,
    top: string,
    entryClass: EntryClass,
    making: Making,
  ): Promise<string[]> {
    if (entryClass.kind === 'built' && making.by === 'nobody') {
      watch.push(withEndings(entryClass.output, endings(javascriptEndings), cwd));
      // The build that the user runs puts data files beside the code. A watch of the package skips output directories.
      data.push(...dataIn([entryClass.output], cwd));
      return [];
    }
    if (entryClass.kind !== 'plain' && entryClass.config !== undefined) {
      const projects = await withReferences(entryClass.config);
      for (const project of projects) {
        const sources = project.sources(entryClass.kind === 'source', wanted.ext ?? [], cwd);
        watch.push(...sources.watch);
        ignore.push(...sources.ignore);
        data.push(
          ...dataIn(
            project.places.filter((directory) => !isInside(directory, top)),
            cwd,
          ),
        );
      }
      return projects.flatMap((project) => project.files);
    }
    const own = endings(languages[entryClass.kind === 'built' ? 'typescript' : language].endings);
    watch.push(withEndings(top, own, cwd));
    if (entryClass.kind === 'built') ignore.push(ignored(entryClass.output));
    return [];
  }

  function addManifests({ watch }: Mutable, directories: readonly string[], tsconfigs: readonly string[]): void {
    const places = new Set([packageIn(directories)?.directory, lockDirectory(directories)].flatMap((one) => one ?? []));
    for (const directory of places) watch.push(manifestsIn(directory, languages.typescript, cwd));
    for (const path of tsconfigs) {
      if (!places.has(dirname(path)) || !/^tsconfig.*\.json$/.test(basename(path))) watch.push(shown(path, cwd));
    }
  }

  function tell(file: string, entryClass: EntryClass, making: Making): void {
    facts.push({
      what: 'entry',
      value: shown(file, cwd),
      from: facts.some(({ what }) => what === 'entry') ? 'a linked package' : 'the command',
    });
    if (entryClass.kind !== 'plain' && entryClass.config) {
      facts.push({ what: 'tsconfig', value: shown(entryClass.config.path, cwd), from: 'above the entry' });
    }
    if (entryClass.kind === 'built')
      facts.push({ what: 'output', value: shown(entryClass.output, cwd), from: entryClass.by });
    if (making.by === 'the command') {
      facts.push({ what: 'built by', value: making.command, from: 'the command, before the server' });
    } else if (making.by === 'us' && wanted.build === undefined) {
      facts.push({
        what: 'build',
        value: making.build.script,
        from: `scripts in ${shown(join(making.build.directory, 'package.json'), cwd)}`,
      });
    }
  }

  function because(file: string, entryClass: EntryClass, making: Making): string {
    const name = shown(file, cwd);
    if (entryClass.kind === 'source') return `${name} is a source of ${shown(entryClass.config.path, cwd)}`;
    if (entryClass.kind === 'plain') return `${name} is ${languages[languageOf(endingOf(file)) ?? 'javascript'].label}`;
    const lies = isInside(file, entryClass.output)
      ? `${name} lies in ${shown(entryClass.output, cwd)}, ${entryClass.by}`
      : `${shown(entryClass.output, cwd)} is ${entryClass.by}`;
    if (making.by === 'the command') return `${lies}, and the command makes it itself with "${making.command}"`;
    if (making.by === 'us' || wanted.build === false) return lies;
    const lack =
      making.endless === undefined
        ? 'there is no script "build" to make it'
        : `the script "build" never ends (${making.endless})`;
    return `${lies}, and ${lack}; name one with --build`;
  }

  return packagesOf(entry);
}
