// The panel of `mcp-hotline serve`: which lines it has for which facts. That it is shown on a terminal alone is for
// serve.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servePanel, type PanelFacts } from '#src/cli/serve-panel.js';

const facts: PanelFacts = {
  url: 'http://127.0.0.1:6280/mcp',
  networkUrls: [],
  name: 'my-server',
  watched: ['src', 'package.json'],
  token: undefined,
  colour: false,
  platform: 'linux',
};
const token = 'Zm9vYmFyYmF6cXV4-_';

function rows(given: Partial<PanelFacts>): string[] {
  return servePanel({ ...facts, ...given })
    .split('\n')
    .filter((line) => line !== '');
}

test('it says where, what is watched, and how clients are told', () => {
  assert.deepEqual(rows({}), [
    '  Endpoint     http://127.0.0.1:6280/mcp',
    '  Old clients  http://127.0.0.1:6280/sse',
    '  Watching     src, package.json',
    '  Claude Code  claude mcp add --transport http my-server http://127.0.0.1:6280/mcp',
    '  VS Code      {"servers":{"my-server":{"type":"http","url":"http://127.0.0.1:6280/mcp"}}}  in .vscode/mcp.json',
    '  Inspector    npx @modelcontextprotocol/inspector --transport http --server-url http://127.0.0.1:6280/mcp',
  ]);
});

test('a token that was just made is shown, in each line too, so that it can be copied', () => {
  const shown = rows({ token: { kind: 'new', token, file: '/state/http-token' } });
  assert.deepEqual(shown.slice(3, 5), [
    `  Token        ${token}`,
    '               It is shown this once, and kept in /state/http-token',
  ]);
  const bearing = shown.filter((line) => line.includes(`Bearer ${token}"`));
  assert.deepEqual(
    bearing.map((line) => line.slice(2, 13).trim()),
    ['Claude Code', 'VS Code', 'Inspector'],
  );
});

test('a token that is kept is read from its file; one that was chosen is not shown', () => {
  const kept = rows({ token: { kind: 'file', file: "/it's/http-token" } }).join('\n');
  assert.match(kept, /Token {8}the one in \/it's\/http-token/);
  assert.ok(kept.includes(`--header "Authorization: Bearer $(cat '/it'\\''s/http-token')"`), kept);
  assert.match(kept, /"headers":\{"Authorization":"Bearer <token>"\}/);
  const onWindows = rows({ token: { kind: 'file', file: 'C:\\http-token' }, platform: 'win32' }).join('\n');
  assert.match(onWindows, /--header "Authorization: Bearer <token>"/);
  assert.match(rows({ token: { kind: 'chosen' } }).join('\n'), /the one that you have chosen\n.*Bearer <token>"\n/);
});

test('other machines get their addresses, and long lists are cut', () => {
  const shown = rows({ networkUrls: ['http://192.168.1.5:6280/mcp'], watched: ['a', 'b', 'c', 'd', 'e', 'f'] });
  assert.equal(shown[1], '               http://192.168.1.5:6280/mcp');
  assert.equal(shown[3], '  Watching     a, b, c, d and 2 more');
  assert.equal(rows({ watched: [] })[2], '  Watching     nothing');
});

test('colour is added to the same text, and only if it is wanted', () => {
  const coloured = servePanel({ ...facts, colour: true });
  // oxlint-disable-next-line no-control-regex -- the codes are what is looked for
  assert.equal(coloured.replaceAll(/\x1b\[\d+m/g, ''), servePanel(facts));
  assert.ok(!servePanel(facts).includes('\x1b'));
});
