// Sessions of one project in this process, each on streams in memory. Servers, builds and files are real. Each session
// has a lineage of its own, or all share one. Whatever happens in them, no message says the name of another session,
// nothing is answered twice, and at the end no process is left. What the clients do is the test's.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { TestContext } from 'node:test';
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
import { cleanup } from './cleanup.js';
import { converse, type Conversation } from './conversation.js';
import { newMarker, testEnvironment } from './harness.js';
import type { Message } from './message.js';
import type { Project as Files } from './project.js';
import { killAll, processesLeft, processesOf } from './processes.js';
import { createTranscript } from './transcript.js';

/** For whatever may wait for a build and a start on a busy machine. */
const PATIENCE = { deadline: 120_000 };

export interface Session extends Conversation {
  readonly name: string;
  /** What the client has not read yet stays in here. */
  readonly output: PassThrough;
  /** What the log says on behalf of this session, or, where they share a lineage, of all. */
  readonly log: readonly string[];
  /** What its servers have said on stderr, with the same restriction. */
  stderr(): string;
  /** A call that succeeds: its text. */
  call(tool?: string, given?: object): Promise<string>;
  /** The methods of the notifications that it received. */
  notifications(): string[];
  /** Ends it as a client does. Resolves when everything that ran for it alone is gone. */
  close(): Promise<void>;
}

export interface Sessions {
  /** Connects a client and opens its session. */
  open(name: string): Promise<Session>;
  /** The log of the project and of all sessions so far. */
  readonly log: readonly string[];
  count(pattern: RegExp): number;
  /** The processes of servers and builds, by number. */
  processes(): number[];
  transcript(): string;
}

export interface SessionOptions {
  /** Under whatever name the server is known. */
  readonly rules: readonly Rule[];
  /** All sessions are served by one lineage. */
  readonly shared?: boolean;
  readonly config?: Partial<Config>;
  /** On top of the environment of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

interface Serving {
  readonly lineage: Lineage;
  readonly log: string[];
  readonly stderr: Buffer[];
}

/** Runs `server.mjs` of these files. */
export function openSessions(t: TestContext, files: Files, options: SessionOptions): Sessions {
  const marker = newMarker();
  const config = configOf(files, marker, options);
  const log: string[] = [];
  const eventsOf = (name: string, own: string[] = []): EventBus => {
    const events = createEventBus();
    const write = (line: string): void => void (own.push(line), log.push(`${name} ${line}`));
    subscribeLog(events, { level: 'debug', format: 'text', write });
    return events;
  };
  const project = new Project({
    configInForce: fixedConfig(config),
    events: eventsOf('project'),
    helperCommand: undefined,
  });
  const all: Session[] = [];
  let common: Serving | undefined;

  const serve = (name: string): Serving => {
    const own: string[] = [];
    const stderr: Buffer[] = [];
    const guard = new OrphanGuard();
    const printed = new PassThrough().on('data', (chunk: Buffer) => stderr.push(chunk));
    const lineage = new Lineage(contextOf(config, eventsOf(name, own), printed, guard), project);
    void lineage.closed.then(() => guard.close());
    return { lineage, log: own, stderr };
  };
  const transcript = (): string => [...log, ...all.map((session) => session.transcript())].join('\n');
  cleanup(t, async () => {
    const left = await processesLeft(marker);
    killAll(left);
    assert.deepEqual(
      left.map(({ command }) => command),
      [],
      `P13 left behind\n${transcript()}`,
    );
  });

  return {
    log,
    count: (pattern) => log.filter((line) => pattern.test(line)).length,
    processes: () =>
      processesOf(marker)
        .map(({ pid }) => pid)
        .sort((a, b) => a - b),
    transcript,
    async open(name) {
      const isFirst = options.shared !== true || common === undefined;
      const serving = isFirst ? serve(name) : common!;
      if (options.shared === true && isFirst) {
        common = serving;
        void serving.lineage.closed.then(() => (common = undefined));
      }
      const [input, output] = [new PassThrough(), new PassThrough()];
      const left = serving.lineage.attach(connectStdio({ input, output }, { config, tooLong: 'too long' }));
      if (isFirst) serving.lineage.begin();
      const session = sessionOf(name, { input, output, left }, serving);
      all.push(session);
      cleanup(t, async () => {
        await session.close();
        assertApart(session, all, options.shared === true);
      });
      await session.initialize();
      return session;
    },
  };
}

interface Connection {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Its session is over. */
  readonly left: Promise<unknown>;
}

function sessionOf(name: string, { input, output, left }: Connection, serving: Serving): Session {
  const story = createTranscript(`transcript of ${name}`);
  const client = converse({ stdin: input, stdout: output }, story);
  const transcript = (): string => `${client.transcript()}\n${serving.log.join('')}${serving.stderr.join('')}`;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    input.end();
    await left;
    // What it still waits for will not come.
    await finished(output.end().resume());
  };
  return {
    ...client,
    name,
    output,
    log: serving.log,
    transcript,
    stderr: () => Buffer.concat(serving.stderr).toString(),
    request: (method, params, wait) => client.request(method, params, { ...PATIENCE, ...wait }),
    waitFor: (predicate, label, wait) => client.waitFor(predicate, label, { ...PATIENCE, ...wait }),
    async initialize(overrides) {
      const clientInfo = { name: 'test-client', version: '1.0.0' };
      const params = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo, ...overrides };
      const { result, error } = await client.request('initialize', params, PATIENCE);
      assert.equal(error, undefined, transcript());
      await client.notify('notifications/initialized');
      return result;
    },
    async call(tool = 'answer', given = {}) {
      const { result, error } = await client.request('tools/call', { name: tool, arguments: given }, PATIENCE);
      assert.equal(error, undefined, transcript());
      return result.content[0].text as string;
    },
    notifications: () => client.messages.filter(({ message }) => isNotification(message)).map(methodOf),
    close: () => (closing ??= close()),
  };
}

