// Starts the built bin, or a server without it, as a real process for one test, and sees to it that nothing of it is
// left when the test ends: a leftover process fails the test. What one can do with it is peer.ts's part.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { stateDir } from '#src/config/state-dir.js';
import { bin, emptyDirectory, scratch } from './paths.js';
import { openPeer } from './peer.js';
import type { Peer } from './peer.js';
import type { Project } from './project.js';
import { killAll, processesLeft, processesOf } from './processes.js';
import { cleanup } from './cleanup.js';

export type { Json, Message } from './message.js';
export { emptyDirectory, fixture, fixtureCopy } from './paths.js';
export { memoryOf, processesLeft, processesOf } from './processes.js';
export { project } from './project.js';

interface StartOptions {
  /** The server and its arguments. */
  command: readonly string[];
  cwd?: string;
  /** On top of the environment of the tests. */
  env?: NodeJS.ProcessEnv;
  /** Leaves stdout unread: the test reads `child.stdout` itself. */
  unread?: boolean;
  /** A test that kills the proxy itself can't ask that nothing is left; what is left is still ended. */
  mayLeave?: boolean;
  /** Looked at when it has ended. */
  atEnd?: (peer: Peer) => void;
}

export interface ProxyOptions extends StartOptions {
  /** Options of mcp-hotline. */
  options?: readonly string[];
  /** A plain pass-through. */
  noReload?: boolean;
  /** For clients over HTTP alone. */
  serve?: boolean;
}

export interface Started extends Peer {
  /** In the environment of every process that this start caused: see `processesOf`. */
  readonly marker: string;
}

/** Runs `mcp-hotline [options] -- command`, or `mcp-hotline serve …`. */
export function startProxy(t: TestContext, { options = [], command, ...given }: ProxyOptions): Started {
  const { noReload = false, serve = false, ...start } = given;
  const words = [...(serve ? ['serve'] : []), ...(noReload ? ['--no-reload'] : []), ...options];
  return open(t, proxyCommand(words, command), start);
}

/** The command line of the built bin, for clients that start it themselves. */
export function proxyCommand(options: readonly string[], command: readonly string[]): string[] {
  return [process.execPath, bin, ...options, '--', ...command];
}

/** Runs the command itself, for a comparison side by side. */
export function startDirect(t: TestContext, { command, ...start }: StartOptions): Started {
  return open(t, command, start);
}

/** The environment for a process of a test: the test's own, without what would slow it down or change its outcome. */
export function testEnvironment(marker: string, more: NodeJS.ProcessEnv = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_(EXTRA_CA_CERTS|OPTIONS|TEST_CONTEXT)|MCP_.*|FORCE_COLOR)$/.test(name),
  );
  const all = {
    ...Object.fromEntries(inherited),
    XDG_STATE_HOME: join(scratch, 'state'),
    ...more,
    TEST_MARKER: marker,
  };
  return all;
}

/** Where the proxies of a project keep its builds, whatever their own state directories. */
export function projectDirOf({ directory }: Project): string {
  return stateDir({ cwd: directory, env: { XDG_STATE_HOME: join(scratch, 'state') } });
}

export const newMarker = (): string => randomUUID();

function open(t: TestContext, argv: readonly string[], options: Omit<StartOptions, 'command'>): Started {
  const marker = newMarker();
  const peer = openPeer(argv, {
    cwd: options.cwd ?? emptyDirectory,
    env: testEnvironment(marker, options.env),
    unread: options.unread ?? false,
  });
  cleanup(t, () => options.atEnd?.(peer));
  cleanup(t, () => close(peer, marker, options.mayLeave ?? false));
  return { ...peer, marker };
}

async function close(peer: Peer, marker: string, mayLeave: boolean): Promise<void> {
  peer.child.stdout.resume();
  peer.end();
  peer.kill('SIGTERM');
  await Promise.race([peer.exited.catch(() => {}), delay(5_000, undefined, { ref: false })]);
  const left = mayLeave ? processesOf(marker) : await processesLeft(marker);
  killAll(left);
  peer.child.stdout.destroy();
  peer.child.stderr.destroy();
  if (left.length > 0 && !mayLeave) {
    const list = left.map(({ pid, command }) => `${pid} ${command}`).join('\n');
    throw new Error(`left behind after the test:\n${list}\n${peer.transcript()}`);
  }
}
