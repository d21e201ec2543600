// A proxy with the agent's own tools, at line level: calls of them with their text and facts apart, and the state
// directory that they leave behind. What is asked of them is each test's own; reload-project.ts starts and saves.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Ajv } from 'ajv';
import { toolDefinitions } from '#src/agent/tools.js';
import type { AuditLine } from '#src/state/audit-trail.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import type { Json } from '../../support/message.js';
import { scratch } from '../../support/paths.js';

export const ownTools = [
  'restart_server',
  'verify_server_restarted',
  'server_status',
  'list_server_tools',
  'call_server_tool',
];

export interface Told {
  readonly text: string;
  readonly facts: Json;
  readonly isError: boolean;
}

export interface Agent extends ReloadProject {
  /** Calls one of the agent's own tools. */
  tool(name: string, given?: object): Promise<Told>;
  /** The names of `tools/list`. */
  toolNames(): Promise<string[]>;
  readonly stateDir: string;
  audit(): AuditLine[];
  restartMarker(): Json;
}

interface AgentOptions {
  options?: readonly string[];
  initialize?: object | false;
  env?: NodeJS.ProcessEnv;
}

let agents = 0;

export async function agent(t: TestContext, files: Record<string, string>, given: AgentOptions = {}): Promise<Agent> {
  const stateDir = join(scratch, `agent-${++agents}`);
  const options = ['--agent-tools', '--state-dir', stateDir, ...(given.options ?? [])];
  const proxy = await live(t, files, { ...given, options, env: { ...given.env, STATE: stateDir } });
  const read = (name: string): string => readFileSync(join(stateDir, name), 'utf8');
  return {
    ...proxy,
    stateDir,
    async tool(name, args = {}) {
      const { result, error } = await proxy.request('tools/call', { name, arguments: args });
      assert.equal(error, undefined, proxy.transcript());
      fitsSchema(name, result);
      return told(result);
    },
    async toolNames() {
      const { result } = await proxy.request('tools/list');
      return (result.tools as { name: string }[]).map(({ name }) => name);
    },
    audit: () =>
      read('audit.jsonl')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as AuditLine),
    restartMarker: () => JSON.parse(read('restart.json')),
  };
}

const ajv = new Ajv({ strict: false });

/** Clients check structured content against what the tool has published, also of an answer that is an error. */
function fitsSchema(shown: string, result: Json): void {
  const schema = toolDefinitions.find(({ name }) => shown.endsWith(name))?.outputSchema;
  if (schema === undefined || result.structuredContent === undefined) return;
  const validate = ajv.compile(schema);
  assert.ok(validate(result.structuredContent), `${ajv.errorsText(validate.errors)} in ${JSON.stringify(result)}`);
}

export function told(result: Json): Told {
  assert.equal(result.content.length, 1);
  const { text } = result.content[0];
  const { message, ...facts } = result.structuredContent ?? {};
  // Some clients show their model only the text, others only the structured content.
  if (message !== undefined) assert.ok(text.startsWith(message), `${message} is not what the text says: ${text}`);
  return { text, facts, isError: result.isError === true };
}

export const now = (): string => new Date().toISOString();
