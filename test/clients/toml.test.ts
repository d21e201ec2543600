// TOML: the same entry as a table, an inline table or keys with dots, and that unwrap gives the very bytes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServers } from '#src/clients/documents.js';
import type { Shape } from '#src/clients/shape.js';
import { roundTrip, servers, unwrapped, variants, wrapped } from './round-trip.js';

const codex: Shape = { format: 'toml', servers: ['mcp_servers'], command: 'command', args: 'args', env: 'env' };

const texts: Record<string, string> = {
  'a table': '[mcp_servers.x]\ncommand = "node"\nargs = ["a.js"]\n',
  'a table without args': 'model = "o"\n\n[mcp_servers.x]\ncommand = "node" # here\n\n[mcp_servers.x.env]\nA = "1"\n',
  'an indented table': '[mcp_servers]\n  [mcp_servers.x]\n  command="node"\n  startup_timeout_sec = 10\n',
  'args first': '[mcp_servers.x]\nargs = [ "a", "b" ]\ncommand = "node"\n',
  'a quoted name': '[mcp_servers."x"]\n"command" = \'node\'\n\'args\' = []\n',
  'an inline table': '[mcp_servers]\nx = {command="node",args=["a"]}\ny = { command = "z" }\n',
  'an inline table without args': '[mcp_servers]\nx = { command = "node" }\n',
  'an inline table over lines': 'mcp_servers = { x = {\n  command = "node", # c\n  env = { A = "1" },\n} }\n',
  'dotted keys': 'mcp_servers.x.command = "node"\nmcp_servers.x.env.A = "1"\nmcp_servers.y.command = "z"\n',
  'dotted keys with spaces': 'mcp_servers . "x" . command = "node"\nother = 1\n',
  'dotted keys in an inline table': 'mcp_servers = { x.command = "node", x.cwd = "/" }\n',
  'a long array':
    '[mcp_servers.x]\ncommand = "node"\nargs = [ # g\n  # first\n  "a", # one\n  \'b\' # two\n  , # three\n]\n',
  'an empty array with a comment': '[mcp_servers.x]\ncommand = "node"\nargs = [ # none\n]\n',
  'an array that is compact': '[mcp_servers.x]\ncommand = "node"\nargs=["a","b",]\n',
  'literal strings': "[mcp_servers.x]\ncommand = 'C:\\node\\node.exe'\nargs = ['C:\\a.js']\n",
  escapes: '[mcp_servers.x]\ncommand = "n\\u006fde \\"q\\" \\t"\nargs = ["\\U0001F600"]\n',
  'strings over lines': '[mcp_servers.x]\ncommand = """\nno\\\n  de"""\nargs = [\'\'\'\na\'\'\']\n',
  'strings over lines, no args': "[mcp_servers.x]\ncommand = '''\nnode'''\ncwd = '/'\n",
  'tables of other kinds':
    '[[list]]\na = 1\n[[list]]\na = 2\n[mcp_servers.x.env]\nA = "1"\n[mcp_servers.x]\ncommand = "node"\n[z]\nd = 1979-05-27T07:32:00Z\nf = 1e400\n',
};

for (const [title, text] of Object.entries(texts)) {
  test(`P21 TOML is given back: ${title}`, () => {
    for (const variant of variants(text)) roundTrip(variant, codex);
  });
}

const fields = ['name', 'words', 'url', 'envNames', 'line', 'disabled', 'problem'] as const;

test('new words are spelled like the command, in the style of the array', () => {
  assert.equal(
    wrapped("[mcp_servers.x]\ncommand = 'node'\nargs = [\n    'a',\n]\n", codex).text,
    "[mcp_servers.x]\ncommand = '/usr/bin/node'\nargs = [\n    '/opt/mcp-hotline/bin/mcp-hotline.js',\n    '--agent-tools',\n    'auto',\n    '--',\n    'node',\n    'a',\n]\n",
  );
  assert.equal(
    wrapped('mcp_servers.x.command = "node" # c\n', codex).text,
    'mcp_servers.x.command = "/usr/bin/node"\nmcp_servers.x.args = ["/opt/mcp-hotline/bin/mcp-hotline.js", "--agent-tools", "auto", "--", "node"] # c\n',
  );
});

test('P21 TOML that was edited in between is given back but for the edits', () => {
  const text = '[mcp_servers.x]\ncommand = "node"\n\n[mcp_servers.x.env]\nA = "1"\n';
  const edit = (from: string): string => `# new\nmodel = "o"\n${from.replace('A = "1"', 'A = "2"\nB = ""')}`;
  const { text: between, undo } = wrapped(text, codex);
  assert.deepEqual(unwrapped(edit(between), codex, undo), { text: edit(text), exact: true });
});

test('TOML entries are read from wherever they stand', () => {
  const text = `mcp_servers.a.command = "a"
mcp_servers.a.env = { TOKEN = "secret" }
[mcp_servers.b]
url = "http://h"
[mcp_servers.'c d'.env]
K = ""
[mcp_servers.'c d']
command = "c"
args = [1]
enabled = false
`;
  assert.deepEqual(
    servers(text, codex).map((server) => fields.map((field) => server[field])),
    [
      ['a', ['a'], undefined, ['TOKEN'], 1, false, undefined],
      ['b', undefined, 'http://h', [], 3, false, undefined],
      ['c d', undefined, undefined, ['K'], 5, true, '"args" is not a list of texts'],
    ],
  );
});

test('TOML that can not be parsed is refused, with line and column', () => {
  for (const [text, line, column] of [
    ['a = 1\na = 2\n', 2, 1],
    ['[mcp_servers.x]\ncommand = \n', 2, 10],
  ] as const) {
    const result = readServers(text, codex);
    assert.ok(!result.ok);
    assert.deepEqual([result.error.line, result.error.column], [line, column], result.error.message);
  }
  assert.deepEqual(servers('', codex), []);
});
