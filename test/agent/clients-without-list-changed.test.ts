// Which clients count as ignoring list_changed, by the name that they send.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientsWithoutListChanged, ignoresListChanged } from '#src/agent/clients-without-list-changed.js';

const names: readonly [name: string | undefined, ignores: boolean][] = [
  ['codex-mcp-client', true],
  ['@cline/core', true],
  ['continue-cli-client', true],
  ['qwen-cli-mcp-client-my-server', true],
  ['qwen-cli-mcp-client-', true],
  ['qwen-cli-mcp-client', false],
  ['gemini-cli-mcp-client-my-server', false],
  ['my-codex-mcp-client', false],
  ['codex-mcp-client-2', false],
  ['Codex-MCP-Client', false],
  ['claude-code', false],
  ['Visual Studio Code', false],
  ['opencode', false],
  ['somebody', false],
  ['', false],
  [undefined, false],
];

for (const [name, ignores] of names) {
  test(`the client ${JSON.stringify(name)} ${ignores ? 'ignores' : 'heeds'} list_changed`, () => {
    assert.equal(ignoresListChanged(name), ignores);
  });
}

test('every row says how it is known', () => {
  for (const { client, name, evidence } of clientsWithoutListChanged) {
    assert.match(client, /\d/, 'with a version');
    assert.ok(name !== '' && evidence !== '', client);
  }
});
