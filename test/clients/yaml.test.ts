// YAML: maps and lists of servers in block and flow style, scalars of every kind, and that unwrap gives the very bytes
// back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServers, wrapServer } from '#src/clients/documents.js';
import type { Shape } from '#src/clients/shape.js';
import { mcpServers, prefix, roundTrip, servers, unwrapped, variants, wrapped } from './round-trip.js';

const goose: Shape = { format: 'yaml', servers: ['extensions'], command: 'cmd', args: 'args', env: 'envs' };
const continues: Shape = { ...mcpServers, format: 'yaml', nameKey: 'name' };

const maps: Record<string, string> = {
  'a block list': 'extensions:\n  x:\n    cmd: npx\n    args:\n      - -y\n      - pkg\n    enabled: true\n',
  'a block list that is not indented':
    'extensions:\n  x:\n    args:\n    - -y # why\n    # and\n    - pkg\n    cmd: npx\n',
  'no args': 'extensions:\n  x:\n    cmd: npx # c\n    enabled: true\n',
  'no args, last of all': '---\nextensions:\n  x:\n    enabled: true\n    cmd: npx\n...\n',
  'a flow list': 'extensions:\n  x:\n    cmd: "npx"\n    args: [ -y , "pkg", ]\n',
  'a flow list over lines': "extensions:\n  x:\n    cmd: 'npx'\n    args: [ # c\n      -y, # d\n      pkg\n      ]\n",
  'an empty flow list': 'extensions:\n  x:\n    cmd: npx\n    args: [ ]\n',
  'a flow map': '{ extensions: { x: { cmd: npx, args: [a] }, y: {cmd: z} } }\n',
  'a flow map without args': 'extensions: {x: {enabled: true, cmd: npx}}\n',
  'JSON in YAML': '{"extensions":{"x":{"cmd":"npx"}}}\n',
  'a plain command that a flow list would read otherwise': 'extensions:\n  x:\n    cmd: a, b [c] {d}\n    args: [a]\n',
  'the same in a block list': 'extensions:\n  x:\n    cmd: a, b [c] {d}\n    args:\n      - a\n',
  'a folded scalar': 'extensions:\n  x:\n    cmd: >- # c\n      npx\n      x\n\n    args:\n      - a\n',
  'a literal scalar, last of all': 'extensions:\n  x:\n    cmd: |-\n      npx\n',
  'a literal scalar that keeps its breaks': 'extensions:\n  x:\n    cmd: |+\n      npx\n\n\n  y: {}\n',
  'a quoted scalar over lines': 'extensions:\n  x:\n    cmd: "np\\\n      x"\n    args: []\n',
  'a plain scalar over lines': 'extensions:\n  x:\n    cmd: my\n      program\n    args:\n      - a\n',
  'items of every kind':
    'extensions:\n  x:\n    cmd: npx\n    args:\n      - "a"\n      -   \'b\'\n      - |\n        c\n      - >-\n        d\n      - e\n',
  'an item over lines comes first': 'extensions:\n  x:\n    cmd: npx\n    args:\n      - |\n        c\n      - e\n',
  'anchors that nobody refers to': 'extensions: &e\n  x: &x\n    cmd: &c npx\n    args: &a\n      - &i a\n',
  'a tag': 'extensions:\n  x:\n    cmd: !!str 123\n    args: !!seq\n      - !!str 5\n',
  'aliases elsewhere':
    'base: &b { A: "1" }\nextensions:\n  x:\n    cmd: npx\n    envs: *b\n  y:\n    <<: *b\n    cmd: z\n',
  'quoted keys': '"extensions":\n  \'x\':\n    "cmd": npx\n',
  'a comment between key and value':
    'extensions:\n  x:\n    cmd: # c\n      npx\n    args: # d\n      # e\n      - a\n',
  'odd indentation': 'extensions:\n     x:\n      cmd:   npx\n      args:\n             -   a\n             -   b\n',
  'words that look like something else': 'extensions:\n  x:\n    cmd: "true"\n    args: ["1", "null", "- a", "#"]\n',
};

for (const [title, text] of Object.entries(maps)) {
  test(`P21 YAML is given back: ${title}`, () => {
    for (const variant of variants(text)) roundTrip(variant, goose);
  });
}

const lists: Record<string, string> = {
  'a block list':
    'name: c\nmcpServers:\n  - name: x\n    command: npx\n    args:\n      - a\n  - name: y\n    command: z\n',
  'the command first, no args': 'mcpServers:\n- command: npx\n  name: x\n- name: y\n  url: http://h\n',
  'a flow list': 'mcpServers: [{name: x, command: npx}, {name: y, command: z}]\n',
  'a dash on its own line': 'mcpServers:\n  -\n    name: x\n    command: npx\n    env: { A: "${{ secrets.A }}" }\n',
};

for (const [title, text] of Object.entries(lists)) {
  test(`P21 a YAML list of servers is given back: ${title}`, () => {
    for (const variant of variants(text)) roundTrip(variant, continues);
  });
}

const fields = ['name', 'words', 'url', 'envNames', 'line', 'disabled', 'problem'] as const;

