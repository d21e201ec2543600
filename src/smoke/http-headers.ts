// The headers that repeat a request of the modern era (2026-07-28), as a client has to send them: its method, the name
// of what it asks for, and the arguments of which a tool wants it. Pure.
import { isRecord } from '../lists/lists.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const ANNOTATION = 'x-mcp-header';
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** `schema`: of the tool that is called, if it is known. */
export function modernHeaders(method: string, params: unknown, schema: unknown): Record<string, string> {
  const members = isRecord(params) ? params : {};
  const meta = isRecord(members['_meta']) ? members['_meta'] : {};
  const name = members[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': String(meta[VERSION_KEY]),
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
    ...(method === 'tools/call' ? paramHeaders(schema, members['arguments']) : {}),
  };
}

function paramHeaders(schema: unknown, values: unknown): Record<string, string> {
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  const given = isRecord(values) ? values : {};
  const headers: Record<string, string> = {};
  for (const [key, property] of Object.entries(properties)) {
    const [wanted, value] = [isRecord(property) ? property[ANNOTATION] : undefined, given[key]];
    if (isRecord(value)) Object.assign(headers, paramHeaders(property, value));
    if (typeof wanted === 'string' && ['string', 'number', 'boolean'].includes(typeof value))
      headers[`mcp-param-${wanted.toLowerCase()}`] = headerValue(String(value));
  }
  return headers;
}

/** What does not fit into a header as it is goes as Base64. */
function headerValue(text: string): string {
  const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
