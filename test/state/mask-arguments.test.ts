// Which arguments are shown, and which are masked.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskArguments } from '#src/state/mask-arguments.js';

const shown: readonly (readonly string[])[] = [
  ['node', 'dist/server.js', '--port', '3000', '--watch=src'],
  ['npx', '-y', '@modelcontextprotocol/server-filesystem', '/home/me/some-very-long-directory-name/v2/src'],
  ['uv', 'run', '--with', 'mcp[cli]', 'python', '-m', 'my_server_of_a_long_name.tools'],
  ['node', 'server.js', '--keyboard', 'qwerty', '--monkey=1', '--name', 'x'],
  ['docker', 'run', '--rm', '-i', 'ghcr.io/me/server:2026-01-31'],
  ['node', 'server.js', 'https://example.com/mcp/v2', '--token'],
];

for (const words of shown)
  test(`${words.join(' ')} is shown as it is`, () => assert.deepEqual(maskArguments(words), [...words]));

const masked: readonly (readonly [string, string])[] = [
  ['--api-key abc', '--api-key ****'],
  ['--apiKey=abc', '--apiKey=****'],
  ['--github-token ghx -v', '--github-token **** -v'],
  ['-password x', '-password ****'],
  ['--db-password=a=b', '--db-password=****'],
  ['-e OPENAI_API_KEY=abc -e MODE=fast', '-e OPENAI_API_KEY=**** -e MODE=****'],
  ['sk-proj-1234567890', '****'],
  ['--config ghp_abcdefghij', '--config ****'],
  ['--id=3f2a9c81d7e64b05a1c2', '--id=****'],
  ['postgres://me:pw@localhost:5432/db', 'postgres://****@localhost:5432/db'],
  ['https://example.com/mcp?key=abc&x=1', 'https://example.com/mcp?key=****&x=****'],
  ['https://example.com/a1b2c3d4e5f6a7b8c9d0e1f2/mcp', 'https://example.com/****/mcp'],
];

for (const [typed, expected] of masked)
  test(`${typed} is shown as ${expected}`, () => {
    assert.equal(
      maskArguments(['node', ...typed.split(' ')])
        .slice(1)
        .join(' '),
      expected,
    );
  });

test('a header with a key is masked', () => {
  assert.deepEqual(maskArguments(['npx', '--header', 'Authorization: Bearer abc', 'Accept: text/html']).slice(2), [
    'Authorization: ****',
    'Accept: text/html',
  ]);
});
