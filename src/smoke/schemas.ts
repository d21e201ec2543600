// Checks the schemas of tools as clients do: valid by the draft that they name (2020-12 if they name none), all
// references resolved, an object at the top. Validators are created when they are first needed, because they take a
// while to load.

import type { Ajv, ValidateFunction } from 'ajv';
import { isRecord } from '../lists/lists.js';
import { counted, resultOf, type CheckResult } from './report.js';
import type { Era } from './ways.js';

const drafts = ['draft-07', '2019-09', '2020-12'] as const;
type Draft = (typeof drafts)[number];
type Compiled = { ok: true; validate: ValidateFunction } | { ok: false; problem: string };

const made = new Map<string, Ajv>();

/** Of all tools of one list. */
export async function schemasResult(tools: readonly unknown[], era: Era): Promise<CheckResult> {
  let count = 0;
  const problems: string[] = [];
  for (const tool of tools.filter(isRecord)) {
    for (const member of ['inputSchema', 'outputSchema'] as const) {
      const schema = tool[member];
      if (schema === undefined && member === 'outputSchema') continue;
      count += 1;
      // Since 2026-07-28 the output of a tool may be any value.
      const mustBeObject = member === 'inputSchema' || era === 'legacy';
      const problem = await schemaProblem(schema, mustBeObject);
      if (problem !== undefined) problems.push(`tool ${String(tool['name'])}: ${member} ${problem}`);
    }
  }
  return resultOf(problems, counted(count, 'schema'));
}

async function schemaProblem(schema: unknown, mustBeObject: boolean): Promise<string | undefined> {
  if (schema === undefined) return 'is missing';
  if (!isRecord(schema)) return 'is not an object';
  if (mustBeObject && schema['type'] !== 'object') {
    return `must have "type": "object" at its top, not ${JSON.stringify(schema['type']) ?? 'none'}`;
  }
  const compiled = await compile(schema);
  return compiled.ok ? undefined : compiled.problem;
}

/** What is wrong with a value, if anything. An invalid schema is reported by another check. */
export async function mismatch(schema: Readonly<Record<string, unknown>>, value: unknown): Promise<string | undefined> {
  const compiled = await compile(schema);
  if (!compiled.ok || compiled.validate(value)) return undefined;
  return describe(compiled.validate.errors);
}

async function compile(schema: Readonly<Record<string, unknown>>): Promise<Compiled> {
  const { $schema, ...rest } = schema;
  const draft = tempName($schema);
  if (draft === undefined) {
    return { ok: false, problem: `has the $schema ${JSON.stringify($schema)}, expected that of ${drafts.join(', ')}` };
  }
  const ajv = await validatorFor(draft, true);
  if (ajv.validateSchema(rest) !== true) {
    return { ok: false, problem: `is not a JSON Schema (${draft}): ${describe(ajv.errors)}` };
  }
  const compiled = compileBy(ajv, rest);
  if (compiled.ok || !compiled.problem.includes('Invalid regular expression')) return compiled;
  // Many patterns are valid only without the Unicode flag of regular expressions, and a schema can't choose it.
  return compileBy(await validatorFor(draft, false), rest);
}

function compileBy(ajv: Ajv, schema: object): Compiled {
  try {
    return { ok: true, validate: ajv.compile(schema) };
  } catch (error) {
    return { ok: false, problem: `can't be used: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    ajv.removeSchema(schema); // another tool's may have the same $id
  }
}

function tempName($schema: unknown): Draft | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  const name = /^https?:\/\/json-schema\.org\/(?:draft\/)?([\w-]+)\/schema#?$/.exec($schema)?.[1];
  return drafts.find((draft) => draft === name);
}

async function validatorFor(draft: Draft, unicodeRegExp: boolean): Promise<Ajv> {
  const key = `${draft} ${unicodeRegExp}`;
  const ajv = made.get(key) ?? (await load(draft, unicodeRegExp));
  made.set(key, ajv);
  return ajv;
}

async function load(draft: Draft, unicodeRegExp: boolean): Promise<Ajv> {
  // Unknown keywords and formats are allowed.
  const options = {
    strict: false,
    validateFormats: false,
    logger: false,
    unicodeRegExp,
  } as const;
  const { Ajv, Ajv2019, Ajv2020 } = await import('./dialects.js');
  switch (draft) {
    case 'draft-07':
      return new Ajv(options);
    case '2019-09':
      return new Ajv2019(options);
    case '2020-12':
      return new Ajv2020(options);
  }
}

function describe(errors: ValidateFunction['errors'] | undefined): string {
  const [first] = errors ?? [];
  if (first === undefined) return 'it does not match';
  const at = first.instancePath === '' ? '' : `${first.instancePath} `;
  const allowed: unknown = (first.params as Record<string, unknown>)['allowedValues'];
  return `${at}${first.message}${Array.isArray(allowed) ? ` (${allowed.join(', ')})` : ''}`;
}
