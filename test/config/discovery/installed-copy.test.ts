// A Python package that was installed without -e: found by the file that Python would import, in virtual environments
// made by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findInstalledCopy, sitePackagesOf } from '#src/config/discovery/installed-copy.js';
import { fact, place, type Content, type Place } from './fixture.js';
import type { DiscoveryInput } from '#src/config/discovery/discover.js';

const pyproject = '[project]\nname = "own"\n\n[project.scripts]\nown-mcp = "own.cli:main"\n';
const packages = '.venv/lib/python3.12/site-packages';

const inSrc = { 'src/own/__init__.py': '', 'src/own/__main__.py': '', 'src/own/cli.py': '' };
const flat = { 'own/__init__.py': '', 'own/__main__.py': '', 'own/cli.py': '' };
const copy = {
  [`${packages}/own/__init__.py`]: '',
  [`${packages}/own/__main__.py`]: '',
  [`${packages}/own/cli.py`]: '',
};

function here(t: Parameters<typeof place>[0], files: Record<string, Content>, origin?: object): Place {
  const made = place(t, {
    '.git/HEAD': '',
    'pyproject.toml': pyproject,
    '.venv/pyvenv.cfg': 'home = /usr/bin\n',
    '.venv/bin/python': '#!/bin/sh\n',
    '.venv/bin/own-mcp': '#!/bin/sh\n',
    ...files,
  });
  const url = pathToFileURL(made.directory).href;
  if (origin) made.write(`${packages}/own-1.0.dist-info/direct_url.json`, JSON.stringify({ url, ...origin }));
  return made;
}

interface Case {
  readonly what: string;
  readonly files: Record<string, Content>;
  readonly command: string;
  /** direct_url.json. */
  readonly origin?: object;
  readonly env?: NodeJS.ProcessEnv;
}

const elsewhere: Case[] = [
  {
    what: 'an installed command',
    files: { ...inSrc, ...copy },
    command: '.venv/bin/own-mcp',
    origin: { dir_info: {} },
  },
  {
    what: 'an installed command, flat',
    files: { ...flat, ...copy },
    command: '~/.venv/bin/own-mcp',
    origin: { dir_info: {} },
  },
  {
    what: 'a module in src',
    files: { ...inSrc, ...copy },
    command: '.venv/bin/python -m own',
    origin: { dir_info: {} },
  },
  { what: 'without direct_url.json', files: { ...inSrc, ...copy }, command: '.venv/bin/python -m own' },
  { what: 'python of the PATH', files: { ...inSrc, ...copy }, command: 'python -m own', env: { PATH: '.venv/bin' } },
  {
    what: 'VIRTUAL_ENV',
    files: { ...inSrc, ...copy },
    command: 'python -m own',
    env: { VIRTUAL_ENV: '.venv', PATH: '' },
  },
  { what: 'poetry', files: { ...inSrc, ...copy }, command: 'poetry run own-mcp' },
  { what: 'uv that is told not to', files: { ...inSrc, ...copy }, command: 'uv run --no-sync own-mcp' },
];

const absolute = (made: Place, env: NodeJS.ProcessEnv | undefined): Partial<DiscoveryInput> => {
  const pairs = Object.entries(env ?? { PATH: process.env['PATH'] ?? '' });
  return { env: Object.fromEntries(pairs.map(([name, value]) => [name, env && value ? made.path(value) : value])) };
};

for (const { what, files, command, origin, env } of elsewhere) {
  test(`a copy runs, and it is said: ${what}`, async (t) => {
    const made = here(t, files, origin);
    const found = await made.find(command, absolute(made, env));
    const root = 'src/own/cli.py' in files ? 'src' : '.';
    assert.equal(found.level, 'warn', found.why);
    assert.match(
      found.why,
      /; but the code that runs is \.venv\/lib\/python3\.12\/site-packages\/own\/\w+\.py, a copy/,
    );
    assert.ok(
      found.why.includes(`an edit in ${root} has no effect: run "pip install -e ." (or "uv pip install -e .")`),
    );
    assert.match(found.why, /in the virtual environment \.venv, then restart the server$/);
    assert.match(fact(found, 'runs from') ?? '', /site-packages/);
    assert.equal(found.copy?.sources, root);
  });
}

