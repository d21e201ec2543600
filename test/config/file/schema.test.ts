// The JSON schema that ships is the one that the sources make, and it accepts exactly what the validator accepts. What
// the values mean is for other tests.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { fc } from '../../support/property.js';
import { validate } from '#src/config/file/validate.js';
import { parseJsonc } from '#src/config/file/jsonc.js';
import { configSchema } from '#src/config/file/schema.js';
import { actions, fileShape, reloadSignals, type Shape } from '#src/config/file/shape.js';
import type { OptionSpec } from '#src/config/option-spec.js';
import { root } from '../../support/paths.js';

const shipped = JSON.parse(readFileSync(join(root, 'schema/mcp-hotline.schema.json'), 'utf8'));
const isValid = new Ajv({ strict: true, strictRequired: false }).compile(shipped);

function problemsOf(data: unknown): string[] {
  const tree = parseJsonc(JSON.stringify(data));
  assert.ok(tree.ok);
  return validate(fileShape, tree.root, 'linux').problems.map(({ text }) => text);
}

test('the schema that ships is the one that the sources make: npm run build', () => {
  assert.deepEqual(shipped, JSON.parse(JSON.stringify(configSchema())));
});

test('the schema knows every signal that this system has', () => {
  const { signal } = shipped.properties as { signal: { enum: string[] } };
  assert.deepEqual(
    Object.keys(constants.signals).filter((name) => !signal.enum.includes(name)),
    [],
  );
});

test('the example of the documentation is valid', () => {
  const example = {
    rules: [
      { name: 'extension', watch: ['extension/src'], build: 'compile', then: 'continue' },
      { name: 'server', watch: ['src'], build: 'build', then: 'restart' },
      { name: 'config', watch: ['context.yaml'], imports: 'import.*.path', then: 'SIGHUP' },
    ],
  };
  assert.deepEqual(problemsOf(example), []);
  assert.ok(isValid(example), JSON.stringify(isValid.errors));
});

test('whatever a file says, schema and validator agree on it', () => {
  let valid = 0;
  let invalid = 0;
  fc.assert(
    fc.property(valueOf(fileShape), (data) => {
      const problems = problemsOf(data);
      if (problems.length === 0) valid++;
      else invalid++;
      assert.equal(isValid(data), problems.length === 0, problems.join('\n') || JSON.stringify(isValid.errors));
    }),
    { numRuns: 1500 },
  );
  assert.ok(valid > 200 && invalid > 200, `${valid} valid, ${invalid} invalid`);
});

test('schema and validator agree on each key by itself', () => {
  for (const [key, { shape }] of Object.entries(fileShape.keys)) {
    fc.assert(
      fc.property(valueOf(shape), (value) => {
        const data = key === 'args' ? { command: 'node', args: value } : { [key]: value };
        const problems = problemsOf(data);
        assert.equal(isValid(data), problems.length === 0, `${key}: ${problems.join('\n')}`);
      }),
      { numRuns: 300 },
    );
  }
});

/** Mostly what is allowed, with what lies at its borders and what is of no use at all. */
function valueOf(shape: Shape): fc.Arbitrary<unknown> {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(null, '', [], {}, [null], 'a\0b', 0.5, -1),
  );
  return fc.oneof({ weight: 30, arbitrary: goodOf(shape) }, { weight: 1, arbitrary: junk });
}

function goodOf(shape: Shape): fc.Arbitrary<unknown> {
  const word = fc.constantFrom('src', 'a b', 'import.*.path', 'a..b', '.', '*', 'ä\n', 'X=1', '__proto__', ' ');
  switch (shape.kind) {
    case 'text':
      return fc.oneof({ weight: 5, arbitrary: fc.constantFrom('src', 'import.*.path', 'x') }, word, fc.string());
    case 'then':
      return fc.constantFrom(...actions, ...reloadSignals, 'SIGKILL', 'SIGSTOP', 'stop', 'Restart');
    case 'switch':
      return fc.boolean();
    case 'list':
      return fc.array(valueOf(shape.of), { maxLength: 3 });
    case 'record':
      return fc.dictionary(fc.oneof(word, fc.constantFrom('PATH', 'A', 'toString')), valueOf(shape.of), { maxKeys: 3 });
    case 'option':
      return optionOf(shape.spec);
    case 'object': {
      const keys = Object.entries(shape.keys);
      const known = fc
        .subarray(keys, { maxLength: 5 })
        .chain((some) => fc.record(Object.fromEntries(some.map(([key, { shape: part }]) => [key, valueOf(part)]))));
      const required = fc.record(
        Object.fromEntries(shape.required.map((key) => [key, valueOf(shape.keys[key]!.shape)])),
      );
      const stray = fc.constantFrom<object>(...Array.from({ length: 30 }, () => ({})), { wach: [] }, { config: 'x' });
      return fc.tuple(required, known, stray).map((parts) => Object.assign({}, ...parts) as object);
    }
  }
}

/** For the options that want a text of a certain form. */
const formed = fc.oneof(
  fc.constantFrom('127.0.0.1', '::1', 'localhost', 'a.example.com', 'https://a.example.com', 'http://[::1]:80', 'auto'),
  fc.constantFrom(
    '0123456789abcdef',
    'a b',
    'http://a/b',
    'http://a:{port}/b',
    'http://a:1/{port}',
    'a:80',
    'a\n',
    'null',
    '[::1]',
    'a'.repeat(1025),
    'ä',
  ),
  fc.string({ unit: fc.constantFrom('a', '1', '.', ':', '/', '[', ']', ' ', '\u2028'), maxLength: 20 }),
);

function optionOf(spec: OptionSpec): fc.Arbitrary<unknown> {
  const bare = 'bare' in spec ? [true, false] : [];
  switch (spec.type) {
    case 'list':
      if (spec.form !== undefined) return fc.array(formed, { maxLength: 2 });
      return fc.array(
        fc.oneof(
          fc.constantFrom('src', 'ts', '.ts', '*.ts', 'ts,tsx', ' .d.ts , js'),
          fc.constantFrom('.', 'ts,', ',', '*', '*js', '..ts', 'a b', 'a/b', '\\', '\u00a0ts\ufeff', 'a?', ''),
          fc.string({ unit: fc.constantFrom('t', '.', '*', ',', ' ', '/', '\u2028', '😀'), maxLength: 5 }),
        ),
        { maxLength: 2 },
      );
    case 'number': {
      const { min, max } = spec;
      return fc.constantFrom<unknown>(min, max, min - 1, max + 1, min + 0.5, String(min), ...bare);
    }
    case 'text':
      if (spec.form !== undefined) return formed;
      return fc.constantFrom<unknown>('build', 'make all', '', 'a\0', ...bare);
    case 'choice':
      return fc.constantFrom<unknown>(...spec.choices, 'other', spec.choices[0]!.toUpperCase(), true);
    case 'switch':
      return fc.constantFrom<unknown>(true, false, 'true', 1, 'on', 'off', ...(spec.modes ?? []));
    default:
      return fc.constantFrom<unknown>(...Object.keys(constants.signals), 'TERM', 'toString', 15);
  }
}
