// What is watched, seen from outside: an edit of it restarts the server, an edit of anything else doesn't. Each step is
// an edit and a call; the generation that answers tells which it was. The watcher's finer points have tests of their
// own.

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { project } from '../../support/harness.js';
import { modes, type ReloadProject, watched, type WatchedOptions } from '../../support/reload-project.js';
import { built } from '../../support/reloadable.js';

type Act = (proxy: ReloadProject) => void;
/** The number is how many generations the edit costs. */
type Step = [what: string, restarts: 0 | 1, act: Act];

const write =
  (file: string, content = `${process.hrtime.bigint()}`): Act =>
  ({ files }) =>
    files.write(file, content);
const remove =
  (file: string): Act =>
  ({ files }) =>
    files.remove(file);

function again(file: string): void {
  const content = readFileSync(file);
  rmSync(file);
  writeFileSync(file, content);
}

interface Scenario {
  title: string;
  given: WatchedOptions;
  steps: Step[];
  /** With polling too. */
  polls?: boolean;
}

const scenarios: Scenario[] = [
  {
    title: 'every --watch is used: directories, files and globs',
    polls: true,
    given: {
      watch: ['src', 'settings.json', 'lib/**/*.txt', 'docs/*.md'],
      files: {
        'settings.json': '{}',
        'lib/deep/er/a.txt': '1',
        'lib/b.mjs': '1',
        'docs/a.md': '1',
        'docs/deep/b.md': '1',
      },
    },
    steps: [
      ['the first one, a directory', 1, write('src/behaviour.mjs', 'export default { answer: "two" };')],
      ['the second one, a file', 1, write('settings.json')],
      ['the third one, a glob over directories', 1, write('lib/deep/er/a.txt')],
      ['the fourth one, a glob in one directory', 1, write('docs/a.md')],
      ['another ending than the glob asks for', 0, write('lib/b.mjs')],
      ['deeper than the glob reaches', 0, write('docs/deep/b.md')],
      ['beside what is named', 0, write('other.json')],
      ['a new file that a glob asks for', 1, write('lib/new/c.txt')],
    ],
  },
  {
    title: 'files and directories come, go and come back',
    polls: true,
    given: { watch: ['src', 'settings.json'], files: { 'settings.json': '{}', 'src/part/a.mjs': '1' } },
    steps: [
      ['a new file', 1, write('src/new.mjs')],
      ['a new file in a new directory in a new directory', 1, write('src/x/y/z.mjs')],
      ['an edit of it', 1, write('src/x/y/z.mjs')],
      ['an atomic save', 1, ({ files }) => files.writeAtomic('src/x/y/z.mjs', 'atomic')],
      ['an edit of what an atomic save has left', 1, write('src/x/y/z.mjs')],
      ['a directory is removed', 1, remove('src/x')],
      ['it is made again', 1, write('src/x/y/z.mjs', 'again')],
      ['an edit in it', 1, write('src/x/y/z.mjs')],
      ['a directory is renamed', 1, ({ files }) => renameSync(files.path('src/part'), files.path('src/whole'))],
      ['an edit in it under its new name', 1, write('src/whole/a.mjs')],
      ['an empty directory', 0, ({ files }) => mkdirSync(files.path('src/empty'))],
      ['a watched file is removed', 1, remove('settings.json')],
      ['it is made again', 1, write('settings.json')],
      ['an edit of it', 1, write('settings.json')],
      ['it is removed and made again as it was', 0, ({ files }) => again(files.path('settings.json'))],
    ],
  },
  {
    title: 'what nobody edits is left out: dependencies, hidden, temporary and log files, build output, .gitignore',
    given: {
      watch: ['.'],
      files: {
        'package.json': '{}',
        '.gitignore': 'secret.mjs\ncache/\n*.gen.mjs\n!kept.gen.mjs\n',
        'src/.gitignore': 'local.mjs\n',
        'node_modules/dep/index.js': '1',
        'src/node_modules/dep/index.js': '1',
        'dist/server.mjs': '1',
      },
    },
    steps: [
      ['an edit in node_modules', 0, write('node_modules/dep/index.js')],
      ['a new package', 0, write('node_modules/other/index.js')],
      ['an edit in a node_modules further down', 0, write('src/node_modules/dep/index.js')],
      ['an edit in dist', 0, write('dist/server.mjs')],
      ['a hidden file', 0, write('src/.hidden.mjs')],
      ['a file in .git', 0, write('.git/index')],
      ['what editors leave around', 0, write('src/behaviour.mjs~')],
      ['what vim leaves around', 0, write('src/.behaviour.mjs.swp')],
      ['a log file', 0, write('server.log')],
      ['what .gitignore names', 0, write('secret.mjs')],
      ['a directory that .gitignore names', 0, write('cache/a.mjs')],
      ['what .gitignore describes', 0, write('src/deep/a.gen.mjs')],
      ['what a .gitignore further down names', 0, write('src/local.mjs')],
      ['the exception from .gitignore', 1, write('src/kept.gen.mjs')],
      ['the manifest', 1, write('package.json', '{ "name": "x" }')],
      ['a source', 1, write('src/new.mjs')],
      ['the entry', 1, ({ files }) => appendFileSync(files.path('server.mjs'), '// edited\n')],
    ],
  },
  {
    title: 'what is named is watched, whatever .gitignore and the defaults say',
    given: {
      watch: ['dist', 'secret.json', 'node_modules/dep'],
      files: {
        '.gitignore': 'dist\nsecret.json\nnode_modules\n',
        'dist/server.mjs': '1',
        'secret.json': '1',
        'node_modules/dep/index.js': '1',
      },
    },
    steps: [
      ['a directory of build output', 1, write('dist/server.mjs')],
      ['a new directory in it', 1, write('dist/a/b.mjs')],
      ['an ignored file', 1, write('secret.json')],
      ['a dependency', 1, write('node_modules/dep/index.js')],
      ['a dependency that is not named', 0, write('node_modules/other/index.js')],
    ],
  },
  {
    title: '--ignore and --ext are read, every one of them',
    given: {
      watch: ['src'],
      options: ['--ignore', 'src/generated/**', '-i', '*.test.mjs', '--ignore', 'src/one.mjs', '--ext', 'mjs,json'],
    },
    steps: [
      ['the first --ignore', 0, write('src/generated/a/b.mjs')],
      ['the second --ignore', 0, write('src/deep/a.test.mjs')],
      ['the third --ignore', 0, write('src/one.mjs')],
      ['an ending that is not listed', 0, write('src/a.txt')],
      ['the first ending that is listed', 1, write('src/a.mjs')],
      ['the second ending that is listed', 1, write('src/deep/a.json')],
    ],
  },
];

