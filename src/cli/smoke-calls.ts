// Reads the calls of `mcp-hotline smoke`: `--call 'name={json}'`. Each `--expect` belongs to the call before it, so the
// order of the words matters.

import type { Result } from '../config/check.js';
import type { Call } from '../smoke/calls.js';

/** `calls` and `expectations` are the values of the options in the order of the words. */
export function readCalls(
  words: readonly string[],
  calls: readonly string[],
  expectations: readonly string[],
): Result<Call[]> {
  const read: { tool: string; input: Record<string, unknown>; expect: string[] }[] = [];
  const left = { call: [...calls], expect: [...expectations] };
  for (const word of words) {
    const option = /^--(call|expect)(=|$)/.exec(word)?.[1];
    if (option === 'call') {
      const call = readCall(left.call.shift() ?? '');
      if (!call.ok) return call;
      read.push({ ...call.value, expect: [] });
    } else if (option === 'expect') {
      const last = read.at(-1);
      if (last === undefined)
        return { ok: false, error: '--expect: there is no --call before it, whose result it could be compared with' };
      last.expect.push(left.expect.shift() ?? '');
    }
  }
  return { ok: true, value: read };
}

function readCall(text: string): Result<{ tool: string; input: Record<string, unknown> }> {
  const [, tool = '', json] = /^([^=]*)(?:=([^]*))?$/.exec(text) ?? [];
  const input = parsed(json ?? '{}');
  if (tool !== '' && input !== undefined) return { ok: true, value: { tool, input } };
  const form = `expected name={json}, as in --call 'add={"a":1}'`;
  return { ok: false, error: `--call: ${JSON.stringify(text)} is not allowed, ${form}` };
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