const editable = { dir_info: { editable: true } };
const sources: Case[] = [
  { what: 'a module right in the working directory', files: { ...flat, ...copy }, command: '.venv/bin/python -m own' },
  { what: 'nothing is installed', files: inSrc, command: '.venv/bin/python -m own', origin: editable },
  {
    what: 'an editable package with compiled parts',
    files: { ...inSrc, ...copy },
    command: '.venv/bin/own-mcp',
    origin: editable,
  },
  {
    what: 'PYTHONPATH comes first',
    files: { ...inSrc, ...copy },
    command: '.venv/bin/own-mcp',
    env: { PYTHONPATH: 'src' },
  },
  {
    what: 'a link to the sources',
    files: { ...inSrc, [`${packages}/own`]: { link: '../../../../src/own' } },
    command: '.venv/bin/own-mcp',
  },
  { what: 'uv installs with -e', files: { ...inSrc, ...copy }, command: 'uv run own-mcp' },
  { what: 'an interpreter of the system', files: { ...inSrc, ...copy }, command: '/usr/bin/python3 -m own' },
];

for (const { what, files, command, origin, env } of sources) {
  test(`the sources run, and nothing is said: ${what}`, async (t) => {
    const made = here(t, files, origin);
    const found = await made.find(command, absolute(made, env));
    assert.equal(found.copy, undefined, found.why);
    assert.equal(found.level, 'info', found.why);
  });
}

test('where packages lie, on each platform', (t) => {
  const { path, directory } = place(t, {
    'venv/lib/python3.9/x': '',
    'venv/lib/pypy3.10/x': '',
    'venv/lib/other/x': '',
    'venv/Lib/site-packages/own.py': '',
    'src/own.py': '',
  });
  const venv = path('venv');
  assert.deepEqual(sitePackagesOf(venv, 'linux').sort(), [
    path('venv/lib/pypy3.10/site-packages'),
    path('venv/lib/python3.9/site-packages'),
  ]);
  assert.deepEqual(sitePackagesOf(venv, 'win32'), [path('venv/Lib/site-packages')]);
  const imported = { module: 'own', file: path('src/own.py'), root: path('src'), first: [directory] };
  assert.equal(findInstalledCopy(imported, venv, directory, 'win32')?.copy, path('venv/Lib/site-packages/own.py'));
  assert.equal(findInstalledCopy(imported, venv, directory, 'linux'), undefined);
});

for (const [what, text] of [
  ['the project in the working directory', ''],
  ['the project that it was installed from', '[console_scripts]\nown-mcp = own.cli:main\n'],
] as const) {
  test(`a command of a virtual environment beside the project is an installed copy too: ${what}`, async (t) => {
    const made = place(t, {
      'venvs/a/pyvenv.cfg': '',
      'venvs/a/bin/own-mcp': '#!/venv/python\n',
      'venvs/a/lib/python3.12/site-packages/own/cli.py': '',
      'venvs/a/lib/python3.12/site-packages/own-1.0.dist-info/entry_points.txt': text,
      'project/.git/HEAD': '',
      'project/pyproject.toml': pyproject,
      'project/src/own/cli.py': '',
      'elsewhere/x': '',
    });
    const url = pathToFileURL(made.path('project')).href;
    made.write(
      'venvs/a/lib/python3.12/site-packages/own-1.0.dist-info/direct_url.json',
      JSON.stringify({ url, dir_info: {} }),
    );
    const cwd = made.path(text === '' ? 'project' : 'elsewhere');
    const found = await made.find('~/venvs/a/bin/own-mcp', { cwd });
    assert.equal(found.copy?.copy, made.path('venvs/a/lib/python3.12/site-packages/own/cli.py'), found.why);
    assert.deepEqual((await made.watched(found, cwd))['server'], ['project/pyproject.toml', 'project/src/own/cli.py']);
  });
}