for (const { title, given, steps, polls } of scenarios) {
  for (const [mode, options] of polls ? modes : modes.slice(0, 1)) {
    test(`P4 P5 ${mode}: ${title}`, async (t) => {
      const proxy = await watched(t, { ...given, options: [...(given.options ?? []), ...options, '-d', '20000'] });
      await walk(proxy, steps);
    });
  }
}

async function walk(proxy: ReloadProject, steps: Step[]): Promise<void> {
  for (const [what, restarts, act] of steps) {
    const before = await proxy.generation();
    act(proxy);
    assert.equal(await proxy.generation(), before + restarts, `${what}\n${proxy.transcript()}`);
  }
}

test('P4 P5 a root behind a symbolic link is watched, and no link leads out of it', async (t) => {
  const elsewhere = project(t, { 'real/a.mjs': '1', 'other/a.mjs': '1', 'outside/secret.mjs': '1' });
  const proxy = await watched(t, {
    watch: ['link'],
    options: ['-d', '20000'],
    prepare: (files) => symlinkSync(elsewhere.path('real'), files.path('link')),
  });
  const outside: Act = () => symlinkSync(elsewhere.path('outside'), elsewhere.path('real/out'));
  await walk(proxy, [
    ['an edit behind the link', 1, () => elsewhere.write('real/a.mjs', '2')],
    ['a new directory behind the link', 1, () => elsewhere.write('real/x/b.mjs', '2')],
    ['a link that leads out', 1, outside],
    ['an edit outside', 0, () => elsewhere.write('outside/secret.mjs', '2')],
    [
      'the link is turned elsewhere',
      1,
      ({ files }) => {
        symlinkSync(elsewhere.path('other'), files.path('link.new'));
        renameSync(files.path('link.new'), files.path('link'));
      },
    ],
    ['an edit where it leads now', 1, () => elsewhere.write('other/a.mjs', '2')],
    ['an edit where it led', 0, () => elsewhere.write('real/a.mjs', '3')],
  ]);
});

