// A project with the proxy on it, for tests of what a reload does: the test saves sources, opens gates (files that a
// server waits for), and reads what each generation was told and what the log says. `live` is for tests of messages:
// when it ends, what holds for every test is checked. `watched` is for tests of changes: a call is also the barrier
// there, since the disk has been looked at when it is answered. What the projects are made of is reloadable.ts's.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { emptyDirectory, project, startProxy } from './harness.js';
import type { ProxyOptions, Started } from './harness.js';
import { readJournal } from './journal.js';
import type { JournalEntry } from './journal.js';
import type { Message, Received } from './message.js';
import type { Project } from './project.js';
import { readLog } from './proxy-log.js';
import type { LogEvent } from './proxy-log.js';
import { behaviour, reloadable } from './reloadable.js';
import type { Behaviour } from './reloadable.js';
import { until } from './until.js';

export interface ReloadProject extends Started {
  readonly files: Project;
  /** Saves what the server is made of. */
  save(source: string): void;
  /** The same, for a `reloadable` server: what it is to say. */
  say(says: Behaviour | string): void;
  /** Saves it so that it starts only when the returned function is called; resolves when the hold has begun. */
  saveHeld(source: string): Promise<() => void>;
  /** A gate: the path of a file that is not watched, and a function that makes it appear. */
  gate(): { readonly path: string; open(): void };
  /** The text that a tool answers with, failures of the reload included. */
  call(name?: string, given?: object): Promise<string>;
  /** Starts a call and resolves when a generation has received it. */
  begin(name: string, given?: object, meta?: object): Promise<{ readonly answer: Promise<Message> }>;
  /** The generation that answers. */
  generation(): Promise<number>;
  /** What the generation was told, in order: parsed, and as it was read. */
  told(generation: number): Message[];
  journal(): JournalEntry[];
  /** Resolves when a generation has received a line that matches. */
  received(pattern: RegExp, generation?: number): Promise<void>;
  /** Resolves when the process has ended. */
  gone(pid: number): Promise<void>;
  /** The methods of the notifications that the client received, from the given message on. */
  notifications(from?: number): string[];
  /** Resolves with the line that tells of the reload. */
  reloaded(generation: number): Promise<string>;
  /** What the log has said under this name so far, if it is JSON. */
  logged(event: string): LogEvent[];
  /** Resolves with what the log says under this name for the n-th time. */
  untilLogged(event: string, nth?: number): Promise<LogEvent>;
  /** How many builds of a `built` project have begun, and have read the sources. */
  builds(): number;
  untilBuilding(nth: number): Promise<void>;
}

function start(t: TestContext, files: Project, given: Omit<ProxyOptions, 'cwd'> & { cwd?: string }): ReloadProject {
  const journalFile = files.path('journal');
  const peer = startProxy(t, { cwd: files.directory, ...given });
  const edited = existsSync(files.path('src')) ? `src/${readdirSync(files.path('src'))[0]!}` : '';
  let gates = 0;
  let calls = 0;

  const opened: ReloadProject = {
    ...peer,
    files,
    save: (source) => files.write(edited, source),
    say: (says) => files.write('src/behaviour.mjs', behaviour(says)),
    async saveHeld(source) {
      const { path, open } = opened.gate();
      const from = peer.stderr().split('\n').length - 1;
      opened.save(`${waitFor(path)}\n${source}`);
      await peer.waitForLog('changed: ', { from });
      return open;
    },
    gate() {
      const name = `gate-${++gates}`;
      return { path: files.path(name), open: () => files.write(name, '') };
    },
    async call(name = 'answer', args = {}) {
      const { result, error } = await peer.request('tools/call', { name, arguments: args });
      assert.equal(error, undefined, peer.transcript());
      return result.content[0].text as string;
    },
    async begin(name, args, meta) {
      const id = `begun-${++calls}`;
      const params = { name, arguments: args ?? {}, ...(meta && { _meta: meta }) };
      const answer = peer.request('tools/call', params, { id });
      answer.catch(() => {}); // a test may leave it open
      await opened.received(new RegExp(`"${id}"`));
      return { answer };
    },
    generation: async () => (JSON.parse(await opened.call('generation')) as { generation: number }).generation,
    told: (generation) =>
      opened
        .journal()
        .filter((entry) => entry.generation === generation)
        .map(({ line }) => JSON.parse(line) as Message),
    journal: () => readJournal(journalFile),
    async received(pattern, generation) {
      const has = () =>
        opened
          .journal()
          .some((entry) => (generation === undefined || entry.generation === generation) && pattern.test(entry.line));
      await until(has, `a server that receives ${pattern}`, peer, { whileRunning: true });
    },
    gone: async (pid) =>
      void (await until(() => !isAlive(pid), `the end of process ${pid}`, peer, { whileRunning: true })),
    notifications: (from = 0) =>
      peer.messages
        .slice(from)
        .filter(({ message }) => message.method !== undefined && message.id === undefined)
        .map(({ message }) => message.method!),
    reloaded: (generation) => peer.waitForLog(new RegExp(`reloaded .*generation ${generation}\\b`)),
    // These projects watch `src` alone on purpose, so the warning about it is left out.
    logged: (event) =>
      readLog(peer.stderr()).filter((line) => line.event === event && !line.text.startsWith('--watch leaves out ')),
    async untilLogged(event, nth = 1) {
      for (;;) {
        const from = peer.stderr().split('\n').length - 1;
        const found = opened.logged(event)[nth - 1];
        if (found !== undefined) return found;
        await peer.waitForLog(`"event":"${event}"`, { from });
      }
    },
    builds: () => countLines(files.path('builds.txt')),
    untilBuilding: async (nth) => void (await until(() => opened.builds() >= nth, `build ${nth}`, peer)),
  };
  return opened;
}

