// JSON and JSON with comments: what is read, what wrap makes of it, and that unwrap gives the very bytes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServers, unwrapServer, wrapServer } from '#src/clients/documents.js';
import type { Shape } from '#src/clients/shape.js';
import { mcpServers, prefix, roundTrip, servers, unwrapped, variants, wordsIn, wrapped } from './round-trip.js';

const jsonc: Shape = { ...mcpServers, format: 'jsonc' };
const json: Shape = { ...mcpServers, format: 'json' };
const array: Shape = { format: 'jsonc', servers: ['mcp'], command: 'command', env: 'environment' };

const strict: Record<string, string> = {
  minified: '{"mcpServers":{"x":{"command":"node","args":["a.js"]}}}',
  'no args': '{"mcpServers":{"x":{"command":"node"}}}',
  'no args, spaces': '{ "mcpServers": { "x": { "command" : "node", "env": {} } } }',
  'args first': '{"mcpServers":{"x":{"args":["a.js","b"],"command":"node"}}}',
  'an empty list': '{ "mcpServers": { "x": { "command": "node", "args": [] } } }',
  'an empty list with space in it': '{ "mcpServers": { "x": { "command": "node", "args": [ \n\t ] } } }',
  tabs: '{\n\t"mcpServers": {\n\t\t"x": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"a.js"\n\t\t\t]\n\t\t}\n\t}\n}\n',
  'lines, no args': '{\n  "mcpServers": {\n    "x": {\n      "command": "node"\n    }\n  }\n}\n',
  'one line for the list': '{\n "mcpServers": {\n  "x": {\n   "args": ["a", "b"],\n   "command": "node"\n  }\n }\n}\n',
  escapes: '{"mcpServers":{"\\u0078":{"\\u0063ommand":"n\\u006fde \\/ \\"","args":["\\/a","\\ud83d\\ude00"]}}}',
  'keys twice': '{"mcpServers":{"x":{"command":"old","args":["old"],"command":"new","args":["new"]}}}',
  'servers twice':
    '{"mcpServers":{"x":{"command":"a"}},"mcpServers":{"x":{"command":"b"},"x":{"command":"c","args":[""]}}}',
  'numbers, nesting':
    '{"n":1.0,"big":12345678901234567890,"mcpServers":{"x":{"command":"a","args":["b"],"timeout":1e3}},"z":[[]]}',
};

const commented: Record<string, string> = {
  comments:
    '// a\n{"mcpServers": {"x": {/* b */"command"/* c */:/* d */"node"/* e */,// f\n"args" : [ // g\n "a" /* h */ , // i\n "b", // j\n ], // k\n}, }, } // l\n',
  'a comment in an empty list': '{"mcpServers":{"x":{"command":"node","args":[/* none */]}}}',
  'a comment at the end of an empty list': '{"mcpServers":{"x":{"command":"node","args":[// none\n]}}}',
  'a comment behind the command': '{"mcpServers":{\n  "x":{\n    "command": "node" // here\n  },\n}}',
  'a comment line before the first':
    '{"mcpServers":{"x":{"command":"node","args":[\n    // first\n    "a", // one\n    "b"\n  ]}}}',
  'a trailing comma': '{"mcpServers":{"x":{"command":"node","args":["a",],},},}',
};

for (const [title, text] of Object.entries(strict)) {
  test(`P21 JSON is given back: ${title}`, () => {
    for (const variant of variants(text)) {
      roundTrip(variant, json);
      roundTrip(variant, jsonc);
    }
  });
}

for (const [title, text] of Object.entries(commented)) {
  test(`P21 JSON with comments is given back: ${title}`, () => {
    for (const variant of variants(text)) roundTrip(variant, jsonc);
  });
}

