// What the tests of the formats share: words that wrap puts in front, and the way there and back, with every step
// checked.
import assert from 'node:assert/strict';
import { readServers, unwrapServer, wrapServer } from '#src/clients/documents.js';
import type { ServerEntry, Shape, Undo } from '#src/clients/shape.js';

export const prefix = ['/usr/bin/node', '/opt/mcp-hotline/bin/mcp-hotline.js', '--agent-tools', 'auto', '--'];

export const mcpServers = { servers: ['mcpServers'], command: 'command', args: 'args', env: 'env' } as const;

export function servers(text: string, shape: Shape): readonly ServerEntry[] {
  const result = readServers(text, shape);
  if (!result.ok) assert.fail(`${JSON.stringify(result.error)} in ${text}`);
  return result.value;
}

export function wordsIn(text: string, shape: Shape, name = 'x'): readonly string[] | undefined {
  return servers(text, shape).find((server) => server.name === name)?.words;
}

export function wrapped(text: string, shape: Shape, name = 'x'): { text: string; undo: Undo | undefined } {
  const result = wrapServer(text, shape, name, prefix);
  if (!result.ok) assert.fail(`${result.error} in ${text}`);
  return result.value;
}

export function unwrapped(
  text: string,
  shape: Shape,
  undo: Undo | undefined,
  name = 'x',
): { text: string; exact: boolean } {
  const result = unwrapServer(text, shape, name, undo);
  if (!result.ok) assert.fail(`${result.error} in ${text}`);
  return result.value;
}

/** Wraps and unwraps, also through JSON as the record goes, and returns the text in between. */
export function roundTrip(text: string, shape: Shape, name = 'x'): string {
  const words = wordsIn(text, shape, name);
  assert.ok(words !== undefined, `${name} has no words in ${text}`);
  const between = wrapped(text, shape, name);
  assert.deepEqual(wordsIn(between.text, shape, name), [...prefix, ...words], between.text);
  const undo = between.undo && (JSON.parse(JSON.stringify(between.undo)) as Undo);
  assert.deepEqual(unwrapped(between.text, shape, undo, name), { text, exact: true });
  const without = unwrapped(between.text, shape, undefined, name);
  assert.deepEqual(wordsIn(without.text, shape, name), words, without.text);
  assert.ok(!without.exact || without.text === text, `not exact: ${without.text}`);
  return between.text;
}

/** The same text with the other line breaks, and with a byte order mark. */
export function variants(text: string): string[] {
  const crlf = text.replaceAll('\n', '\r\n');
  return [...new Set([text, crlf, `\uFEFF${text}`, `\uFEFF${crlf}`, text.trimEnd()])];
}
