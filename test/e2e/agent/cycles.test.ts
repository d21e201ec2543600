// Sixty cycles of an agent that develops the server it is using, by its own knowledge alone: it edits, calls, and
// concludes from the answer. A conclusion that differs from what is on the disk is wrong: old code, a missing tool, a
// failure without its cause, a lost session. One client heeds list_changed; another ignores it and reaches new tools by
// the agent's tools.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../../support/message.js';
import { bin, root, scratch } from '../../support/paths.js';
import { project, type Project } from '../../support/project.js';
import { connectV1 } from '../../support/sdk-clients.js';

const CYCLES = 60;
const THINKS_MS = 400;
/** The client hears of a changed list right after the answer that the new code gave. */
const TOLD_WITHIN_MS = 20_000;

/** What the agent has written, and so what it expects. */
interface Code {
  value: string;
  extra: readonly string[];
  imports: readonly string[];
}

const source = ({ value, extra, imports }: Code): string =>
  [
    `import { readFileSync } from 'node:fs';`,
    ...imports.map((name) => `import '${name}';`),
    `const greeting = readFileSync(new URL('../data/greeting.txt', import.meta.url), 'utf8').trim();`,
    `export const tools = {`,
    `  value: () => '${value}',`,
    `  greet: () => greeting,`,
    `  process: () => process.pid,`,
    `  crash: () => process.exit(3),`,
    `  leave: () => process.exit(0),`,
    ...extra.map((name) => `  ${name}: () => '${name} ${value}',`),
    `};\n`,
  ].join('\n');

interface Agent {
  readonly files: Project;
  readonly code: Code;
  write(code: Partial<Code>): void;
  /** The same without writing it: somebody else has. */
  expect(code: Partial<Code>): void;
  /** What the agent reads in a result, and whether it is an error. */
  call(name: string): Promise<{ text: string; failed: boolean }>;
  /** The same for a tool that is new: it has to be found first, in the way that this client has. */
  callNew(name: string): Promise<{ text: string; failed: boolean }>;
  git(...args: string[]): void;
  /** Notes that the agent was misled. */
  wrong(why: string): void;
}

type Cycle = (agent: Agent, turn: number) => Promise<void>;

async function expectValue(agent: Agent, when: string): Promise<void> {
  const { text, failed } = await agent.call('value');
  if (failed || text !== agent.code.value) agent.wrong(`${when}: "${text}" instead of "${agent.code.value}"`);
}

async function expectFailure(agent: Agent, cause: RegExp, when: string, tool = 'value'): Promise<string> {
  const { text, failed } = await agent.call(tool);
  if (!failed || !cause.test(text)) agent.wrong(`${when}: "${text}" does not say ${cause}`);
  return text;
}

const cycles: Record<string, Cycle> = {
  async edit(agent, turn) {
    agent.write({ value: `edit ${turn}` });
    await expectValue(agent, 'after an edit');
  },
  async 'new tool'(agent, turn) {
    const name = `tool_${turn}`;
    agent.write({ value: `new ${turn}`, extra: [...agent.code.extra, name] });
    const { text } = await agent.callNew(name);
    if (text !== `${name} new ${turn}`) agent.wrong(`the new tool ${name} says "${text}"`);
  },
  async 'renamed tool'(agent, turn) {
    const [old = 'none', ...others] = agent.code.extra;
    const name = `renamed_${turn}`;
    agent.write({ value: `rename ${turn}`, extra: [name, ...others] });
    const { text } = await agent.callNew(name);
    if (text !== `${name} rename ${turn}`) agent.wrong(`the renamed tool ${name} says "${text}"`);
    const gone = await agent.call(old);
    if (!gone.failed) agent.wrong(`${old} was renamed, and says "${gone.text}"`);
  },
  async 'syntax error'(agent, turn) {
    agent.files.write('src/tools.mjs', `${source(agent.code)}\nthis is no JavaScript`);
    await expectFailure(agent, /SyntaxError/, 'after a syntax error');
    agent.write({ value: `mended ${turn}` });
    await expectValue(agent, 'after a syntax error was mended');
  },
  async 'exception at import'(agent, turn) {
    agent.files.write('src/tools.mjs', `throw new Error('no key ${turn}');\n${source(agent.code)}`);
    await expectFailure(agent, new RegExp(`no key ${turn}`), 'after an exception');
    // The same code as before: nothing to wait for.
    agent.write({});
    await expectValue(agent, 'after the edit was undone');
  },
  async 'crashing tool'(agent) {
    await expectFailure(agent, /exited with code 3[^]*may or may not have taken effect/, 'a tool crashed', 'crash');
    await expectValue(agent, 'after a crash');
  },
  async 'exit 0'(agent) {
    await expectFailure(agent, /exited with code 0[^]*may or may not have taken effect/, 'a tool left', 'leave');
    await expectValue(agent, 'after an exit with code 0');
  },
  async 'a package installed afterwards'(agent, turn) {
    const name = `package-${turn}`;
    agent.write({ value: `package ${turn}`, imports: [name] });
    const text = await expectFailure(agent, new RegExp(`Cannot find package '${name}'`), 'without the package');
    agent.files.write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    agent.files.write(`node_modules/${name}/index.js`, '');
    // The words say when a call tries again: the agent does what they say.
    const seconds = Number(/a call (\d+) s after that time, or later, tries again/.exec(text)?.[1] ?? NaN);
    if (Number.isNaN(seconds)) agent.wrong(`nothing says when to call again: "${text}"`);
    await delay(seconds * 1000 + 1000);
    await expectValue(agent, 'after the package was installed');
  },
  async 'data file'(agent, turn) {
    // What changes within 200 ms of an answer, again and again, is taken for the server's own data. An agent takes
    // longer to think.
    await delay(THINKS_MS);
    agent.files.write('data/greeting.txt', `hello ${turn}\n`);
    const { text } = await agent.call('greet');
    if (text !== `hello ${turn}`) agent.wrong(`the greeting is "${text}" in turn ${turn}`);
  },
  async 'branch and back'(agent, turn) {
    agent.git('add', '.');
    agent.git('commit', '-qm', `turn ${turn}`, '--allow-empty');
    agent.git('checkout', '-qb', `branch-${turn}`);
    const { value } = agent.code;
    agent.write({ value: `branch ${turn}` });
    await expectValue(agent, 'on a branch');
    agent.git('commit', '-qam', `branch ${turn}`);
    // Git alone writes the file here: a checkout that goes unnoticed must show.
    agent.git('checkout', '-q', 'main');
    agent.expect({ value });
    await expectValue(agent, 'back from a branch');
  },
  async 'parallel calls'(agent, turn) {
    agent.write({ value: `parallel ${turn}` });
    await Promise.all(Array.from({ length: 5 }, () => expectValue(agent, 'in parallel')));
  },
  async touch(agent) {
    const before = await agent.call('process');
    utimesSync(agent.files.path('src/tools.mjs'), new Date(), new Date());
    const after = await agent.call('process');
    if (before.text !== after.text) agent.wrong('a touch restarted the server');
  },
};

