// Which places are looked at for which options.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Machine } from '#src/clients/places.js';
import { selectPlaces, type Selection } from '#src/clients/selection.js';

const here: Machine = { platform: 'linux', home: '/home/ann', env: {} };

function select(selection: Selection, machine = here, project = '/p') {
  const selected = selectPlaces(selection, machine, [project]);
  assert.ok(selected.ok, selected.ok ? '' : selected.error);
  return selected.value;
}

const paths = (selection: Selection) => [...new Set(select(selection).places.map(({ path }) => path))];

test("without options: the project's files, and the project's part of ~/.claude.json", () => {
  const { places, others } = select({});
  assert.ok(places.every(({ scope }) => scope === 'project'));
  assert.ok(others.every(({ scope }) => scope === 'user'));
  const found = paths({});
  for (const path of ['/p/.mcp.json', '/home/ann/.claude.json', '/p/.vscode/mcp.json', '/p/opencode.jsonc']) {
    assert.ok(found.includes(path), path);
  }
  assert.ok(!found.includes('/home/ann/.cursor/mcp.json'));
});

test('--user adds the files of the user, --client takes away the other clients', () => {
  assert.deepEqual(paths({ client: 'cursor' }), ['/p/.cursor/mcp.json']);
  assert.deepEqual(paths({ client: 'cursor', user: true }), ['/p/.cursor/mcp.json', '/home/ann/.cursor/mcp.json']);
  assert.ok(paths({ user: true }).includes('/home/ann/.codex/config.toml'));
});

test('a client that has nothing but files of the user is asked for these', () => {
  assert.deepEqual(paths({ client: 'windsurf' }), ['/home/ann/.codeium/windsurf/mcp_config.json']);
});

test('--file: the clients whose file it is, with a pattern too', () => {
  const of = (file: string) => select({ file }).places.map(({ client, scope }) => `${client.id} ${scope}`);
  assert.deepEqual(of('/p/.mcp.json'), ['claude-code project', 'vscode project', 'qwen project', 'copilot project']);
  assert.deepEqual(of('/home/ann/.claude.json'), ['claude-code project', 'claude-code user']);
  assert.deepEqual(of('/home/ann/.config/Code/User/profiles/x/mcp.json'), ['vscode user']);
  assert.deepEqual(of('/p/.continue/mcpServers/a.yaml'), ['continue project']);
});

test('--file of no known client: every layout that its ending allows, or those of --client', () => {
  const of = (selection: Selection) =>
    select(selection).places.map(({ shape }) => [shape.format, ...shape.servers].join(' '));
  assert.deepEqual(of({ file: '/x/a.toml' }), ['toml mcp_servers']);
  assert.deepEqual(of({ file: '/x/a.yml' }), ['yaml mcpServers', 'yaml extensions']);
  assert.deepEqual(of({ file: '/x/a' }), ['jsonc mcpServers', 'jsonc servers', 'jsonc context_servers', 'jsonc mcp']);
  assert.deepEqual(of({ file: '/x/a.json', client: 'zed' }), ['jsonc context_servers']);
  assert.deepEqual(of({ file: '/x/a.json', client: 'codex' }), []);
});

test('a client that nobody knows', () => {
  assert.deepEqual(selectPlaces({ client: 'Cusor' }, here, ['/p']), {
    ok: false,
    error: 'unknown client "Cusor"; did you mean cursor?',
  });
  assert.deepEqual(selectPlaces({ client: 'Gemini CLI' }, here, ['/p']), {
    ok: false,
    error: 'unknown client "Gemini CLI"; did you mean gemini?',
  });
});
