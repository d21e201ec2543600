/** Bodies of modern requests, for the tests of what is decided about them. */

export const VERSION = '2026-07-28';
export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
export const meta = { [versionKey]: VERSION, [capabilitiesKey]: {} };

export function call(method: string, params?: unknown): Record<string, unknown> {
  return { jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) };
}

export function notify(method: string, params?: unknown): Record<string, unknown> {
  return { jsonrpc: '2.0', method, ...(params !== undefined && { params }) };
}