for (const [mode, options] of modes) {
  test(`P4 P5 ${mode}: what does not exist yet is a warning, and is watched for`, async (t) => {
    const proxy = await watched(t, {
      watch: ['later.json', 'not/yet', 'some/*.txt'],
      options: [...options, '-d', '20000'],
    });
    const warnings = proxy.logged('warning').map(({ text }) => text);
    for (const path of ['later.json', 'not/yet', 'some/*.txt'])
      assert.ok(
        warnings.some((text) => text.includes(path)),
        `${path} in ${warnings.join('; ')}`,
      );
    await walk(proxy, [
      ['the file comes', 1, write('later.json')],
      ['a directory on the way', 0, write('not/other.txt')],
      ['the directory comes', 1, write('not/yet/a.mjs')],
      ['an edit in it', 1, write('not/yet/a.mjs')],
      ['a first match of the glob', 1, write('some/a.txt')],
      ['the directory goes', 1, remove('not')],
      ['and comes back', 1, write('not/yet/a.mjs')],
    ]);
  });
}

test('P6 the state directory and the log file are never watched', async (t) => {
  const proxy = await watched(t, {
    watch: ['.'],
    options: ['--state-dir', 'state', '--log-file', 'events.txt', '--log-format', 'text'],
  });
  const before = await proxy.generation();
  await walk(proxy, [
    ['the log file', 0, write('events.txt')],
    ['a file in the state directory', 0, write('state/x.json')],
    ['a source', 1, write('src/a.mjs')],
  ]);
  assert.equal(await proxy.generation(), before + 1);
});

test('P4 --cwd is where the server, what is watched and the build are', async (t) => {
  const proxy = await watched(t, {
    ...built(),
    elsewhere: true,
    watch: ['src', 'lib/*.txt'],
    options: ['--build', 'node build.mjs', '-d', '20000'],
  });
  await walk(proxy, [
    ['a source', 1, write('src/a.mjs')],
    ['a match of the glob', 1, write('lib/a.txt')],
  ]);
  assert.deepEqual(proxy.logged('reloaded')[0]!.files, ['src/a.mjs']);
  assert.equal(proxy.builds(), 3);
});

test('P4 P5 MCP_WATCH_FILE names several, and --watch goes before it', async (t) => {
  const env = { MCP_WATCH_FILE: 'src,settings.json' };
  const proxy = await watched(t, { watch: [], env, options: ['-d', '20000'] });
  await walk(proxy, [
    ['the first', 1, write('src/a.mjs')],
    ['the second', 1, write('settings.json')],
    ['another file', 0, write('other.json')],
  ]);
  const other = await watched(t, { watch: ['other.json'], env, on: proxy.files, options: ['-d', '20000'] });
  await walk(other, [
    ['what the option names', 1, write('other.json')],
    ['what the variable names', 0, write('settings.json')],
  ]);
});

test('P5 without reload nothing is watched', async (t) => {
  const proxy = await watched(t, { env: { MCP_HOT_RELOAD: 'false' } });
  await walk(proxy, [['a source', 0, write('src/a.mjs')]]);
  assert.deepEqual(proxy.logged('change'), []);
});