/** P17 nothing of one reaches another, and P1 nothing comes twice. */
function assertApart(session: Session, all: readonly Session[], shared: boolean): void {
  const others = all.filter((other) => other !== session).map(({ name }) => `"${name}"`);
  const received = session.messages.map(({ raw }) => raw.toString());
  const foreign = received.filter((line) => others.some((name) => line.replaceAll('\\"', '"').includes(name)));
  assert.deepEqual(foreign, [], `P17 ${session.name} has received what concerns another\n${session.transcript()}`);
  assert.deepEqual(session.duplicates, [], session.transcript());
  assert.ok(!received.some((line) => line.includes('"mcp-hotline:')), session.transcript());
  if (shared) return;
  const said = [...session.log, session.stderr()].filter((text) => others.some((name) => text.includes(name)));
  assert.deepEqual(said, [], `P17 what ${session.name} is told of another`);
}

function isNotification({ method, id }: Message): boolean {
  return method !== undefined && id === undefined;
}

function methodOf({ message }: { readonly message: Message }): string {
  return message.method!;
}

function configOf(files: Files, marker: string, { rules, config, env }: SessionOptions): Config {
  const base = { cwd: files.directory, env: testEnvironment(marker, env) };
  const resolved = resolveConfig({ command: process.execPath, args: ['server.mjs'] }, base);
  if (!resolved.ok) throw new Error(resolved.error);
  const state = files.path('state');
  return { ...resolved.value.config, rules, stateDir: state, projectDir: state, ...config };
}

function contextOf(config: Config, events: EventBus, stderr: PassThrough, guard: OrphanGuard): FlowContext {
  const mark = newMark();
  return {
    configInForce: fixedConfig(config),
    config,
    events,
    name: 'server',
    tooLong: 'too long',
    earlyServer: undefined,
    helperCommand: undefined,
    leftovers: { gone: () => {}, close: () => Promise.resolve() },
    spec: (number) => ({ ...childSpec(config, number, mark), number, maxLine: config.maxMessage, stderr, guard }),
    noise: () => {},
    reportNotStarted: (error) => {
      throw error;
    },
  };
}
