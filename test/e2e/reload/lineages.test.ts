// Two lineages on one project, in this process: each serves a client of its own, and both read the same files. What one
// server writes as it starts, and what one build makes, concerns the other lineage as well (P6 settles).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { resolveConfig, type Config, type Rule } from '#src/config/config.js';
import { fixedConfig } from '#src/config/config-in-force.js';
import { createEventBus, type EventBus } from '#src/events/bus.js';
import type { FlowContext } from '#src/flow/flow.js';
import { connectStdio } from '#src/front/stdio.js';
import { Lineage } from '#src/lineage/lineage.js';
import { newMark } from '#src/process/mark.js';
import { OrphanGuard } from '#src/process/orphan-guard.js';
import { Project } from '#src/project/project.js';
import { childSpec } from '#src/server/child-spec.js';
import { subscribeLog } from '#src/sinks/log.js';
import { cleanup } from '../../support/cleanup.js';
import { newMarker, project, testEnvironment, type Message } from '../../support/harness.js';
import { splitLines } from '../../support/lines.js';
import { behaviour, reloadable } from '../../support/reloadable.js';
import { deferred, type Deferred } from '../../support/waits.js';

/** One after the other: the first brings the project about. */
const CLIENTS = ['one', 'other'];
/** Longer than any pause between two attempts. */
const REST_MS = 3000;

interface Client {
  call(tool?: string): Promise<string>;
  close(): Promise<void>;
}

/** Clients of one project, each with a lineage, and what all of them have logged. */
class Lineages {
  readonly log: string[] = [];
  readonly #config: Config;
  readonly #project: Project;

  constructor(cwd: string, rules: readonly Rule[]) {
    const env = testEnvironment(newMarker());
    const resolved = resolveConfig({ command: process.execPath, args: ['server.mjs'] }, { cwd, env });
    if (!resolved.ok) throw new Error(resolved.error);
    this.#config = { ...resolved.value.config, rules, stateDir: `${cwd}/state`, projectDir: `${cwd}/state` };
    const events = this.#eventsOf('project');
    this.#project = new Project({ configInForce: fixedConfig(this.#config), events, helperCommand: undefined });
  }

  count(pattern: RegExp): number {
    return this.log.filter((line) => pattern.test(line)).length;
  }

  async connect(t: TestContext, name: string): Promise<Client> {
    const [input, output, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stderr.resume();
    const pending = new Map<number, Deferred<Message>>();
    const story = (): string => this.log.join('');
    const lines = splitLines((line) => {
      const message = JSON.parse(line.toString()) as Message;
      if (message.method === undefined) pending.get(Number(message.id))?.resolve(message);
    });
    output.on('data', (chunk: Buffer) => lines.push(chunk));
    const ended = deferred<void>(`the end of ${name}`, story);
    const guard = new OrphanGuard();
    const lineage = new Lineage(this.#contextOf(name, stderr, guard), this.#project);
    const limits = { maxMessage: () => this.#config.maxMessage, tooLong: () => 'too long' };
    lineage.attach(connectStdio({ input, output }, limits));
    lineage.begin();
    void lineage.closed.then(() => ended.resolve());
    const close = async (): Promise<void> => {
      input.end();
      await ended.promise;
      guard.close();
    };
    cleanup(t, close);
    let lastId = 0;
    const send = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const request = (method: string, params: object) => {
      const id = ++lastId;
      const answer = deferred<Message>(`${name}: the answer to ${method}`, story, 60_000);
      pending.set(id, answer);
      send({ id, method, params });
      return answer.promise;
    };
    const clientInfo = { name: 'test-client', version: '1.0.0' };
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
    return {
      close,
      async call(tool = 'answer') {
        const { result, error } = await request('tools/call', { name: tool });
        if (error !== undefined) throw new Error(`${error.message}\n${story()}`);
        return result.content[0].text as string;
      },
    };
  }

  #contextOf(name: string, stderr: PassThrough, guard: OrphanGuard): FlowContext {
    const config = this.#config;
    const mark = newMark();
    return {
      configInForce: fixedConfig(config),
      config,
      events: this.#eventsOf(name),
      name: 'server',
      tooLong: 'too long',
      first: undefined,
      helperCommand: undefined,
      leftovers: { gone: () => {}, close: () => Promise.resolve() },
      spec: (number) => {
        return { ...childSpec(config, number, mark), number, maxLine: config.maxMessage, stderr, guard };
      },
      noise: () => {},
      reportNotStarted: (error) => {
        throw error;
      },
    };
  }

  #eventsOf(name: string): EventBus {
    const events = createEventBus();
    subscribeLog(events, { level: 'debug', format: 'text', write: (line) => void this.log.push(`${name} ${line}`) });
    return events;
  }
}

const restarting = { name: 'server', watch: ['src'], then: 'restart' } as const;

/** The files of a server that runs `when` with a function that writes a watched file, other bytes each time. */
function writing(when: string): Record<string, string> {
  const files = reloadable('first');
  const write = `
    import { writeFileSync } from 'node:fs';
    const note = () => writeFileSync('src/started.json', JSON.stringify([process.pid, performance.now()]));
    ${when}
    await serve(`;
  return { ...files, 'server.mjs': files['server.mjs']!.replace('await serve(', write) };
}

/** The same process answers as before, after a while. Only time can show that nothing comes. */
async function rest(clients: readonly Client[], lineages: Lineages): Promise<void> {
  const before = await Promise.all(clients.map((client) => client.call('generation')));
  const reloads = lineages.count(/reloaded in/);
  await delay(REST_MS);
  assert.equal(lineages.count(/reloaded in/), reloads, lineages.log.join(''));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call('generation'))), before);
}

