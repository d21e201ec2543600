// A compiled program beside its manifest (go.mod, Cargo.toml, pom.xml, build.gradle, a Makefile): which build makes it,
// if the manifest settles that, else the options that the user could give. Manifests are read by the few lines that
// matter; nothing is run.

import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isFile, isInside, nearestWith, projectDirectories, readText, realOf, shown } from './disk.js';
import { directoriesIn, expandDirectories, namesIn } from './directories.js';
import type { Proposal, Search, Target } from './discovery.js';
import { languages } from './languages.js';
import { withEndings } from './patterns.js';
import { quoted } from './workspace.js';

/** The program's absolute path, and the working directory of its command. */
interface Program {
  readonly file: string;
  readonly cwd: string;
}

/** `doubt`: why the build is proposed instead of run. */
type Made = Omit<Extract<Target, { kind: 'made' }>, 'kind' | 'file'> & { readonly doubt?: string };

/** The program as a target that is built, or watched by itself with a proposal; undefined if no manifest is near. */
export function nativeProgram(file: string, { cwd }: Search): Target | undefined {
  const program: Program = { file, cwd };
  const made = rust(program) ?? go(program) ?? maven(program) ?? gradle(program);
  if (made === undefined) {
    const proposal = make(program);
    return proposal && { kind: 'itself', file, proposal };
  }
  const { doubt, ...rest } = made;
  if (doubt === undefined) return { kind: 'made', file, ...rest };
  const watch = withEndings(made.directory, languages[made.language].endings, cwd);
  return { kind: 'itself', file, proposal: { watch, build: made.build, doubt } };
}

function go({ file, cwd }: Program): Made | undefined {
  const top = nearestWith(projectDirectories(dirname(file)), ['go.mod']);
  if (top === undefined) return undefined;
  const manifest = shown(join(top, 'go.mod'), cwd);
  const name = basename(file).replace(/\.exe$/i, '');
  const mains = ['.', ...directoriesIn(join(top, 'cmd')).map((one) => `cmd/${one}`)].filter((one) =>
    isMainPackage(join(top, one)),
  );
  const module = /^module\s+(\S+)/m.exec(readText(join(top, 'go.mod')) ?? '')?.[1] ?? '';
  const isNamed = (one: string): boolean => basename(one === '.' ? module : one) === name;
  const chosen = mains.length === 1 ? mains : mains.filter(isNamed);
  const path = chosen[0] ?? mains[0] ?? '.';
  const from = top === cwd ? '' : `-C ${quoted(shown(top, cwd))} `;
  const build = `go build ${from}-o ${quoted(way(top, file))} ${path === '.' ? '.' : quoted(`./${path}`)}`;
  const made = { language: 'go', directory: top, build, manifest } as const;
  const isPlaced = [top, ...['bin', 'build', 'dist', 'out', 'tmp', path].map((one) => join(top, one))].includes(
    dirname(file),
  );
  if (!isPlaced) return { ...made, doubt: `${shown(file, cwd)} does not lie where programs of ${manifest} are put` };
  if (chosen.length === 1) return made;
  return {
    ...made,
    doubt: mains.length === 0 ? `${manifest} has no main package` : `${manifest} has several main packages`,
  };
}

function isMainPackage(directory: string): boolean {
  return namesIn(directory)
    .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
    .some((name) => /^package main\b/m.test(readText(join(directory, name)) ?? ''));
}

