// Packages of a workspace by the words of npm, yarn, pnpm and bun, wherever they lie.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fact, place, type Content } from './fixture.js';

const packages: Record<string, Content> = {
  'libs/util/package.json': { name: '@own/util', scripts: { build: 'tsc' } },
  'services/mcp/api/package.json': { name: '@own/server', scripts: { start: 'node server.js' } },
  'services/mcp/api/server.js': '',
  'services/mcp/old/package.json': { name: '@own/old', scripts: { start: 'node server.js' } },
};

const layouts: [title: string, top: Record<string, Content>, commands: string[]][] = [
  [
    'pnpm',
    {
      'package.json': {},
      'pnpm-workspace.yaml': `packages:\n  - 'libs/*' # ours\n  - "services/**"\n  - '!services/mcp/old'\n`,
    },
    [
      'pnpm --filter @own/server start',
      'pnpm --filter=@own/server start',
      'pnpm -F @own/server run start',
      'pnpm run --filter @own/server start',
      'pnpm --filter server start',
      'pnpm --filter @own/server... start',
      'pnpm --filter ...@own/server start',
      'pnpm --filter @own/server^... start',
      'pnpm --filter @own/* start',
      'pnpm --filter ./services/mcp/api start',
      'pnpm --filter {services/mcp/api} start',
      'pnpm --filter @own/server exec node server.js',
      'pnpm -C libs/util --filter @own/server start',
    ],
  ],
  [
    'pnpm, in one line',
    { 'package.json': {}, 'pnpm-workspace.yaml': `packages: ["libs/*", 'services/mcp/*']\n` },
    ['pnpm -F @own/server start'],
  ],
  [
    'npm',
    { 'package.json': { workspaces: ['libs/*', './services/mcp/*'] } },
    [
      'npm start -w @own/server',
      'npm run start --workspace=@own/server',
      'npm -w services/mcp/api start',
      'npm --workspace ./services/mcp/api run start',
      'npm exec -w @own/server -- node server.js',
    ],
  ],
  [
    'yarn',
    { 'package.json': { workspaces: { packages: ['libs/*', 'services/*/*'] } } },
    [
      'yarn workspace @own/server start',
      'yarn workspace @own/server run start',
      'yarn workspace @own/server node server.js',
    ],
  ],
  [
    'bun',
    { 'package.json': { workspaces: ['services/mcp/*'] } },
    ['bun --filter @own/server start', 'bun run --filter @own/server start', 'bun run --filter=@own/server start'],
  ],
];

for (const [title, top, commands] of layouts) {
  for (const command of commands) {
    test(`a package of a workspace, wherever it lies: ${title}: ${command}`, async (t) => {
      const here = place(t, { '.git/HEAD': '', ...packages, ...top });
      const found = await here.find(command);
      assert.equal(fact(found, 'entry'), 'services/mcp/api/server.js', found.why);
    });
  }
}

test('a package that the workspace does not have is told', async (t) => {
  const here = place(t, {
    ...packages,
    'package.json': { workspaces: ['libs/*'] },
    'pnpm-workspace.yaml': 'packages: [libs/*]\n',
  });
  for (const command of ['pnpm --filter @own/none start', 'npm start -w @own/none', 'yarn workspace @own/none start']) {
    const { rules, why } = await here.find(command);
    assert.deepEqual(rules, []);
    assert.match(why, /no package of this workspace is called @own\/none/);
  }
});

test('npx takes a package of a workspace by its whole name only', async (t) => {
  const tool = { name: '@own/tool', bin: { tool: 'cli.js' } };
  const here = place(t, {
    'package.json': { workspaces: ['tools/*'] },
    'tools/a/package.json': tool,
    'tools/a/cli.js': '',
  });
  assert.equal(fact(await here.find('npx @own/tool'), 'entry'), 'tools/a/cli.js');
  assert.deepEqual((await here.find('npx tool')).rules, []);
});
