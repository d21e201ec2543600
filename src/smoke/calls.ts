// Performs the tool calls of a smoke run, and checks that each succeeds, contains what is expected, and matches the
// tool's output schema. The user says which calls are made.

import { nearest } from '../config/nearest.js';
import { isRecord } from '../lists/lists.js';
import type { Connection } from './connection.js';
import { paramsFor, resultProblems, whyNot } from './eras.js';
import { excerpt } from './message.js';
import { resultOf, failed, type CheckResult } from './report.js';
import { mismatch } from './schemas.js';
import type { Era } from './ways.js';

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expect: readonly string[];
}

export interface Called {
  readonly checkResult: CheckResult;
  /** Without `_meta`, which may differ between two calls. */
  readonly result: unknown;
}

export async function callTool(
  connection: Connection,
  era: Era,
  call: Call,
  tools: readonly unknown[],
  limit: number,
  signal: AbortSignal,
): Promise<Called> {
  const tool = tools.filter(isRecord).find(({ name }) => name === call.tool);
  if (tool === undefined) return { checkResult: failed(missing(call.tool, tools)), result: undefined };
  const params = paramsFor(era, { name: call.tool, arguments: call.input });
  const outcome = await connection.request('tools/call', params, limit, signal);
  if (outcome.kind !== 'result') return { checkResult: failed(whyNot(outcome, limit)), result: undefined };
  const problems = await problemsOf(outcome.result, era, call, tool);
  const text = isRecord(outcome.result) ? textOf(outcome.result) : '';
  return { checkResult: resultOf(problems, excerpt(firstLine(text), 60)), result: withoutMeta(outcome.result) };
}

async function problemsOf(
  result: unknown,
  era: Era,
  { expect }: Call,
  tool: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const problems = resultProblems(era, 'tools/call', result);
  if (problems.length > 0 || !isRecord(result)) return problems;
  if (result['resultType'] === 'input_required') return ['it asks for input, which smoke has none of'];
  const text = textOf(result);
  if (!Array.isArray(result['content'])) problems.push('the result has no content');
  if (result['isError'] === true) return [...problems, `it failed: ${excerpt(text)}`];
  for (const wanted of expect) {
    if (!text.includes(wanted)) problems.push(`expected ${JSON.stringify(wanted)} in: ${excerpt(text)}`);
  }
  const schema = tool['outputSchema'];
  if (!isRecord(schema)) return problems;
  if (result['structuredContent'] === undefined) {
    return [...problems, 'the tool has an outputSchema, but the result has no structuredContent'];
  }
  const wrong = await mismatch(schema, result['structuredContent']);
  return wrong === undefined ? problems : [...problems, `structuredContent does not match the outputSchema: ${wrong}`];
}

/** All text of a result, one block a line, and its structured content as JSON. */
function textOf(result: Readonly<Record<string, unknown>>): string {
  const content: unknown = result['content'];
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.map(({ text, resource }) => text ?? (isRecord(resource) ? resource['text'] : undefined));
  const structured = result['structuredContent'];
  const all = structured === undefined ? texts : [...texts, JSON.stringify(structured)];
  return all.filter((text) => typeof text === 'string').join('\n');
}

function missing(name: string, tools: readonly unknown[]): string {
  const names = tools.filter(isRecord).map((tool) => String(tool['name']));
  const meant = nearest(name, names);
  return `there is no tool ${JSON.stringify(name)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function withoutMeta(result: unknown): unknown {
  if (!isRecord(result)) return result;
  const { _meta, ...rest } = result;
  return rest;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
