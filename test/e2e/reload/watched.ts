// A reloadable project behind the built bin, as the tests of this folder see it: what it answers, which generation
// does, and what the log says has happened. A call is also the barrier: when it has been answered, the disk has been
// looked at, and a reload that was due is over. What is edited, and how, is the test's.

import { existsSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyDirectory, project, startProxy } from '../../support/harness.js';
import type { Json, Started } from '../../support/harness.js';
import type { Project } from '../../support/project.js';
import { behaviour, reloadable } from '../../support/reloadable.js';
import type { Behaviour } from '../../support/reloadable.js';

export interface LogEvent {
  readonly event: string;
  readonly level: string;
  readonly text: string;
  readonly [field: string]: Json;
}

export interface Watched extends Started {
  readonly files: Project;
  /** Saves what the server is to say. */
  say(says: Behaviour | string): void;
  /** The text that a tool gives, failures of the reload included. */
  call(name?: string, given?: object): Promise<string>;
  /** The generation that answers. */
  generation(): Promise<number>;
  /** What the log has said under this name so far. */
  logged(event: string): LogEvent[];
  /** Resolves with what the log says under this name for the n-th time. */
  untilLogged(event: string, nth?: number): Promise<LogEvent>;
  /** How many builds of a `built` project have begun, and have read the sources. */
  builds(): number;
  untilBuilding(nth: number): Promise<void>;
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

const defaultCommand = [process.execPath, 'server.mjs'];

/** Starts without a word to the server. */
export function startWatched(t: TestContext, given: WatchedOptions = {}): Watched {
  const files = given.on ?? project(t, { ...reloadable(given.says ?? 'one'), ...given.files });
  given.prepare?.(files);
  const watch = (given.watch ?? ['src']).flatMap((path) => ['--watch', path]);
  const where = given.elsewhere === true ? ['--cwd', files.directory] : [];
  const proxy = startProxy(t, {
    options: [...where, ...watch, '--log-format', 'json', '--log-level', 'debug', ...(given.options ?? [])],
    command: given.command ?? defaultCommand,
    cwd: given.elsewhere === true ? emptyDirectory : files.directory,
    env: given.env ?? {},
    mayLeave: given.mayLeave ?? false,
  });
  const logged = (event: string) => parseLog(proxy.stderr()).filter((line) => line.event === event);
  const call = async (name = 'answer', parameters: object = {}) => {
    const { result, error } = await proxy.request('tools/call', { name, arguments: parameters });
    if (error !== undefined) throw new Error(`${name}: ${error.message}\n${proxy.transcript()}`);
    return result.content[0].text as string;
  };
  const builds = () => countLines(files.path('builds.txt'));
  return {
    ...proxy,
    files,
    say: (says) => files.write('src/behaviour.mjs', behaviour(says)),
    call,
    generation: async () => (JSON.parse(await call('generation')) as { generation: number }).generation,
    logged,
    builds,
    untilBuilding: (nth) => until(() => builds() >= nth, `build ${nth}`, proxy),
    async untilLogged(event, nth = 1) {
      for (;;) {
        const from = proxy.stderr().split('\n').length - 1;
        const found = logged(event)[nth - 1];
        if (found !== undefined) return found;
        await proxy.waitForLog(`"event":"${event}"`, { from });
      }
    },
  };
}

/** Starts, opens the session and sees that the first generation answers. */
export async function watched(t: TestContext, given: WatchedOptions = {}): Promise<Watched> {
  const proxy = startWatched(t, given);
  await proxy.initialize();
  await proxy.call();
  return proxy;
}

/** A project whose server has read its sources and serves only while there is no file `hold-start`. */
export function gated(): WatchedOptions & { files: Record<string, string> } {
  const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
  const wait = `
    import { existsSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    if (existsSync('hold-start')) console.error('generation', process.env.MCP_HOTLINE_GENERATION, 'waits');
    while (existsSync('hold-start')) await delay(5);
    await serve(`;
  return { files: { 'server.mjs': server.replace('await serve(', wait) } };
}

/**
 * A project whose server runs what `node build.mjs` has made of the sources. The build reads them, notes itself down,
 * goes on only when there is no file `hold-build`, prints what the file `build-says` holds, and fails on a source that
 * says `wrong`.
 */
export function built(): WatchedOptions & { files: Record<string, string> } {
  const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
  return {
    files: {
      'server.mjs': server.replace('./src/', './dist/'),
      'build.mjs': `
        import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
        import { setTimeout as delay } from 'node:timers/promises';
        const source = readFileSync('src/behaviour.mjs', 'utf8');
        appendFileSync('builds.txt', process.pid + '\\n');
        while (existsSync('hold-build')) await delay(5);
        if (existsSync('build-says')) process.stdout.write(readFileSync('build-says'));
        if (source.includes('wrong')) {
          console.error('src/behaviour.mjs(1,9): error: this is wrong');
          process.exit(2);
        }
        mkdirSync('dist', { recursive: true });
        writeFileSync('dist/behaviour.mjs', source);
      `,
    },
  };
}

/** For what only the disk can tell. */
export async function until(isSo: () => boolean, what: string, proxy: Started): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waiting for ${what}\n${proxy.transcript()}`);
    await delay(2);
  }
}

function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/**
 * Only whole lines, and none that the server itself prints. The warning that `--watch` leaves out the entry is left out
 * too: these projects watch `src` alone on purpose.
 */
function parseLog(stderr: string): LogEvent[] {
  return stderr
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{"time"'))
    .map((line) => JSON.parse(line) as LogEvent)
    .filter(({ text }) => !text.startsWith('--watch leaves out '));
}

/** The events of a proxy that looks by itself, and of one that polls. */
export const modes: [name: string, options: string[]][] = [
  ['events', []],
  ['polling', ['--poll', '50']],
];