test('P6 a server that writes what is watched as it starts does not make another lineage reload in turn', async (t) => {
  const files = project(t, writing('note();'));
  const lineages = new Lineages(files.directory, [restarting]);
  const clients: Client[] = [];
  for (const name of CLIENTS) clients.push(await lineages.connect(t, name));
  await rest(clients, lineages);
  for (const answer of ['second', 'third']) {
    files.write('src/behaviour.mjs', behaviour(answer));
    assert.deepEqual(await Promise.all(clients.map((client) => client.call())), [answer, answer]);
    await rest(clients, lineages);
  }
  // One that comes later writes the file as well, and concerns nobody.
  clients.push(await lineages.connect(t, 'late'));
  await rest(clients, lineages);
  files.write('src/behaviour.mjs', behaviour('fourth'));
  for (const client of clients) assert.equal(await client.call(), 'fourth', lineages.log.join(''));
});

test('P4 what a server writes as it starts is an edit for all lineages if somebody else writes it', async (t) => {
  const server = "import { readFileSync } from 'node:fs';\nconst started = readFileSync('src/started.json', 'utf8');\n";
  const source = writing('note(); process.env.STARTED = started;')['server.mjs']!;
  const files = project(t, { ...reloadable('first'), 'server.mjs': server + source, 'src/started.json': '[]' });
  const lineages = new Lineages(files.directory, [restarting]);
  const clients: Client[] = [];
  for (const name of CLIENTS) clients.push(await lineages.connect(t, name));
  await rest(clients, lineages);
  const before = await Promise.all(clients.map((client) => client.call('generation')));
  files.write('src/started.json', '"by hand"');
  const after = await Promise.all(clients.map((client) => client.call('generation')));
  for (const [at, generation] of after.entries()) assert.notEqual(generation, before[at], lineages.log.join(''));
});

test('P6 servers that write what is watched soon after they have started are reloaded at most at requests', async (t) => {
  const files = project(t, writing('setTimeout(note, 300);'));
  const lineages = new Lineages(files.directory, [restarting]);
  const clients: Client[] = [];
  for (const name of CLIENTS) clients.push(await lineages.connect(t, name));
  while (lineages.count(/with nobody asking/) < CLIENTS.length) await delay(100);
  const reloads = lineages.count(/reloaded in/);
  await delay(REST_MS);
  assert.equal(lineages.count(/reloaded in/), reloads, lineages.log.join(''));
  files.write('src/behaviour.mjs', behaviour('second'));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call())), ['second', 'second']);
});

test('P6 a build is run once for all lineages, whether it fails or not', async (t) => {
  const build = `
    import { appendFileSync, cpSync, readFileSync } from 'node:fs';
    appendFileSync('builds.txt', 'x');
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (readFileSync('src/behaviour.mjs', 'utf8').includes('broken')) process.exit(2);
    cpSync('src', 'dist', { recursive: true });`;
  const source = reloadable('first');
  const files = project(t, {
    ...source,
    'server.mjs': source['server.mjs']!.replace('./src/', './dist/'),
    'build.mjs': build,
  });
  const lineages = new Lineages(files.directory, [{ ...restarting, build: `${process.execPath} build.mjs` }]);
  const builds = (): number => readFileSync(files.path('builds.txt')).length;
  const clients = await Promise.all(CLIENTS.map((name) => lineages.connect(t, name)));
  assert.equal(builds(), 1, lineages.log.join(''));
  files.write('src/behaviour.mjs', behaviour('second'));
  assert.deepEqual(
    await Promise.all(clients.map((client) => client.call())),
    ['second', 'second'],
    lineages.log.join(''),
  );
  assert.equal(builds(), 2, lineages.log.join(''));
  files.write('src/behaviour.mjs', 'broken');
  const failures = await Promise.allSettled(clients.map((client) => client.call()));
  assert.ok(
    failures.every(({ status }) => status === 'fulfilled'),
    lineages.log.join(''),
  );
  assert.equal(builds(), 3, lineages.log.join(''));
  files.write('src/behaviour.mjs', behaviour('third'));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call())), ['third', 'third']);
  assert.equal(builds(), 4, lineages.log.join(''));
  // One that leaves while a build runs does not end it for the other.
  files.write('src/behaviour.mjs', behaviour('fourth'));
  const [call] = [clients[0]!.call()];
  await delay(400);
  await clients[1]!.close();
  assert.equal(await call, 'fourth');
  assert.equal(builds(), 5, lineages.log.join(''));
});
