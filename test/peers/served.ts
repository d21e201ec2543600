// The published conformance suite directly against `mcp-hotline serve` in front of the fixture that is made for it,
// one proxy a scenario, with an edit at a chosen message of it or without one; and against the fixture alone. Says
// what each check came to. What must be equal is its callers'.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMarker, processesLeft, proxyCommand, testEnvironment } from '../support/harness.js';
import { startLineProcess } from '../support/line-process.js';
import type { LineProcess } from '../support/line-process.js';
import { scratch } from '../support/paths.js';
import { eventOf } from '../support/proxy-log.js';
import { createWaits } from '../support/waits.js';
import { startBridge } from './bridge.js';
import { bundle } from './conformance.js';
import type { Point } from './conformance.js';
import { startRelay } from './relay.js';

export interface Suite {
  readonly title: string;
  readonly node: string;
  /** What it is run with. */
  readonly script: string;
  /** The revision of the specification, if it asks for one. */
  readonly version?: string;
  readonly fixture: 'conformance' | 'conformance-v2';
}

export const installed: Suite = {
  title: '0.1.13',
  node: process.execPath,
  script: fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js')),
  fixture: 'conformance',
};

export interface Check {
  readonly id: string;
  readonly status: string;
  readonly problem: string | undefined;
}

export interface Outcome {
  readonly scenario: string;
  readonly checks: readonly Check[];
  /** How many messages the client POSTed. */
  readonly posts: number;
  /** How often a server was replaced. */
  readonly reloads: number;
}

let runs = 0;

/** All scenarios against the fixture without the proxy: over HTTP of its own, or behind the thinnest bridge. */
export async function alone(suite: Suite): Promise<Outcome[]> {
  const server = fileURLToPath(await bundle(suite.fixture));
  const marker = newMarker();
  const env = testEnvironment(marker);
  const isOwn = suite.fixture === 'conformance-v2';
  const { url, close } = isOwn ? await ownHttp(server, env) : await bridged(server, env);
  let checks: Awaited<ReturnType<typeof runSuite>>;
  try {
    checks = await runSuite(suite, url, env);
  } finally {
    await close();
  }
  await assertGone(marker);
  return [...checks].map(([scenario, found]) => ({ scenario, checks: found, posts: 0, reloads: 0 }));
}

/** One scenario against `serve`. */
export async function throughServe(suite: Suite, scenario: string, at?: Point): Promise<Outcome> {
  const cwd = join(scratch, `serve-${++runs}`);
  mkdirSync(cwd, { recursive: true });
  const server = await bundle(suite.fixture);
  const save = (edits: number): void => writeFileSync(join(cwd, 'server.mjs'), `import '${server}'; // ${edits}\n`);
  save(0);
  const marker = newMarker();
  const env = testEnvironment(marker);
  const words = ['serve', '--port', '0', '--watch', 'server.mjs', '--log-format', 'json', '--state-dir', 'state'];
  let log = '';
  let reloads = 0;
  const urls = createWaits<string>(() => log);
  const reloaded = createWaits<number>(() => log);
  const proxy = startLineProcess(proxyCommand(words, [process.execPath, 'server.mjs']), {
    cwd,
    env,
    onLogLine(line) {
      log += `${line}\n`;
      const said = eventOf(String(line));
      if (said?.event === 'listening') urls.offer(String(said['url']));
      const isNew = (said?.event === 'ready' || said?.event === 'reloaded') && Number(said['generation']) > 1;
      if (isNew) reloaded.offer(++reloads);
    },
  });
  try {
    let isEdited = false;
    const untilReloaded = (): Promise<unknown> =>
      reloaded.wait(() => true, `a reload in ${scenario}`, { deadline: 120_000 });
    const relay = await startRelay(await urls.wait(() => true, 'where it listens', { deadline: 120_000 }), {
      onPost(message, when) {
        if (message !== at?.message || when !== at.when) return;
        isEdited = true;
        save(1);
      },
      // With its session its server ends, and there would be nothing to reload.
      beforeDelete: async () => isEdited && untilReloaded(),
    });
    const checks = await runSuite(suite, relay.url, env, scenario).finally(() => relay.close());
    if (at !== undefined) await untilReloaded();
    return { scenario, checks: checks.get(scenario) ?? [], posts: relay.posts, reloads };
  } finally {
    await ended(proxy);
    await assertGone(marker);
  }
}

/** Where a scenario of so many messages is edited: in its middle, by turns before and after a message. */
export function middle({ posts }: Outcome, index: number): Point {
  return { message: Math.max(1, Math.ceil(posts / 2)), when: index % 2 === 0 ? 'before' : 'after' };
}

interface Reached {
  readonly url: string;
  close(): Promise<void>;
}

async function ownHttp(server: string, env: NodeJS.ProcessEnv): Promise<Reached> {
  const ports = createWaits<string>(() => 'the fixture');
  const started = startLineProcess([process.execPath, server, '0'], {
    env,
    onLogLine: (line) => ports.offer(String(line)),
  });
  const said = await ports.wait((line) => line.startsWith('listening on '), 'its port');
  return { url: `http://127.0.0.1:${said.slice('listening on '.length)}/mcp`, close: () => ended(started) };
}

function bridged(server: string, env: NodeJS.ProcessEnv): Promise<Reached> {
  return startBridge((_, receive) => {
    const started = startLineProcess([process.execPath, server], {
      env,
      onLine: (line) => receive(String(line)),
      onLogLine: () => {},
    });
    return {
      send: async (line) => void started.child.stdin.write(`${line}\n`),
      close: () => ended(started),
    };
  });
}

async function ended({ child, exited }: LineProcess): Promise<void> {
  child.stdin.end();
  child.kill('SIGTERM');
  await exited;
}

async function assertGone(marker: string): Promise<void> {
  const left = await processesLeft(marker, 10_000);
  if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
}

/** What each check of the scenarios that ran came to. */
async function runSuite(
  { node, script, version }: Suite,
  url: string,
  env: NodeJS.ProcessEnv,
  scenario?: string,
): Promise<Map<string, readonly Check[]>> {
  const results = join(scratch, `results-${++runs}`);
  const which = scenario === undefined ? ['--suite', 'all'] : ['--scenario', scenario];
  const at = version === undefined ? [] : ['--spec-version', version];
  const args = [script, 'server', '--url', url, ...which, ...at, '--output-dir', results];
  const child = spawn(node, args, { env, stdio: 'ignore' });
  await once(child, 'close');
  return new Map(
    readdirSync(results).map((folder) => [
      /^server-(.*)-20\d\d-.*$/.exec(folder)![1]!,
      checksIn(join(results, folder)),
    ]),
  );
}

function checksIn(folder: string): readonly Check[] {
  const written = JSON.parse(readFileSync(join(folder, 'checks.json'), 'utf8')) as {
    id: string;
    status: string;
    errorMessage?: string;
  }[];
  return written.map(({ id, status, errorMessage: problem }) => ({ id, status, problem }));
}
