/**
 * A scripted agent: it lists the tools once and never again, calls them by the schemas of that list, and makes of a
 * failure what its text says. It knows what it wants, by the names that a tool may use for it, and nothing else.
 */
import assert from 'node:assert/strict';
import type { Json } from '../../support/message.js';
import type { Client } from './ways.js';

interface Schema {
  readonly properties?: Readonly<Record<string, { enum?: readonly unknown[]; maximum?: number; type?: unknown }>>;
  readonly required?: readonly string[];
}

export interface Outcome {
  /** What the tool said in the end. */
  readonly text: string;
  /** How many calls it took. */
  readonly calls: number;
  /** What was added to the first failure. */
  readonly hint: string | undefined;
}

export interface Agent {
  readonly tools: readonly string[];
  /** Calls a tool with what it wants, and once more if that fails. */
  use(tool: string, wants: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

export async function agentOn(client: Client): Promise<Agent> {
  const { result } = await client.ask('tools/list');
  const schemas = new Map(
    (result.tools as { name: string; inputSchema: Schema }[]).map((tool) => [tool.name, tool.inputSchema]),
  );
  const call = async (name: string, args: Json): Promise<{ failed: boolean; texts: string[] }> => {
    const answer = await client.ask('tools/call', { name, arguments: args });
    if (answer.error !== undefined) return { failed: true, texts: [answer.error.message] };
    const content = answer.result.content as { text: string }[];
    return { failed: answer.result.isError === true, texts: content.map(({ text }) => text) };
  };
  return {
    tools: [...schemas.keys()],
    async use(tool, wants) {
      const first = await call(tool, argumentsFor(schemas.get(tool)!, wants));
      if (!first.failed) return { text: first.texts.join(), calls: 1, hint: undefined };
      const hint = first.texts
        .map((text) => /Note of mcp-hotline:[^]*/.exec(text)?.[0])
        .find((found) => found !== undefined);
      assert.ok(hint !== undefined, `nothing helps: ${first.texts.join()}`);
      const second = await call(toolIn(hint) ?? tool, argumentsFor(schemaIn(hint), renamed(hint, wants)));
      assert.equal(second.failed, false, `${hint}\n${second.texts.join()}`);
      return { text: second.texts.join(), calls: 2, hint };
    },
  };
}

/** Of what it wants, all that the schema has a place for. */
function argumentsFor({ properties = {}, required = [] }: Schema, wants: Readonly<Record<string, unknown>>): Json {
  const given = Object.entries(properties).flatMap(([name, { enum: allowed, maximum }]) => {
    const wanted = wants[name];
    const value = typeof wanted === 'number' && maximum !== undefined ? Math.min(wanted, maximum) : wanted;
    const fits = allowed === undefined || allowed.includes(value) ? value : allowed[0];
    return value === undefined && !required.includes(name) ? [] : [[name, fits]];
  });
  return Object.fromEntries(given);
}

function schemaIn(hint: string): Schema {
  const json = /^\{.*\}$/m.exec(hint)?.[0];
  assert.ok(json !== undefined, hint);
  return JSON.parse(json) as Schema;
}

function toolIn(hint: string): string | undefined {
  return /The nearest that it has is "([^"]+)"/.exec(hint)?.[1];
}

function renamed(hint: string, wants: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const found = [...hint.matchAll(/`(\w+)` is now `(\w+)`/g)].map(([, from, to]) => [to!, wants[from!]]);
  return { ...wants, ...Object.fromEntries(found) };
}