test('the words are put in front of the list, in its style', () => {
  const cases: [string, string][] = [
    [
      '{"mcpServers":{"x":{"command":"n\\u006fde","args":["a","b"]}}}',
      '{"mcpServers":{"x":{"command":"/usr/bin/node","args":["/opt/mcp-hotline/bin/mcp-hotline.js","--agent-tools","auto","--","n\\u006fde","a","b"]}}}',
    ],
    [
      '{"mcpServers": {"x": {\n  "command": "node", // c\n  "args": [\n    "a" // d\n  ]\n}}}',
      '{"mcpServers": {"x": {\n  "command": "/usr/bin/node", // c\n  "args": [\n    "/opt/mcp-hotline/bin/mcp-hotline.js",\n    "--agent-tools",\n    "auto",\n    "--",\n    "node",\n    "a" // d\n  ]\n}}}',
    ],
    [
      '{"mcpServers": {"x": {\n  "command": "node",\n  "env": {}\n}}}',
      '{"mcpServers": {"x": {\n  "command": "/usr/bin/node",\n  "args": ["/opt/mcp-hotline/bin/mcp-hotline.js", "--agent-tools", "auto", "--", "node"],\n  "env": {}\n}}}',
    ],
  ];
  for (const [text, expected] of cases) assert.equal(wrapped(text, jsonc).text, expected);
});

test('P21 a command that is a list is wrapped in place', () => {
  const text = '{\n  "mcp": {\n    "x": { "type": "local", "command": ["npx", "a"], "enabled": true } // c\n  }\n}\n';
  for (const variant of variants(text)) roundTrip(variant, array);
  assert.match(wrapped(text, array).text, /"command": \["\/usr\/bin\/node", .*"--", "npx", "a"\], "enabled"/);
});

test('P21 what was edited in between stays, and the rest is given back', () => {
  const text = '{\n  "mcpServers": {\n    "x": {\n      "command": "node",\n      "env": { "A": "1" }\n    }\n  }\n}\n';
  const edit = (from: string): string => `// new\n${from.replace('"A": "1"', '"A": "2", "B": ""')}\n`;
  const { text: between, undo } = wrapped(text, jsonc);
  assert.deepEqual(unwrapped(edit(between), jsonc, undo), { text: edit(text), exact: true });
});

test('without the record an entry that had no arguments gets an empty list, which is not called exact', () => {
  const { text } = wrapped('{"mcpServers":{"x":{"command":"node"}}}', json);
  assert.deepEqual(unwrapped(text, json, undefined), {
    text: '{"mcpServers":{"x":{"command":"node","args":[]}}}',
    exact: false,
  });
});

test('a formatter that has broken the new list into lines does not keep it there', () => {
  const original = '{"mcpServers":{"x":{\n"command":"node"\n}}}';
  const { text, undo } = wrapped(original, json);
  const formatted = text.replace('[', '[\n  ').replaceAll('","', '",\n  "').replace('"]', '"\n]');
  assert.notEqual(formatted, text);
  assert.deepEqual(unwrapped(formatted, json, undo), { text: original, exact: false });
});

test('arguments that were changed while wrapped are kept', () => {
  const { text, undo } = wrapped('{"mcpServers":{"x":{"command":"node"}}}', json);
  assert.deepEqual(
    unwrapped(text.replace('"node"]', '"deno","run"]'), json, undo).text,
    '{"mcpServers":{"x":{"command":"deno","args":["run"]}}}',
  );
  const last = '{"mcpServers":{"x":{"command":"node","args":["a"]}}}';
  assert.equal(
    unwrapped(wrapped(last, jsonc).text.replace('"a"]', ']'), jsonc, undefined).text,
    last.replace('"a"', ' '),
  );
});

