// P21 over generated files of every format: what wrap writes means prefix and words, nothing else in the file changes,
// and unwrap gives the bytes back, in any order and with edits in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse as parseJsonc } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { parse as parseYaml } from 'yaml';
import type { Shape, Undo } from '#src/clients/shape.js';
import { fc } from '../support/property.js';
import { jsonText, MARK, pick, servers, tomlText, type Draw, type Server } from './generated.js';
import { yamlText } from './generated-yaml.js';
import { mcpServers, roundTrip, unwrapped, wordsIn, wrapped } from './round-trip.js';

interface Kind {
  readonly shape: Shape;
  readonly text: (draw: Draw, all: readonly Server[]) => string;
  readonly data: (text: string) => unknown;
}

const kinds: Record<string, Kind> = {
  'strict JSON': {
    shape: { ...mcpServers, format: 'json' },
    text: (draw, all) => jsonText(draw, all, false),
    data: (text) => JSON.parse(text) as unknown,
  },
  'JSON with comments': {
    shape: { ...mcpServers, format: 'jsonc' },
    text: (draw, all) => jsonText(draw, all, true),
    data: (text) => parseJsonc(text, [], { allowTrailingComma: true }) as unknown,
  },
  TOML: {
    shape: { ...mcpServers, format: 'toml', servers: ['mcp_servers'] },
    text: tomlText,
    data: (text) => getStaticTOMLValue(parseTOML(text)),
  },
  'a YAML map': {
    shape: { ...mcpServers, format: 'yaml' },
    text: (draw, all) => yamlText(draw, all, false),
    data: (text) => parseYaml(text, { logLevel: 'error' }) as unknown,
  },
  'a YAML list': {
    shape: { ...mcpServers, format: 'yaml', nameKey: 'name' },
    text: (draw, all) => yamlText(draw, all, true),
    data: (text) => parseYaml(text, { logLevel: 'error' }) as unknown,
  },
};

for (const [title, { shape, text: generate, data }] of Object.entries(kinds)) {
  const file = (draw: Draw, all: readonly Server[]): string => pick(draw, '', '\uFEFF') + generate(draw, all);
  const property = (check: (draw: Draw, all: readonly Server[], text: string) => void): void => {
    const runs = Number(process.env['PROPERTY_RUNS'] ?? 100);
    fc.assert(
      fc.property(fc.gen(), servers, (draw, all) => check(draw, all, file(draw, all))),
      { numRuns: runs },
    );
  };

  test(`P21 ${title}: unwrap is the inverse of wrap, and wrap puts the prefix in front of the words`, () => {
    property((_, all, text) => {
      for (const { name, command, args } of all) {
        assert.deepEqual(wordsIn(text, shape, name), [command, ...(args ?? [])], text);
        roundTrip(text, shape, name);
      }
    });
  });

  test(`P21 ${title}: wrap changes the command and the arguments of one entry, and nothing else`, () => {
    property((draw, all, text) => {
      const { name } = pick(draw, ...all);
      const plain = (from: string): unknown => without(data(from.replace('\uFEFF', '')), shape, name);
      assert.deepEqual(plain(wrapped(text, shape, name).text), plain(text));
    });
  });

  test(`P21 ${title}: several servers are given back in any order, with edits in between`, () => {
    property((draw, all, text) => {
      const names = all.map(({ name }) => name);
      const order = (): string[] => draw(fc.shuffledSubarray<string>, names, { minLength: names.length });
      const edit = (from: string): string =>
        from.replaceAll(MARK, 'edited').replace(/$/, shape.format === 'json' ? '\n' : '\n\n');
      const undos = new Map<string, Undo | undefined>();
      let now = text;
      for (const name of order()) {
        const { text: next, undo } = wrapped(now, shape, name);
        undos.set(name, undo);
        now = next;
      }
      now = edit(now);
      for (const name of order()) {
        const result = unwrapped(now, shape, undos.get(name), name);
        assert.ok(result.exact);
        now = result.text;
      }
      assert.equal(now, edit(text));
    });
  });
}

function without(data: unknown, { servers: path, nameKey }: Shape, name: string): unknown {
  let node = data as Record<string, unknown> | undefined;
  for (const key of path) node = node?.[key] as Record<string, unknown> | undefined;
  const entry = (
    nameKey === undefined
      ? node?.[name]
      : Object.values(node ?? {}).find((each) => (each as Record<string, unknown>)[nameKey] === name)
  ) as Record<string, unknown>;
  delete entry['command'];
  delete entry['args'];
  return data;
}
