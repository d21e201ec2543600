/**
 * Checks the headers `Mcp-Param-*` of a modern tools/call. A tool's inputSchema says with `x-mcp-header` which arguments
 * are repeated in headers, and a server must refuse a call whose headers and body disagree. Behind stdio a server sees
 * no headers, so it is for us. A schema that breaks the rules for `x-mcp-header` is as one without: clients must not
 * even list such a tool. Where the schema comes from is the caller's.
 */
import { isObject } from './body-facts.js';
import { decodedValue } from './encoded-value.js';
import { type Headers, valueOf } from './headers.js';
import { HEADER_MISMATCH } from './modern-request.js';
import type { Fault } from './replies.js';

interface Declaration {
  /** Of the argument, names of members from the outside in. */
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** `number` is not permitted, but a client that sends its header means it. */
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean', 'number']);
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Where a schema may hold others, other than in `properties`: an annotation there is against the rules. */
const SUBSCHEMAS =
  'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames oneOf anyOf allOf not if then else'.split(
    ' ',
  );
const NAMED_SUBSCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

export function paramHeaderFault(schema: unknown, args: unknown, headers: Headers): Fault | undefined {
  for (const declaration of declarations(schema)) {
    const fault = declarationFault(declaration, valueAt(args, declaration.path), headers);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function declarationFault(declaration: Declaration, value: unknown, headers: Headers): Fault | undefined {
  const { header, path, isNumber } = declaration;
  const expected = asText(value);
  if (expected === undefined) return undefined;
  const name = `Mcp-Param-${header}`;
  const argument = `the argument ${path.join('.')}`;
  const sent = valueOf(headers, name.toLowerCase());
  if (sent === undefined) return mismatch(`${name} is missing, it must be ${argument}`);
  const decoded = decodedValue(sent);
  if (decoded === undefined) return mismatch(`${name} must be plain ASCII, or UTF-8 as =?base64?…?=`);
  const isSameNumber = isNumber && DECIMAL.test(decoded) && Number(decoded) === value;
  return isSameNumber || decoded === expected ? undefined : mismatch(`${name} is not ${argument}`);
}

function mismatch(what: string): Fault {
  return { status: 400, code: HEADER_MISMATCH, message: `Header mismatch: ${what}.` };
}

/** Undefined for what no header is sent for: nothing, null, what is no primitive, numbers that are not exact. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  return isExact ? String(value) : undefined;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Of the whole schema, or none if it breaks a rule. */
function declarations(schema: unknown): readonly Declaration[] {
  const found: Declaration[] = [];
  const names = new Set<string>();
  return isWellFormed(schema, [], true, found, names) ? found : [];
}

/** Collects what is declared in `schema`. `path` leads to it by `properties` alone if it `isReachable`. */
function isWellFormed(
  schema: unknown,
  path: readonly string[],
  isReachable: boolean,
  found: Declaration[],
  names: Set<string>,
): boolean {
  if (!isObject(schema)) return true;
  if (Object.hasOwn(schema, ANNOTATION)) {
    const { [ANNOTATION]: header, type } = schema;
    if (!isReachable || path.length === 0) return false;
    if (typeof header !== 'string' || !TOKEN.test(header) || !TYPES.has(type)) return false;
    if (names.has(header.toLowerCase())) return false;
    names.add(header.toLowerCase());
    found.push({ path, header, isNumber: type === 'integer' || type === 'number' });
  }
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return (
    properties.every(([name, inner]) => isWellFormed(inner, [...path, name], isReachable, found, names)) &&
    elsewhere(schema).every((inner) => isWellFormed(inner, path, false, found, names))
  );
}

function elsewhere(schema: Readonly<Record<string, unknown>>): unknown[] {
  const named = NAMED_SUBSCHEMAS.map((keyword) => schema[keyword]).filter(isObject);
  return [...SUBSCHEMAS.flatMap((keyword) => schema[keyword]), ...named.flatMap((schemas) => Object.values(schemas))];
}
