/**
 * What a POST of the modern era must satisfy beyond its JSON, and the era of each POST: the body decides, headers only
 * have to agree with it. Asked for every POST, since a request can be at fault for being neither. What a server judges
 * itself (unknown methods, params, capabilities) is left to it; statusOfAnswer() gives its answer the HTTP status.
 * Sessions and everything else of the legacy era are legacy-request.ts's, `Mcp-Param-*` param-headers.ts's.
 */
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from '../../wire/json-rpc.js';
import { type BodyFacts, hasClaim, isObject, NAME_MEMBERS, VERSION_KEY } from './body-facts.js';
import { decodedValue } from './encoded-value.js';
import { type Headers, valueOf } from './headers.js';
import { type Fault, methodNotFound, noMessage } from './replies.js';

export const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

const FIRST_MODERN_VERSION = '2026-07-28';
const MODERN_VERSIONS: readonly string[] = [FIRST_MODERN_VERSION];
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** Requests of the legacy era that the modern one has no more. Some servers take one for a sign of the legacy era. */
const REMOVED_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

type SingleMessage = Extract<BodyFacts, { readonly method: string }>;

/** Of a request that modernFault() has nothing against. */
export function eraOfRequest(headers: Headers, body: BodyFacts): 'modern' | 'legacy' {
  if (body.kind !== 'request' && body.kind !== 'notification') return 'legacy';
  if (isHandshake(body)) return 'legacy';
  if (hasClaim(body.meta)) return 'modern';
  return body.kind === 'notification' && namesModernVersion(headers) ? 'modern' : 'legacy';
}

/** Undefined: nothing is wrong with it in this regard, in either era. `supported`: the modern versions that are served. */
export function modernFault(headers: Headers, body: BodyFacts, supported = MODERN_VERSIONS): Fault | undefined {
  switch (body.kind) {
    case 'request':
      return requestFault(headers, body, supported);
    case 'notification':
      return notificationFault(headers, body, supported);
    case 'batch':
      return body.elements.some((element) => element.hasClaim) ? modernBatch : undefined;
    case 'invalid':
      return body.isJson ? noMessage : undefined;
    case 'response':
      return undefined;
  }
}

function requestFault(headers: Headers, body: SingleMessage, supported: readonly string[]): Fault | undefined {
  const { method, meta } = body;
  const version = versionHeader(headers);
  if (isHandshake(body)) {
    if (!namesModernVersion(headers)) return undefined;
    return mismatch(`initialize opens a session of an earlier version, but MCP-Protocol-Version is ${version}`);
  }
  if (!hasClaim(meta)) return namesModernVersion(headers) ? missingMeta(version, meta) : undefined;

  const claimed = meta[VERSION_KEY];
  if (typeof claimed !== 'string') return invalidMeta(`${VERSION_KEY} must be a string`);
  if (!isObject(meta[CAPABILITIES_KEY])) return invalidMeta(`${CAPABILITIES_KEY} must be there, and an object`);
  return (
    versionMismatch(version, claimed) ??
    methodMismatch(headers, method) ??
    unsupportedVersion(claimed, supported) ??
    missingHeader(headers, method, claimed) ??
    nameFault(headers, body) ??
    (REMOVED_METHODS.has(method) ? methodNotFound : undefined)
  );
}

/** Headers are not required here: the v2 client sends a cancellation without `Mcp-Method`. */
function notificationFault(headers: Headers, body: SingleMessage, supported: readonly string[]): Fault | undefined {
  const { method, meta } = body;
  const version = versionHeader(headers);
  if (!hasClaim(meta)) {
    if (version === undefined || !isModern(version)) return undefined;
    return methodMismatch(headers, method) ?? unsupportedVersion(version, supported);
  }
  const claimed = meta[VERSION_KEY];
  if (typeof claimed !== 'string') return invalidMeta(`${VERSION_KEY} must be a string`);
  return (
    versionMismatch(version, claimed) ??
    (isModern(claimed) ? methodMismatch(headers, method) : undefined) ??
    unsupportedVersion(claimed, supported)
  );
}