test('an entry is read as the client reads it', () => {
  const text = `{ "mcpServers": {
    "a": { "type": "stdio", "command": "node", "args": ["x"], "cwd": "/w", "env": { "TOKEN": "secret" }, "disabled": true },
    "b": { "url": "http://localhost/mcp" },
    "c": { "command": 5 }, "d": { "command": "x", "args": "y" }, "e": { "command": "x", "args": [1] }, "f": 7,
    "g": { "command": "x", "enabled": false },
    "a": { "command": "second" } } }`;
  const all = servers(text, jsonc);
  assert.deepEqual(
    all.map(({ name, words, line, problem }) => [name, words, line, problem]),
    [
      ['b', undefined, 3, undefined],
      ['c', undefined, 4, '"command" is not the text of a command'],
      ['d', undefined, 4, '"args" is not a list of texts'],
      ['e', undefined, 4, '"args" is not a list of texts'],
      ['f', undefined, 4, 'the entry is not a map of keys'],
      ['g', ['x'], 5, undefined],
      ['a', ['second'], 6, undefined],
    ],
  );
  const [first] = servers(text.replace(/,\s*"a": \{ "command": "second" \}/, ''), jsonc);
  assert.deepEqual(first, {
    name: 'a',
    words: ['node', 'x'],
    url: undefined,
    cwd: '/w',
    envNames: ['TOKEN'],
    keys: ['type', 'command', 'args', 'cwd', 'env', 'disabled'],
    disabled: true,
    line: 2,
  });
  assert.deepEqual(all.find(({ name }) => name === 'b')?.url, 'http://localhost/mcp');
});

test('a file without servers has none, and one whose servers are no map is faulty', () => {
  for (const text of ['{}', '{"mcpServers":null}', '{"mcpServers":{}}']) assert.deepEqual(servers(text, json), []);
  assert.deepEqual(readServers('{\n "mcpServers": []}', json), {
    ok: false,
    error: { line: 2, column: 16, message: 'mcpServers is not a map' },
  });
});

test('a text that the client could not parse is refused, with line and column', () => {
  const cases: [string, Shape, number, number][] = [
    ['{\n  "mcpServers": {,}\n}', jsonc, 2, 18],
    ['{\n  // no comments here\n}', json, 2, 3],
    ['{ "a": [1,] }', json, 1, 11],
    ['', json, 1, 1],
  ];
  for (const [text, shape, line, column] of cases) {
    const result = readServers(text, shape);
    assert.ok(!result.ok, text);
    assert.deepEqual([result.error.line, result.error.column], [line, column], result.error.message);
    assert.match(result.error.message, /\w/);
    const refused = wrapServer(text, shape, 'x', prefix);
    assert.ok(!refused.ok && refused.error.startsWith(`line ${line}, column ${column}: `));
  }
});

test('what can not be wrapped or unwrapped is refused in words', () => {
  const text = '{"mcpServers":{"x":{"command":"a"},"http":{"url":"http://h"},"bad":{"command":[]}}}';
  const error = (name: string, from = text): string => {
    const result = wrapServer(from, json, name, prefix);
    return result.ok ? '' : result.error;
  };
  assert.equal(error('y'), 'there is no server "y"');
  assert.equal(error('http'), '"http" has no command');
  assert.equal(error('bad'), `"bad" can't be edited: "command" is not the text of a command`);
  assert.equal(error('x', wrapped(text, json).text), '"x" is wrapped already');
  const back = unwrapServer(text, json, 'x', undefined);
  assert.ok(!back.ok && back.error === '"x" is not wrapped');
  const own = unwrapServer('{"mcpServers":{"x":{"command":"mcp-hotline"}}}', json, 'x', undefined);
  assert.ok(!own.ok && /has no command behind a "--"/.test(own.error));
});

test('an entry that was wrapped by hand is unwrapped', () => {
  const text = '{"mcpServers":{"x":{"command":"npx","args":["-y","mcp-hotline","--","node","a.js"]}}}';
  assert.deepEqual(unwrapped(text, json, undefined).text, '{"mcpServers":{"x":{"command":"node","args":["a.js"]}}}');
  assert.deepEqual(wordsIn(text, json), ['npx', '-y', 'mcp-hotline', '--', 'node', 'a.js']);
});
