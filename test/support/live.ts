// A project with the proxy on it, for tests of what a reload does to messages: the test saves sources, opens gates
// (files that a server waits for) and reads what each generation was told. When it ends, what holds for every test is
// checked: no second response, nothing of the proxy's own. The servers are reloadable.ts's, or scripted here.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { project, startProxy } from './harness.js';
import type { Started } from './harness.js';
import type { Message, Received } from './message.js';
import { root } from './paths.js';
import type { Project } from './project.js';
import type { JournalEntry } from './reloadable.js';

const fixtures = pathToFileURL(join(root, 'fixtures/servers/scripted.mjs')).href;

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
  atEnd?: (ended: Live) => void;
}

export interface Live extends Started {
  readonly files: Project;
  /** Saves what the server is made of. */
  save(source: string): void;
  /** Saves it so that it starts only when the returned function is called; resolves when the hold has begun. */
  saveHeld(source: string): Promise<() => void>;
  /** A gate: the path of a file that is not watched, and a function that makes it appear. */
  gate(): { readonly path: string; open(): void };
  /** The text that a tool answers with. */
  call(name: string, given?: object): Promise<string>;
  /** Starts a call and resolves when a generation has received it. */
  begin(name: string, given?: object, meta?: object): Promise<{ readonly answer: Promise<Message> }>;
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
}

export async function live(t: TestContext, files: Record<string, string>, given: LiveOptions = {}): Promise<Live> {
  const here = project(t, files);
  const journalFile = here.path('journal');
  const peer = startProxy(t, {
    command: [process.execPath, 'server.mjs'],
    cwd: here.directory,
    options: ['--watch', 'src', ...(given.options ?? [])],
    env: { JOURNAL: journalFile, ...given.env },
    mayLeave: given.mayLeave ?? false,
    atEnd: () => {
      answeredOnce(peer);
      given.atEnd?.(opened);
    },
  });
  const edited = `src/${readdirSync(here.path('src'))[0]!}`;
  let gates = 0;
  let calls = 0;

  const opened: Live = {
    ...peer,
    files: here,
    save: (source) => here.write(edited, source),
    async saveHeld(source) {
      const { path, open } = opened.gate();
      const from = peer.stderr().split('\n').length - 1;
      opened.save(`${waitFor(path)}\n${source}`);
      await peer.waitForLog('changed: ', { from });
      return open;
    },
    gate() {
      const name = `gate-${++gates}`;
      return { path: here.path(name), open: () => here.write(name, '') };
    },
    async call(name, args) {
      const { result, error } = await peer.request('tools/call', { name, arguments: args ?? {} });
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
    told: (generation) =>
      opened
        .journal()
        .filter((entry) => entry.generation === generation)
        .map(({ line }) => JSON.parse(line) as Message),
    journal: () => {
      // A line that is just being written is not there yet.
      const text = existsSync(journalFile) ? readFileSync(journalFile, 'utf8') : '';
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as JournalEntry);
    },
    async received(pattern, generation) {
      const has = () =>
        opened
          .journal()
          .some((entry) => (generation === undefined || entry.generation === generation) && pattern.test(entry.line));
      await until(has, `a server that receives ${pattern}`, peer);
    },
    gone: (pid) => until(() => !isAlive(pid), `the end of process ${pid}`, peer),
    notifications: (from = 0) =>
      peer.messages
        .slice(from)
        .filter(({ message }) => message.method !== undefined && message.id === undefined)
        .map(({ message }) => message.method!),
    reloaded: (generation) => peer.waitForLog(new RegExp(`reloaded .*generation ${generation}\\b`)),
  };
  if (given.initialize !== false) {
    await peer.initialize(given.initialize);
    // Whoever saves before that does so in the middle of the handshake. A server that was asked nothing is told
    // nothing.
    if (given.unready !== true && opened.journal().length > 0) await opened.received(/notifications\/initialized/);
  }
  return opened;
}

function answeredOnce(peer: Started): void {
  const text = ({ raw }: Received) => String(raw);
  assert.deepEqual(peer.duplicates.map(text), [], `answered twice\n${peer.transcript()}`);
  const own = peer.messages.filter(({ raw }) => raw.includes('"mcp-hotline:'));
  assert.deepEqual(own.map(text), [], 'nothing of the proxy itself reaches the client');
}

/** The files of a project whose server is made of functions: exports `capabilities`, `methods` and `tools`. */
export function scripted(body: string): Record<string, string> {
  return {
    'server.mjs': [
      `import { serve } from ${JSON.stringify(fixtures)};`,
      `import * as given from './src/script.mjs';`,
      `await serve(given);\n`,
    ].join('\n'),
    'src/script.mjs': script(body),
  };
}

/** The source of `src/script.mjs`. */
export function script(body: string): string {
  return `import { appears, ask, generation, never, send } from ${JSON.stringify(fixtures)};\n${body}\n`;
}

function waitFor(file: string): string {
  return [
    `import { existsSync } from 'node:fs';`,
    `while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 5));`,
  ].join('\n');
}

/** For what happens in another process and is seen only by looking. */
async function until(holds: () => boolean, label: string, { child, transcript }: Started): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    const over = child.exitCode !== null || child.signalCode !== null;
    if (over || performance.now() > deadline)
      throw new Error(`waiting for ${label}: ${over ? 'the proxy has ended' : 'nothing in 30 s'}\n${transcript()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