interface LiveOptions {
  options?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Members of the `initialize` params, or false: the test opens the session itself. */
  initialize?: object | false;
  /** The server never gets as far as `notifications/initialized`. */
  unready?: boolean;
  /** A server that puts processes into sessions of their own: they may stay. */
  mayLeave?: boolean;
  /** Looked at when the proxy has ended. */
  atEnd?: (ended: ReloadProject) => void;
}

/**
 * Starts on these files, with a journal, and opens the session. At its end: no second response, nothing of the proxy's
 * own.
 */
export async function live(
  t: TestContext,
  files: Record<string, string>,
  given: LiveOptions = {},
): Promise<ReloadProject> {
  const here = project(t, files);
  const opened = start(t, here, {
    command: [process.execPath, 'server.mjs'],
    options: ['--watch', 'src', ...(given.options ?? [])],
    env: { JOURNAL: here.path('journal'), ...given.env },
    mayLeave: given.mayLeave ?? false,
    atEnd: () => {
      answeredOnce(opened);
      given.atEnd?.(opened);
    },
  });
  if (given.initialize !== false) {
    await opened.initialize(given.initialize);
    // Whoever saves before that does so in the middle of the handshake. A server that was asked nothing is told
    // nothing.
    if (given.unready !== true && opened.journal().length > 0) await opened.received(/notifications\/initialized/);
  }
  return opened;
}

export interface WatchedOptions {
  /** Instead of `--watch src`. */
  watch?: readonly string[];
  options?: readonly string[];
  says?: Behaviour | string;
  /** On top of those of `reloadable`. */
  files?: Record<string, string>;
  command?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** A project that another proxy is on already. */
  on?: Project;
  /** Starts in another directory, and says --cwd. */
  elsewhere?: boolean;
  /** See the harness. */
  mayLeave?: boolean;
  /** Before the start. */
  prepare?: (files: Project) => void;
}

/** Starts on a `reloadable` project, with a log in JSON, and without a word to the server. */
export function startWatched(t: TestContext, given: WatchedOptions = {}): ReloadProject {
  const files = given.on ?? project(t, { ...reloadable(given.says ?? 'one'), ...given.files });
  given.prepare?.(files);
  const watch = (given.watch ?? ['src']).flatMap((path) => ['--watch', path]);
  const where = given.elsewhere === true ? ['--cwd', files.directory] : [];
  return start(t, files, {
    options: [...where, ...watch, '--log-format', 'json', '--log-level', 'debug', ...(given.options ?? [])],
    command: given.command ?? [process.execPath, 'server.mjs'],
    cwd: given.elsewhere === true ? emptyDirectory : files.directory,
    env: given.env ?? {},
    mayLeave: given.mayLeave ?? false,
  });
}

/** Starts, opens the session and sees that the first generation answers. */
export async function watched(t: TestContext, given: WatchedOptions = {}): Promise<ReloadProject> {
  const proxy = startWatched(t, given);
  await proxy.initialize();
  await proxy.call();
  return proxy;
}

/** The events of a proxy that looks by itself, and of one that polls. */
export const modes: [name: string, options: string[]][] = [
  ['events', []],
  ['polling', ['--poll', '50']],
];

function answeredOnce(peer: Started): void {
  const text = ({ raw }: Received) => String(raw);
  assert.deepEqual(peer.duplicates.map(text), [], `answered twice\n${peer.transcript()}`);
  const own = peer.messages.filter(({ raw }) => raw.includes('"mcp-hotline:'));
  assert.deepEqual(own.map(text), [], 'nothing of the proxy itself reaches the client');
}

function waitFor(file: string): string {
  return [
    `import { existsSync } from 'node:fs';`,
    `while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 5));`,
  ].join('\n');
}

function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