function rust({ file, cwd }: Program): Made | undefined {
  const directories = projectDirectories(dirname(file));
  const near = nearestWith(directories, ['Cargo.toml']);
  if (near === undefined) return undefined;
  const top = directories.find((one) => /^\[workspace/m.test(cargoToml(one))) ?? near;
  const manifest = shown(join(top, 'Cargo.toml'), cwd);
  const name = basename(file).replace(/\.exe$/i, '');
  const members = expandDirectories(top, tomlList(cargoToml(top), 'members'));
  const packages = [...new Set([top, ...members])].filter((one) => binariesOf(one).includes(name));
  const [own] = packages;
  const places = relative(join(top, 'target'), dirname(file)).split(sep);
  const flags = [
    ...(top === cwd ? [] : ['--manifest-path', quoted(manifest)]),
    ...(own === undefined || own === top ? [] : ['-p', packageName(own)]),
    ...(own === undefined ? [] : ['--bin', name]),
    ...profile(places.at(-1)),
    ...(places.length === 2 ? ['--target', places[0]!] : []),
  ];
  const made = { language: 'rust', directory: top, build: ['cargo build', ...flags].join(' '), manifest } as const;
  if (!isInside(file, join(top, 'target')) || places.length > 2)
    return { ...made, build: 'cargo build', doubt: `${shown(file, cwd)} does not lie where cargo puts what it builds` };
  if (packages.length === 1) return made;
  return { ...made, doubt: `${manifest} has ${packages.length === 0 ? 'no' : 'more than one'} program called ${name}` };
}

function profile(directory: string | undefined): string[] {
  if (directory === 'release') return ['--release'];
  return directory === 'debug' || directory === undefined || directory === '..' ? [] : ['--profile', directory];
}

function cargoToml(directory: string): string {
  return readText(join(directory, 'Cargo.toml')) ?? '';
}

function packageName(directory: string): string {
  const section = /^\[package\]([^[]*)/m.exec(cargoToml(directory))?.[1] ?? '';
  return /^\s*name\s*=\s*["']([^"']+)["']/m.exec(section)?.[1] ?? '';
}

function binariesOf(directory: string): string[] {
  const bins = [...cargoToml(directory).matchAll(/^\[\[bin\]\]([^[]*)/gm)].flatMap(
    ([, text]) => /^\s*name\s*=\s*["']([^"']+)["']/m.exec(text!)?.[1] ?? [],
  );
  const main = isFile(join(directory, 'src/main.rs')) ? [packageName(directory)] : [];
  const more = namesIn(join(directory, 'src/bin')).flatMap((name) =>
    name.endsWith('.rs') ? [name.slice(0, -3)] : isFile(join(directory, 'src/bin', name, 'main.rs')) ? [name] : [],
  );
  return [...bins, ...main, ...more];
}

function tomlList(text: string, key: string): string[] {
  const list = new RegExp(`^\\s*${key}\\s*=\\s*\\[([^\\]]*)\\]`, 'm').exec(text)?.[1] ?? '';
  return [...list.replace(/#.*$/gm, '').matchAll(/["']([^"']+)["']/g)].map(([, one]) => one!);
}

function maven({ file, cwd }: Program): Made | undefined {
  const directories = projectDirectories(dirname(file));
  const own = file.endsWith('.jar') ? nearestWith(directories, ['pom.xml']) : undefined;
  if (own === undefined) return undefined;
  const text = (readText(join(own, 'pom.xml')) ?? '').replace(/<!--[^]*?-->/g, '');
  const plain = text.replace(/<(parent|dependencies|dependencyManagement|plugins)>[^]*?<\/\1>/g, '');
  const names = [/<finalName>([^<$]+)</.exec(text)?.[1], /<artifactId>([^<]+)</.exec(plain)?.[1]];
  // A module is built by the project above, with the modules that it depends on.
  const above = directories.find((one) => one !== own && modulesOf(one).some((path) => join(one, path) === own));
  const top = above ?? own;
  const wrapper = isFile(join(top, 'mvnw')) ? shownProgram(join(top, 'mvnw'), cwd) : 'mvn';
  const build = [
    wrapper,
    '-q',
    ...(top === cwd ? [] : ['-f', quoted(shown(join(top, 'pom.xml'), cwd))]),
    ...(top === own ? [] : ['-pl', quoted(way(top, own)), '-am']),
    'package -DskipTests',
  ].join(' ');
  const manifest = shown(join(own, 'pom.xml'), cwd);
  const made = { language: 'java', directory: top, build, manifest } as const;
  const isIts =
    dirname(file) === join(own, 'target') && names.some((name) => name && basename(file).startsWith(name.trim()));
  return isIts ? made : { ...made, doubt: `${manifest} does not say that it makes ${shown(file, cwd)}` };
}

function modulesOf(directory: string): string[] {
  const text = readText(join(directory, 'pom.xml')) ?? '';
  return [...text.matchAll(/<module>([^<]+)</g)].map(([, path]) => path!.trim());
}

const gradleFiles = ['build.gradle', 'build.gradle.kts'];
const gradleSettings = ['settings.gradle', 'settings.gradle.kts'];

function gradle({ file, cwd }: Program): Made | undefined {
  const directories = projectDirectories(dirname(file));
  const own = file.endsWith('.jar') ? nearestWith(directories, gradleFiles) : undefined;
  if (own === undefined) return undefined;
  const top = nearestWith(directories, gradleSettings) ?? own;
  const textOf = (directory: string, names: readonly string[]): string =>
    names.map((name) => readText(join(directory, name)) ?? '').join('\n');
  const named = (text: string, key: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${key}\\b[^"'\\n]*["']([^"'$]+)["']`, 'g'))].map(([, name]) => name!);
  const names = [
    ...named(textOf(own, gradleFiles), '(?:archivesName|archivesBaseName|archiveBaseName|archiveFileName)'),
    ...(top === own ? named(textOf(top, gradleSettings), 'rootProject\\.name') : []),
    basename(own),
  ];
  const wrapper = isFile(join(top, 'gradlew')) ? shownProgram(join(top, 'gradlew'), cwd) : 'gradle';
  const at = own === cwd ? '' : ` -p ${quoted(shown(own, cwd))}`;
  // A daemon would outlive the session.
  const build = `${wrapper} -q --no-daemon${at} assemble`;
  const manifest = shown(
    join(
      own,
      gradleFiles.find((name) => isFile(join(own, name)))!,
    ),
    cwd,
  );
  const made = { language: 'java', directory: top, build, manifest } as const;
  const isIts = dirname(file) === join(own, 'build', 'libs') && names.some((name) => basename(file).startsWith(name));
  return isIts ? made : { ...made, doubt: `${manifest} does not say that it makes ${shown(file, cwd)}` };
}

const compiledEndings = new Set('c h cc cpp cxx hpp hh m zig nim d hs ml cr v pas'.split(' '));

/** A Makefile says which command to run, but too little about its sources. */
function make({ file, cwd }: Program): Proposal | undefined {
  const names = ['GNUmakefile', 'makefile', 'Makefile'];
  const top = nearestWith(projectDirectories(dirname(file)), names);
  if (top === undefined) return undefined;
  const manifest = shown(
    join(
      top,
      names.find((name) => isFile(join(top, name)))!,
    ),
    cwd,
  );
  const text = readText(resolve(cwd, manifest)) ?? '';
  const targets = new Set(
    [...text.matchAll(/^([^\s:#=][^:#=]*):(?!=)/gm)].flatMap(([, row]) => row!.trim().split(/\s+/)),
  );
  const target = [way(top, file), `./${way(top, file)}`, basename(file), 'build'].find((one) => targets.has(one));
  const build = `make${top === cwd ? '' : ` -C ${quoted(shown(top, cwd))}`}${target === undefined ? '' : ` ${quoted(target)}`}`;
  const isCode = (name: string): boolean => compiledEndings.has(/\.([^.]+)$/.exec(name)?.[1] ?? '');
  const place = [join(top, 'src'), top].find((one) => namesIn(one).some(isCode)) ?? top;
  const found = [
    ...new Set(
      namesIn(place)
        .filter(isCode)
        .map((name) => name.replace(/^.*\./, '')),
    ),
  ].sort();
  const glob = found.length === 0 ? '' : found.length === 1 ? `/**/*.${found[0]}` : `/**/*.{${found.join(',')}}`;
  const watch = `${shown(place, cwd)}${glob}`.replace(/^\.\//, '');
  return { build, watch, doubt: `${manifest} does not tell its sources` };
}

/** The program as the first word of a command that runs in the working directory. */
function shownProgram(file: string, cwd: string): string {
  const path = shown(file, cwd);
  return quoted(/[\\/]/.test(path) ? path : `./${path}`);
}

function way(from: string, to: string): string {
  return relative(realOf(from), realOf(to)).replaceAll(sep, '/') || '.';
}
