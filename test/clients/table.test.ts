// The table of clients: what every row must have, and where the files of each are on the three platforms.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientsWithoutListChanged } from '#src/agent/clients-without-list-changed.js';
import { placesOf, signsOf, type Machine } from '#src/clients/places.js';
import { clients } from '#src/clients/table.js';

const ids =
  'claude-code claude-desktop vscode cursor windsurf zed codex gemini qwen opencode kilo copilot cline continue goose kiro junie lmstudio warp';

test('the table has nineteen clients, each with files, words and facts whose evidence is named', () => {
  assert.deepEqual(
    clients.map(({ id }) => id),
    ids.split(' '),
  );
  for (const { id, name, files, signs, listChanged, note, afterWrap } of clients) {
    assert.ok(name !== '' && files.length > 0 && signs.length > 0, id);
    assert.ok(listChanged.heeds === undefined || listChanged.evidence !== undefined, id);
    assert.match(note, /^[A-Z].*\.$/, id);
    assert.match(afterWrap, /^[a-z].*[^.]$/, id);
    assert.ok(note.length <= 96, `${id}: ${note.length}`);
    const scopes = files.map(({ scope }) => scope);
    assert.deepEqual(scopes, [...scopes].sort(), `${id}: project files first`);
  }
});

test('the clients that ignore list_changed are those that get tools to reach new tools', () => {
  for (const { name, isPrefix, seenIn } of clientsWithoutListChanged) {
    const row = clients.find(({ clientInfoName }) => clientInfoName === (isPrefix ? `${name}…` : name));
    assert.deepEqual(row?.listChanged, { heeds: false, evidence: seenIn }, name);
  }
  const known = clients.filter(({ listChanged }) => listChanged.heeds === false && listChanged.evidence !== 'hearsay');
  assert.equal(known.length, clientsWithoutListChanged.length);
});

const linux: Machine = { platform: 'linux', home: '/home/ann', env: {} };
const mac: Machine = { platform: 'darwin', home: '/Users/ann', env: {} };
const windows: Machine = { platform: 'win32', home: 'C:\\Users\\ann', env: { APPDATA: 'D:\\Roaming' } };

