// That no build is expected where there may be one: a server that is started before its build would run old code. Each
// case is compared with what discovery finds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveConfig, type CommandLineOptions } from '#src/config/config.js';
import { hasNoBuild } from '#src/config/discovery/no-build.js';
import { completeConfig } from '#src/config/discovery/complete.js';
import { hasBuild } from '#src/config/rules.js';
import { project } from '../../support/project.js';

const built = {
  'package.json': '{ "scripts": { "build": "tsc" } }',
  'tsconfig.json': '{ "compilerOptions": { "outDir": "dist" }, "include": ["src"] }',
  'dist/index.js': '',
  'src/index.ts': '',
};
const plain = { 'package.json': '{ "name": "plain" }', 'index.js': '' };
const workspace = {
  'package.json': '{ "workspaces": ["packages/*"] }',
  'packages/a/package.json': '{ "name": "a" }',
  'packages/a/index.js': '',
};

interface Case {
  readonly files: Record<string, string>;
  readonly given: CommandLineOptions;
  readonly expected: boolean;
}

const node = (entry: string, more: CommandLineOptions = {}): CommandLineOptions => ({
  command: 'node',
  args: [entry],
  ...more,
});

const cases: Record<string, Case> = {
  'a Python file': {
    files: { 'server.py': '' },
    given: { command: 'python3.12', args: ['server.py'] },
    expected: true,
  },
  'a Python module': { files: { 'server.py': '' }, given: { command: 'python3', args: ['-m', 'uv'] }, expected: false },
  'a Python file beside a build of something else': {
    files: { ...built, 'server.py': '' },
    given: { command: 'python', args: ['server.py'] },
    expected: true,
  },
  'plain JavaScript': { files: plain, given: node('index.js'), expected: true },
  'plain JavaScript, and what to watch': { files: plain, given: node('index.js', { watch: ['.'] }), expected: true },
  'JavaScript without a package': { files: { 'index.mjs': '' }, given: node('index.mjs'), expected: true },
  'an output with a build script': { files: built, given: node('dist/index.js'), expected: false },
  'an output, and what to watch': { files: built, given: node('dist/index.js', { watch: ['src'] }), expected: false },
  'an output that is not to be built': { files: built, given: node('dist/index.js', { build: false }), expected: true },
  'a build that is named': { files: plain, given: node('index.js', { build: 'tsc' }), expected: false },
  'a build that is wanted': { files: plain, given: node('index.js', { build: true }), expected: false },
  'no reloading': { files: built, given: node('dist/index.js', { reload: false }), expected: true },
  'a package of a workspace': { files: workspace, given: node('packages/a/index.js'), expected: false },
  'a package with linked ones': {
    files: { ...plain, 'package.json': '{ "dependencies": { "b": "link:../b" } }' },
    given: node('index.js'),
    expected: false,
  },
  'options of node': { files: plain, given: { command: 'node', args: ['--inspect', 'index.js'] }, expected: false },
  TypeScript: { files: { 'index.ts': '' }, given: node('index.ts'), expected: false },
  'a script runner': { files: built, given: { command: 'npm', args: ['start'] }, expected: false },
};

for (const [name, { files, given, expected }] of Object.entries(cases)) {
  test(`P4 whether the server may be started before discovery, ${name}`, async (t) => {
    const resolved = resolveConfig(given, { cwd: project(t, files).directory, env: {} });
    assert.ok(resolved.ok);
    assert.equal(hasNoBuild(resolved.value), expected);
    const { config } = await completeConfig(resolved.value);
    if (expected && config.reload) assert.equal(hasBuild(config.rules), false);
  });
}
