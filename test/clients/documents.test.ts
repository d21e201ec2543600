// The servers in the files of clients, in the words of each format: what is read, what `wrap` makes of it, and that `unwrap` gives the very bytes
// back. Generated files are in properties.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServers, unwrapServer, wrapServer } from '#src/clients/documents.js';
import type { Shape, Undo } from '#src/clients/shape.js';

const prefix = ['/usr/bin/node', '/opt/mcp-hotline/bin/mcp-hotline.js', '--agent-tools', 'auto', '--'];
const mcpServers: Shape = { format: 'jsonc', servers: ['mcpServers'], command: 'command', args: 'args', env: 'env' };

function wrapped(text: string, shape: Shape, name = 'x'): { text: string; undo: Undo | undefined } {
  const result = wrapServer(text, shape, name, prefix);
  if (!result.ok) assert.fail(result.error);
  return result.value;
}

function unwrapped(text: string, shape: Shape, undo: Undo | undefined, name = 'x'): { text: string; exact: boolean } {
  const result = unwrapServer(text, shape, name, undo);
  if (!result.ok) assert.fail(result.error);
  return result.value;
}

function wordsIn(text: string, shape: Shape, name = 'x'): readonly string[] | undefined {
  const result = readServers(text, shape);
  if (!result.ok) assert.fail(JSON.stringify(result.error));
  return result.value.find((server) => server.name === name)?.words;
}

/** Wraps and unwraps, and returns the text in between. */
function roundTrip(text: string, shape: Shape, name = 'x'): string {
  const words = wordsIn(text, shape, name) ?? [];
  const between = wrapped(text, shape, name);
  assert.deepEqual(wordsIn(between.text, shape, name), [...prefix, ...words], between.text);
  assert.deepEqual(unwrapped(between.text, shape, between.undo, name), { text, exact: true });
  return between.text;
}

const jsonTexts = [
  '{"mcpServers":{"x":{"command":"node","args":["a.js"]}}}',
  '{"mcpServers":{"x":{"command":"node"}}}',
  '{"mcpServers":{"x":{"args":["a.js","b"],"command":"node"}}}',
  '{ "mcpServers": { "x": { "command": "node", "args": [ ] } } }',
  '{\n\t"mcpServers": {\n\t\t"x": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"a.js"\n\t\t\t]\n\t\t}\n\t}\n}\n',
  '{\r\n  "mcpServers": {\r\n    "x": {\r\n      "command": "node"\r\n    }\r\n  }\r\n}',
  '\uFEFF{"mcpServers":{"x":{"\\u0063ommand":"n\\u006fde","args":["\\/a"]}}}',
  '{"mcpServers":{"x":{"command":"old","args":["old"],"command":"new","args":["new"]}}}',
  '// a\n{"mcpServers": {"x": {/* b */"command"/* c */:/* d */"node"/* e */,// f\n"args" : [ // g\n "a" /* h */ , // i\n "b", // j\n ], // k\n}, }, } // l',
  '{"mcpServers":{"x":{"command":"node","args":[/* none */]}}}',
];

for (const [index, text] of jsonTexts.entries()) {
  test(`P21 JSON ${index}: unwrap after wrap gives the bytes back`, () => void roundTrip(text, mcpServers));
}