const files: [client: string, machine: Machine, project: string, paths: readonly string[]][] = [
  ['claude-code', linux, '/p', ['/p/.mcp.json', '/home/ann/.claude.json', '/home/ann/.claude.json']],
  [
    'claude-code',
    { ...linux, env: { CLAUDE_CONFIG_DIR: '/etc/claude' } },
    '/p',
    ['/p/.mcp.json', '/etc/claude/.claude.json', '/etc/claude/.claude.json'],
  ],
  ['claude-desktop', linux, '/p', ['/home/ann/.config/Claude/claude_desktop_config.json']],
  ['claude-desktop', mac, '/p', ['/Users/ann/Library/Application Support/Claude/claude_desktop_config.json']],
  ['claude-desktop', windows, 'C:\\p', ['D:\\Roaming\\Claude\\claude_desktop_config.json']],
  [
    'claude-desktop',
    { ...windows, env: {} },
    'C:\\p',
    ['C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
  ],
  ['cursor', mac, '/p', ['/p/.cursor/mcp.json', '/Users/ann/.cursor/mcp.json']],
  ['windsurf', linux, '/p', ['/home/ann/.codeium/windsurf/mcp_config.json']],
  ['zed', mac, '/p', ['/p/.zed/settings.json', '/Users/ann/.config/zed/settings.json']],
  ['zed', { ...linux, env: { XDG_CONFIG_HOME: '/c' } }, '/p', ['/p/.zed/settings.json', '/c/zed/settings.json']],
  [
    'zed',
    { ...linux, env: { XDG_CONFIG_HOME: 'not/absolute' } },
    '/p',
    ['/p/.zed/settings.json', '/home/ann/.config/zed/settings.json'],
  ],
  ['zed', windows, 'C:\\p', ['C:\\p\\.zed\\settings.json', 'D:\\Roaming\\Zed\\settings.json']],
  ['codex', linux, '/p', ['/p/.codex/config.toml', '/home/ann/.codex/config.toml']],
  ['codex', { ...linux, env: { CODEX_HOME: '/x' } }, '/p', ['/p/.codex/config.toml', '/x/config.toml']],
  ['gemini', linux, '/p', ['/p/.gemini/settings.json', '/home/ann/.gemini/settings.json']],
  ['qwen', linux, '/p', ['/p/.qwen/settings.json', '/p/.mcp.json', '/home/ann/.qwen/settings.json']],
  [
    'opencode',
    linux,
    '/p',
    [
      '/p/opencode.json',
      '/p/opencode.jsonc',
      '/p/.opencode/opencode.json',
      '/p/.opencode/opencode.jsonc',
      '/home/ann/.config/opencode/opencode.json',
      '/home/ann/.config/opencode/opencode.jsonc',
      '/home/ann/.config/opencode/config.json',
    ],
  ],
  [
    'kilo',
    linux,
    '/p',
    [
      '/p/kilo.json',
      '/p/kilo.jsonc',
      '/p/.kilo/kilo.json',
      '/p/.kilo/kilo.jsonc',
      '/p/.kilocode/kilo.json',
      '/p/.kilocode/kilo.jsonc',
      '/p/opencode.json',
      '/p/opencode.jsonc',
      '/home/ann/.config/kilo/kilo.json',
      '/home/ann/.config/kilo/kilo.jsonc',
    ],
  ],
  ['copilot', linux, '/p', ['/p/.mcp.json', '/p/.github/mcp.json', '/home/ann/.copilot/mcp-config.json']],
  ['kiro', linux, '/p', ['/p/.kiro/settings/mcp.json', '/home/ann/.kiro/settings/mcp.json']],
  ['goose', linux, '/p', ['/home/ann/.config/goose/config.yaml']],
  ['goose', windows, 'C:\\p', ['D:\\Roaming\\Block\\goose\\config\\config.yaml']],
  ['lmstudio', linux, '/p', ['/home/ann/.lmstudio/mcp.json']],
  ['warp', linux, '/p', ['/home/ann/.warp/.mcp.json']],
];

for (const [id, machine, project, paths] of files) {
  test(`places: ${id} on ${machine.platform} ${JSON.stringify(machine.env)}`, () => {
    const places = placesOf(clientOf(id), machine, [project]);
    assert.deepEqual(
      places.map(({ path }) => path),
      paths,
    );
  });
}

test("places: VS Code's own file is looked for in three editors, and in their profiles", () => {
  const paths = placesOf(clientOf('vscode'), mac, ['/p']).map(({ path }) => path);
  const support = '/Users/ann/Library/Application Support';
  assert.deepEqual(paths.slice(0, 3), ['/p/.vscode/mcp.json', '/p/.mcp.json', `${support}/Code/User/mcp.json`]);
  assert.ok(paths.includes(`${support}/Code - Insiders/User/mcp.json`));
  assert.ok(paths.includes(`${support}/VSCodium/User/profiles/*/mcp.json`));
});

test("places: Claude Code's servers of one project stand under its directory, each directory up to the root", () => {
  const places = placesOf(clientOf('claude-code'), linux, ['/r/packages/a', '/r/packages', '/r']);
  const keys = places.filter(({ shape }) => shape.servers.length > 1).map(({ shape }) => shape.servers);
  assert.deepEqual(keys, [
    ['projects', '/r/packages/a', 'mcpServers'],
    ['projects', '/r/packages', 'mcpServers'],
    ['projects', '/r', 'mcpServers'],
  ]);
  assert.deepEqual(
    places.filter(({ path }) => path.endsWith('.mcp.json')).map(({ base }) => base),
    ['/r/packages/a', '/r/packages', '/r'],
  );
  const twice = placesOf(clientOf('claude-code'), windows, ['C:\\r']);
  assert.deepEqual(
    twice.filter(({ shape }) => shape.servers.length > 1).map(({ shape }) => shape.servers[1]),
    ['C:/r', 'C:\\r'],
  );
});

test('signs: what tells that a client is there', () => {
  assert.deepEqual(signsOf(clientOf('zed'), windows), ['D:\\Roaming\\Zed']);
  assert.deepEqual(signsOf(clientOf('zed'), mac), ['/Users/ann/.config/zed']);
  assert.deepEqual(signsOf(clientOf('claude-code'), linux), ['/home/ann/.claude.json', '/home/ann/.claude']);
});

function clientOf(id: string) {
  return clients.find((client) => client.id === id)!;
}
