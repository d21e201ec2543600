// Files of the clients that lay out their servers in a way of their own, as these clients and their users write them:
// every server is found, wrapped and given back, alone and together, and no other line changes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Shape, Undo } from '#src/clients/shape.js';
import { root } from '../support/paths.js';
import { mcpServers, roundTrip, servers, unwrapped, variants, wrapped } from './round-trip.js';

const array = { format: 'jsonc', servers: ['mcp'], command: 'command', env: 'environment' } as const;

const files: [file: string, shape: Shape, names: string][] = [
  ['claude-code-user.json', { ...mcpServers, format: 'json' }, 'weather'],
  [
    'claude-code-user.json',
    { ...mcpServers, format: 'json', servers: ['projects', '/home/me/weather', 'mcpServers'] },
    'weather bare',
  ],
  ['vscode-mcp.json', { ...mcpServers, format: 'jsonc', servers: ['servers'] }, 'weather python'],
  ['zed-settings.json', { ...mcpServers, format: 'jsonc', servers: ['context_servers'] }, 'weather bare'],
  ['codex-config.toml', { ...mcpServers, format: 'toml', servers: ['mcp_servers'] }, 'weather my-server long inline'],
  ['continue-config.yaml', { ...mcpServers, format: 'yaml', nameKey: 'name' }, 'weather bare flow'],
  [
    'goose-config.yaml',
    { format: 'yaml', servers: ['extensions'], command: 'cmd', args: 'args', env: 'envs' },
    'weather bare folded',
  ],
  ['opencode.jsonc', array, 'weather lines one'],
  ['kilo.json', array, 'weather'],
];

for (const [file, shape, expected] of files) {
  const original = readFileSync(join(root, 'fixtures/clients', file), 'utf8');
  const named = (text: string): string[] =>
    servers(text, shape).flatMap(({ name, words }) => (words === undefined ? [] : [name]));

  test(`P21 ${file}, ${shape.servers.join(' ')}: each server is given back, alone and with the others`, () => {
    assert.equal(
      named(original)
        .map((name) => name.replace(' ', '-'))
        .join(' '),
      expected,
    );
    for (const text of variants(original)) {
      for (const name of named(text)) roundTrip(text, shape, name);
      const undos = new Map<string, Undo | undefined>();
      let now = text;
      for (const name of named(text)) {
        const result = wrapped(now, shape, name);
        undos.set(name, result.undo);
        now = result.text;
      }
      for (const name of named(text)) now = unwrapped(now, shape, undos.get(name), name).text;
      assert.equal(now, text);
    }
  });

  test(`P21 ${file}, ${shape.servers.join(' ')}: wrap adds lines and changes the command's and the list's`, () => {
    for (const name of named(original)) {
      const after = new Set(wrapped(original, shape, name).text.split('\n'));
      const gone = original.split('\n').filter((line) => !after.has(line));
      assert.ok(gone.length <= 3, gone.join('\n'));
      for (const line of gone) assert.match(line, /cmd|command|args|^\s*\/opt\/my tools\/server$/);
    }
  });
}