/** `initialize`, unless it is as modern as can be: then it is only a method that the modern era does not have. */
function isHandshake({ kind, method, meta }: SingleMessage): boolean {
  if (kind !== 'request' || method !== 'initialize') return false;
  if (!hasClaim(meta)) return true;
  const version = meta[VERSION_KEY];
  return typeof version !== 'string' || !isModern(version) || !isObject(meta[CAPABILITIES_KEY]);
}

/** Versions are dates, so they can be compared as text. */
function isModern(version: string): boolean {
  return version >= FIRST_MODERN_VERSION;
}

function versionHeader(headers: Headers): string | undefined {
  return valueOf(headers, 'mcp-protocol-version');
}

function namesModernVersion(headers: Headers): boolean {
  const version = versionHeader(headers);
  return version !== undefined && isModern(version);
}

function versionMismatch(header: string | undefined, claimed: string): Fault | undefined {
  if (header === undefined || header === claimed) return undefined;
  return mismatch(`MCP-Protocol-Version is ${header}, but _meta of the body names ${claimed}`);
}

function methodMismatch(headers: Headers, method: string): Fault | undefined {
  const header = valueOf(headers, 'mcp-method');
  if (header === undefined || header === method) return undefined;
  return mismatch(`Mcp-Method is ${header}, but the method of the body is ${method}`);
}

function missingHeader(headers: Headers, method: string, claimed: string): Fault | undefined {
  if (versionHeader(headers) === undefined)
    return mismatch(`MCP-Protocol-Version is missing, it must be ${claimed} as in the body`);
  if (valueOf(headers, 'mcp-method') !== undefined) return undefined;
  return mismatch(`Mcp-Method is missing, it must be ${method} as in the body`);
}

function nameFault(headers: Headers, { method, name }: SingleMessage): Fault | undefined {
  const member = NAME_MEMBERS.get(method);
  if (member === undefined) return undefined;
  const expected = typeof name === 'string' ? name : undefined;
  const header = valueOf(headers, 'mcp-name');
  // Without a name in the body there is nothing to repeat: the server says what is wrong with it.
  if (header === undefined)
    return expected === undefined
      ? undefined
      : mismatch(`Mcp-Name is missing, it must be params.${member} of the body`);
  const decoded = decodedValue(header);
  if (decoded === undefined) return mismatch('Mcp-Name must be plain ASCII, or UTF-8 as =?base64?…?=');
  if (expected === undefined || decoded === expected) return undefined;
  return mismatch(`Mcp-Name is not params.${member} of the body`);
}

function mismatch(what: string): Fault {
  return { status: 400, code: HEADER_MISMATCH, message: `Header mismatch: ${what}.` };
}

function missingMeta(version: string | undefined, meta: unknown): Fault {
  const missing = isObject(meta) ? `${VERSION_KEY} in params._meta` : 'params._meta';
  const message = `Invalid params: MCP-Protocol-Version is ${version}, so the request needs ${missing}.`;
  return { status: 400, code: INVALID_PARAMS, message };
}

function invalidMeta(what: string): Fault {
  return { status: 400, code: INVALID_PARAMS, message: `Invalid params: in params._meta, ${what}.` };
}

function unsupportedVersion(requested: string, supported: readonly string[]): Fault | undefined {
  if (supported.includes(requested)) return undefined;
  const message = `Unsupported protocol version: ${requested} (supported versions: ${supported.join(', ')})`;
  return { status: 400, code: UNSUPPORTED_VERSION, message, data: { supported, requested } };
}

const modernBatch: Fault = {
  status: 400,
  code: INVALID_REQUEST,
  message: `Invalid request: a batch may not contain messages of ${FIRST_MODERN_VERSION}, send each in a POST of its own.`,
};

/**
 * The HTTP status of what the server answered, if its answer is the first message of the response; undefined for a
 * result. Stdio has no status, so its code alone tells. After the first message the status has been sent.
 */
export function statusOfAnswer(code: number | undefined): number {
  if (code === METHOD_NOT_FOUND) return 404;
  return code !== undefined && code <= HEADER_MISMATCH && code >= UNSUPPORTED_VERSION ? 400 : 200;
}