test('new words are put in front, in the style of the list', () => {
  assert.equal(
    wrapped('extensions:\n  x:\n    cmd: npx # c\n    args:\n    - -y\n', goose).text,
    'extensions:\n  x:\n    cmd: /usr/bin/node # c\n    args:\n    - /opt/mcp-hotline/bin/mcp-hotline.js\n    - "--agent-tools"\n    - auto\n    - "--"\n    - npx\n    - -y\n',
  );
  assert.equal(
    wrapped("mcpServers:\n  - command: 'npx'\n    name: x\n", continues).text,
    "mcpServers:\n  - command: '/usr/bin/node'\n    args:\n      - '/opt/mcp-hotline/bin/mcp-hotline.js'\n      - '--agent-tools'\n      - 'auto'\n      - '--'\n      - 'npx'\n    name: x\n",
  );
});

test('P21 YAML that was edited in between is given back but for the edits', () => {
  const text = 'extensions:\n  x:\n    cmd: |-\n      npx\n    envs:\n      A: "1"\n';
  const edit = (from: string): string => `# new\nz: 1\n${from.replace('A: "1"', 'A: "2"\n      B: ""')}`;
  const { text: between, undo } = wrapped(text, goose);
  assert.deepEqual(unwrapped(edit(between), goose, undo), { text: edit(text), exact: true });
});

test('without the record a command is spelled anew, and the entry means the same', () => {
  const { text, undo } = wrapped('extensions:\n  x:\n    cmd: |-\n      npx\n    args: []\n', goose);
  assert.deepEqual(undo, { args: 'empty', command: '|-\n      npx' });
  assert.deepEqual(unwrapped(text, goose, undefined), {
    text: 'extensions:\n  x:\n    cmd: "npx"\n    args: []\n',
    exact: false,
  });
  const bare = wrapped('extensions:\n  x:\n    cmd: npx\n', goose).text;
  assert.deepEqual(unwrapped(bare, goose, undefined), {
    text: 'extensions:\n  x:\n    cmd: npx\n    args: []\n',
    exact: false,
  });
});

test('a record of another command is not used', () => {
  const { text, undo } = wrapped('extensions:\n  x:\n    cmd: |-\n      npx\n    args: [a]\n', goose);
  const edited = text.replace(/\bnpx\b/, 'uvx');
  assert.notEqual(edited, text);
  assert.deepEqual(unwrapped(edited, goose, undo).text, 'extensions:\n  x:\n    cmd: "uvx"\n    args: [a]\n');
});

test('parts that aliases share are read, and not edited', () => {
  const cases: [string, RegExp, readonly string[]][] = [
    ['a: &a [b]\nextensions:\n  x:\n    cmd: npx\n    args: *a\n', /is an alias, \*a/, ['npx', 'b']],
    [
      'extensions:\n  x:\n    cmd: npx\n    args: &a [b]\n  y:\n    cmd: z\n    args: *a\n',
      /refers to a part of it, &a/,
      ['npx', 'b'],
    ],
    ['c: &c npx\nextensions:\n  x:\n    cmd: *c\n', /is an alias, \*c/, ['npx']],
    ['extensions:\n  x: &x\n    cmd: npx\n  y: *x\n', /refers to a part of it, &x/, ['npx']],
    ['b: &b\n  cmd: npx\nextensions:\n  x: *b\n', /is an alias, \*b/, ['npx']],
    ['b: &b\n  cmd: npx\nextensions:\n  x:\n    <<: *b\n', /by <</, ['npx']],
    ['b: &b\n  args: [a]\nextensions:\n  x:\n    <<: *b\n    cmd: npx\n', /by <</, ['npx', 'a']],
    ['extensions: &e\n  x:\n    cmd: npx\nmore: *e\n', /refers to a part of it, &e/, ['npx']],
  ];
  for (const [text, why, words] of cases) {
    assert.deepEqual(servers(text, goose)[0]?.words, words, text);
    const result = wrapServer(text, goose, 'x', prefix);
    assert.ok(!result.ok, text);
    assert.match(result.error, why);
  }
});

test('YAML entries are read as the client reads them', () => {
  const text =
    'extensions:\n  a:\n    cmd: a\n    envs: {K: secret}\n    enabled: false\n  b:\n    uri: http://h\n  c:\n    cmd: c\n    args: [1]\n  d:\n    cmd: d\n    args:\n  e: 5\n';
  assert.deepEqual(
    servers(text, goose).map((server) => fields.map((field) => server[field])),
    [
      ['a', ['a'], undefined, ['K'], 2, true, undefined],
      ['b', undefined, 'http://h', [], 6, false, undefined],
      ['c', undefined, undefined, [], 8, false, '"args" is not a list of texts'],
      ['d', undefined, undefined, [], 11, false, '"args" is not a list of texts'],
      ['e', undefined, undefined, [], 14, false, 'the entry is not a map of keys'],
    ],
  );
  for (const empty of ['', '# nothing\n', 'extensions:\n', 'other: 1\n', '---\n']) {
    assert.deepEqual(servers(empty, goose), [], empty);
  }
});

test('of two servers of one name in a list neither is edited', () => {
  const text = 'mcpServers:\n  - {name: x, command: a}\n  - {name: x, command: b}\n';
  const result = wrapServer(text, continues, 'x', prefix);
  assert.ok(!result.ok && result.error === '"x" stands there twice');
});

test('YAML that can not be parsed is refused, with line and column', () => {
  for (const [text, line, column] of [
    ['a: 1\na: 2\n', 2, 1],
    ['a:\n  - b\n c\n', 3, 1],
    ['a: 1\n---\nb: 2\n', 2, 1],
    ['a: *none\n', 1, 4],
  ] as const) {
    const result = readServers(text, goose);
    assert.ok(!result.ok, text);
    assert.deepEqual([result.error.line, result.error.column], [line, column], `${text}${result.error.message}`);
  }
});