/** All kinds in turn, but for the one that takes seconds: twice is enough of it. */
function kindOf(turn: number): string {
  const kinds = Object.keys(cycles);
  const kind = kinds[turn % kinds.length]!;
  return kind === 'a package installed afterwards' && turn > 2 * kinds.length ? 'edit' : kind;
}

async function play(t: TestContext, heeds: boolean): Promise<string[]> {
  const fixture = pathToFileURL(join(root, 'fixtures/servers/scripted.mjs')).href;
  let code: Code = { value: 'first', extra: ['spare'], imports: [] };
  const files = project(t, {
    'package.json': JSON.stringify({ name: 'developed', type: 'module' }),
    '.gitignore': 'node_modules\n',
    'server.mjs': `import { serve } from '${fixture}';\nimport * as given from './src/tools.mjs';\nawait serve(given);\n`,
    'src/tools.mjs': source(code),
    'data/greeting.txt': 'hello\n',
  });
  const settings = ['user.name=t', 'user.email=t@example.org', 'init.defaultBranch=main', 'core.fsync=none'];
  const identity = settings.flatMap((setting) => ['-c', setting]);
  const env = { PATH: process.env['PATH'], HOME: files.directory, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): void =>
    void execFileSync('git', [...identity, ...args], { cwd: files.directory, env, stdio: 'pipe' });
  git('init', '-q');
  const stateDir = join(scratch, `cycles-${heeds ? 'heeds' : 'ignores'}`);
  const client = await connectV1({
    command: [process.execPath, bin, '--agent-tools', '--state-dir', stateDir, '--', process.execPath, 'server.mjs'],
    cwd: files.directory,
    env: { ...(process.env as Record<string, string>) },
  });
  t.after(() => client.close());
  let known = (await client.listTools()).tools.map(({ name }) => name);
  let isStale = false;
  let onStale: () => void = () => {};
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    isStale = true;
    onStale();
  });

  /** Whether the news of a changed list has come, or comes. */
  const isTold = async (): Promise<boolean> => {
    const never = new AbortController();
    const told = isStale || new Promise<boolean>((resolve) => (onStale = () => resolve(true)));
    const isInTime = await Promise.race([
      told,
      delay(TOLD_WITHIN_MS, false, { signal: never.signal }).catch(() => false),
    ]);
    never.abort();
    isStale = false;
    return isInTime;
  };

  const misled: string[] = [];
  let turn = 0;
  const read = (result: Json) => ({ text: String(result.content[0].text), failed: result.isError === true });
  const agent: Agent = {
    files,
    get code() {
      return code;
    },
    write(change) {
      agent.expect(change);
      files.write('src/tools.mjs', source(code));
    },
    expect(change) {
      code = { ...code, imports: [], ...change };
    },
    async call(name) {
      try {
        return read(await client.callTool({ name }));
      } catch (error) {
        return { text: String(error), failed: true };
      }
    },
    async callNew(name) {
      if (!heeds) return read(await client.callTool({ name: 'call_server_tool', arguments: { name } }));
      // Any call brings the new code; the news of its tools follows.
      await agent.call('value');
      if (!(await isTold())) agent.wrong(`the client is never told of ${name}`);
      known = (await client.listTools()).tools.map((tool) => tool.name);
      if (!known.includes(name)) agent.wrong(`the client is not shown ${name}`);
      return agent.call(name);
    },
    git,
    wrong: (why) => void misled.push(`cycle ${turn} (${kindOf(turn)}): ${why}`),
  };
  for (turn = 0; turn < CYCLES; turn++) await cycles[kindOf(turn)]!(agent, turn);
  return misled;
}

describe('sixty cycles of an agent', { concurrency: 2 }, () => {
  for (const heeds of [true, false]) {
    const how = heeds ? 'heeds list_changed' : 'ignores list_changed';
    test(`P1 P4 P5 P7 P8 P9 an agent whose client ${how} is misled by no answer`, async (t) => {
      assert.deepEqual(await play(t, heeds), []);
    });
  }
});
