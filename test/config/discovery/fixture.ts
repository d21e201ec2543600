// Projects for the tests of discovery: files of all kinds in a temporary directory, what is found for a command in it,
// and which of the files the watch then takes, by the watch itself.

import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { discover, type Discovery, type DiscoveryInput } from '#src/config/discovery/discover.js';
import { openWatch } from '#src/watch/watch.js';
import { project, type Project } from '../../support/project.js';

/**
 * Text, data that becomes JSON, or where a link leads. Text that begins with `#!`, or as compiled programs do, is a
 * program.
 */
export type Content = string | object | { link: string };

export interface Place extends Project {
  /** What is found for a command, whose words are separated by blanks; `~` is the project's directory. */
  find(command: string, more?: Partial<DiscoveryInput>): Promise<Discovery>;
  /** The files that are watched, by rule, relative to the project, whichever directory they were found from. */
  watched(found: Discovery, cwd?: string): Promise<Record<string, string[]>>;
}

export function place(t: TestContext, files: Record<string, Content>): Place {
  const here = project(t);
  for (const [name, content] of Object.entries(files)) {
    if (typeof content === 'string') {
      here.write(name, content);
      if (/^(#!|\x7fELF)/.test(content)) chmodSync(here.path(name), 0o755);
    } else if ('link' in content) {
      mkdirSync(dirname(here.path(name)), { recursive: true });
      symlinkSync(content.link, here.path(name));
    } else {
      here.write(name, JSON.stringify(content));
    }
  }
  return {
    ...here,
    find(text, more = {}) {
      const [command = '', ...args] = text.replaceAll('~', here.directory).split(' ');
      return discover({ command, args, cwd: here.directory, env: { PATH: process.env['PATH'] }, ...more });
    },
    async watched({ rules, ignore }, cwd = here.directory) {
      const watched = await watchedBy(rules, ignore, cwd);
      const fromHere = (path: string) => relative(here.directory, resolve(cwd, path));
      return Object.fromEntries(Object.entries(watched).map(([rule, paths]) => [rule, paths.map(fromHere).sort()]));
    },
  };
}

async function watchedBy(rules: Discovery['rules'], ignore: string[], cwd: string): Promise<Record<string, string[]>> {
  const watch = openWatch(
    {
      cwd,
      rules: rules.map(({ name, watch: paths, data = [] }) => ({ name, paths, data })),
      ignore,
      ext: [],
      debounce: 10,
      poll: undefined,
      never: [],
      // Everything has been written after that, so everything counts as changed.
      since: 0,
    },
    { onQuiet: () => {}, warn: () => {} },
  );
  const mark = watch.mark();
  await watch.ready;
  const changes = watch.changedSince(mark);
  await watch.close();
  return Object.fromEntries(
    rules.map(({ name }) => [name, changes.filter((one) => one.rules.includes(name)).map(({ path }) => path)]),
  );
}

/** The value of a fact. */
export function fact({ facts }: Discovery, name: string): string | undefined {
  return facts.find(({ what }) => what === name)?.value;
}
