// What is said about a configuration file that is wrong: every problem with its place, what is allowed, and the nearest
// right name. Real files; what a good file leads to is for the tests beside this one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validate } from '#src/config/file/validate.js';
import { parseJsonc } from '#src/config/file/jsonc.js';
import { readConfigFile } from '#src/config/file/read.js';
import { fileShape } from '#src/config/file/shape.js';
import { project } from '../../support/project.js';

const name = 'mcp-hotline.config.jsonc';
const ruleKeys = 'name, watch, build, then, imports, note';

/** Each problem as it is said, without the file's name. */
const cases: readonly [title: string, text: string, problems: readonly (string | RegExp)[]][] = [
  [
    'an unknown key',
    '{\n  "hodl": 5\n}',
    [/^2:3: hodl is not a known key; did you mean hold\? allowed are \$schema, command, args/],
  ],
  ['a key like none', '{ "entirelyElse": 5 }', [/^1:3: entirelyElse is not a known key; allowed are \$schema, /]],
  [
    'an option as it is typed',
    '{ "start-timeout": 5 }',
    [/^1:3: start-timeout is not a known key; did you mean startTimeout\?/],
  ],
  ['a key that breaks lines', '{ "a\\nb": 5 }', [/^1:3: "a\\nb" is not a known key;/]],
  ['which file to read', '{ "config": "x" }', [/^1:3: config is not a known key/]],
  [
    'a wrong type',
    '{\n\t"hold": "5"\n}',
    ['2:10: hold: "5" is not allowed, expected a whole number of milliseconds from 0 to 86400000'],
  ],
  [
    'a number out of range',
    '{ "maxMessage": 0 }',
    ['1:17: maxMessage: 0 is not allowed, expected a whole number of MiB from 1 to 2048'],
  ],
  [
    'a word that is none',
    '{ "strategy": "overlpa" }',
    ['1:15: strategy: "overlpa" is not allowed, expected overlap, replace; did you mean overlap?'],
  ],
  ['text instead of a list', '{ "watch": "src" }', ['1:12: watch: "src" is not allowed, expected a list of strings']],
  [
    'one item of a list',
    '{ "ignore": ["a", 5, ""] }',
    [
      '1:19: ignore[1]: 5 is not allowed, expected a string that is not empty',
      '1:22: ignore[2]: "" is not allowed, expected a string that is not empty',
    ],
  ],
  [
    'an ending that is none',
    '{ "ext": ["ts", "a/b"] }',
    ['1:17: ext[1]: "a/b" is not allowed, expected file endings, as in "ts"'],
  ],
  ['a switch', '{ "reload": 0 }', ['1:13: reload: 0 is not allowed, expected true or false']],
  [
    'null',
    '{ "build": null }',
    ['1:12: build: null is not allowed, expected a string that is not empty, true or false'],
  ],
  [
    'a signal that is mistyped',
    '{ "signal": "SIGTRM" }',
    [/^1:13: signal: "SIGTRM" is not allowed, expected .*; did you mean SIGTERM\?$/],
  ],
  [
    'a signal',
    '{ "signal": "TERM" }',
    [/^1:13: signal: "TERM" is not allowed, expected the name of one of this system's signals/],
  ],
  ['no object', '[1]', [/^1:1: \[1\] is not allowed, expected an object with some of \$schema, command/]],
  ['arguments alone', '{ "args": [] }', ['1:3: args has no meaning without command']],
  ['an argument', '{ "command": "x", "args": ["a", 1] }', ['1:33: args[1]: 1 is not allowed, expected a string']],
  ['no command', '{ "command": "" }', ['1:14: command: "" is not allowed, expected the name or path of a program']],
  [
    'variables',
    '{ "env": { "A": 1, "B=": "x", "": "" } }',
    [
      '1:17: env.A: 1 is not allowed, expected a string',
      '1:20: "env.B=" is not a name that can be set here',
      '1:31: env. is not a name that can be set here',
    ],
  ],
  ['variables of no kind', '{ "env": ["A"] }', [/^1:10: env: \["A"\] is not allowed, expected an object of strings/]],
  ['no rules', '{ "rules": [] }', [/^1:12: rules: \[\] is not allowed, expected a list of rules/]],
  ['a rule without files', '{ "rules": [{ "name": "a" }] }', ['1:13: rules[0]: watch is missing']],
  [
    'a rule with an empty list',
    '{ "rules": [{ "watch": [] }] }',
    [/^1:24: rules\[0\]\.watch: \[\] is not allowed, expected a list of paths/],
  ],
  [
    "a rule's unknown key",
    '{ "rules": [{ "watch": ["a"] }, { "watch": ["b"], "buidl": "x" }] }',
    [`1:51: rules[1].buidl is not a known key; did you mean build? allowed are ${ruleKeys}`],
  ],
  [
    'what then',
    '{ "rules": [{ "watch": ["a"], "then": "SIGHUB" }] }',
    [
      /^1:39: rules\[0\]\.then: "SIGHUB" is not allowed, expected restart, continue, notify or a signal: SIGHUP, .*; did you mean SIGHUP\?$/,
    ],
  ],
  [
    'a signal that nobody can react to',
    '{ "rules": [{ "watch": ["a"], "then": "SIGKILL" }] }',
    [/^1:39: rules\[0\]\.then: "SIGKILL" is not/],
  ],
  [
    'imports',
    '{ "rules": [{ "watch": ["a"], "imports": "import..path" }] }',
    [
      '1:42: rules[0].imports: "import..path" is not allowed, expected keys separated by dots, * for any, as in import.*.path',
    ],
  ],
  [
    'files named twice over',
    '{ "rules": [{ "watch": ["a"] }], "watch": ["b"], "build": true }',
    [
      '1:34: watch and rules exclude each other; move watch into one of the rules',
      '1:50: build and rules exclude each other; move build into one of the rules',
    ],
  ],
  ['a key given twice', '{ "hold": 1,\n  "hold": 2 }', ['2:3: hold is given twice']],
  [
    'everything at once, in the order of the file',
    '{\n  // a comment\n  "wach": ["src"],\n  "hold": true,\n  "rules": [\n    { "watch": "src", "then": "stop" },\n  ],\n}',
    [
      /^3:3: wach is not a known key; did you mean watch\?/,
      /^4:11: hold: true is not allowed/,
      /^6:16: rules\[0\]\.watch: "src" is not allowed/,
      /^6:31: rules\[0\]\.then: "stop" is not allowed/,
    ],
  ],
  ['nothing at all', '', ['1:1: a value is expected here']],
  ['a comma that is missing', '{\n  "hold": 1\n  "drain": 2\n}', ['3:3: a comma is missing here']],
  ['text without quotes', '{ "strategy": replace }', ['1:15: this is not a value; text needs double quotes']],
  ['an object that is never closed', '{ "hold": 1', ['1:12: a } is missing here']],
  [
    'two slips in two lines',
    '{\n  "hold" 1,\n  "drain": x\n}',
    ['2:10: a colon is missing here', /^3:12: this is not a value/],
  ],
];

for (const [title, text, problems] of cases) {
  test(`${title} is told with its place`, (t) => {
    const { directory } = project(t, { [name]: text });
    const result = readConfigFile(directory, undefined);
    assert.ok(!result.ok, 'it was taken');
    const lines = result.error.split('\n');
    assert.equal(lines.length, problems.length, result.error);
    for (const [index, expected] of problems.entries()) {
      const line = lines[index]!;
      assert.ok(line.startsWith(`${name}:`), line);
      const said = line.slice(name.length + 1);
      if (typeof expected === 'string') assert.equal(said, expected);
      else assert.match(said, expected);
    }
  });
}

test('a long value is shortened in what is said about it', (t) => {
  const { directory } = project(t, { [name]: JSON.stringify({ hold: 'x'.repeat(1000) }) });
  const result = readConfigFile(directory, undefined);
  assert.ok(!result.ok && result.error.length < 200, JSON.stringify(result));
});

test('Windows has no signals to send', () => {
  const problemsOn = (platform: NodeJS.Platform): string[] => {
    const tree = parseJsonc('{ "rules": [{ "watch": ["a"], "then": "SIGHUP" }] }');
    assert.ok(tree.ok);
    return validate(fileShape, tree.root, platform).problems.map(({ text }) => text);
  };
  assert.deepEqual(problemsOn('linux'), []);
  assert.deepEqual(problemsOn('darwin'), []);
  assert.deepEqual(problemsOn('win32'), [
    'rules[0].then: "SIGHUP" is not allowed, expected restart, continue, notify (Windows has no signals)',
  ]);
});
