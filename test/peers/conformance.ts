// The server scenarios of the published conformance suite on the fixture made for them, one server a scenario: direct,
// through the proxy, or through the proxy with an edit at a chosen message. Says what each check came to, and that the
// reload took place inside of the scenario. HTTP is bridge.ts's; what must be equal, its callers'.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { newMarker, processesLeft, proxyCommand, testEnvironment } from '../support/harness.js';
import { startLineProcess } from '../support/line-process.js';
import type { Message } from '../support/message.js';
import { root, scratch } from '../support/paths.js';
import { eventOf } from '../support/proxy-log.js';
import { createWaits } from '../support/waits.js';
import { startBridge } from './bridge.js';
import type { Link, OpenLink } from './bridge.js';

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/**
 * Where the server is edited: just before a message of the client is passed on, or just after. The first is
 * `initialize`.
 */
export interface Point {
  readonly message: number;
  readonly when: 'before' | 'after';
}

/**
 * With points, a proxy stands between, and the server of each scenario (in their order) is edited at its point. A
 * scenario without one is refused its server: the suite can't be told to leave it out, but so it costs nothing.
 */
export type Way = 'direct' | 'proxied' | readonly (Point | undefined)[];

interface Check {
  readonly id: string;
  readonly status: string;
  /** All else that the suite says of it, without what is of no account. */
  readonly words: string;
}

export interface Outcome {
  readonly scenario: string;
  readonly checks: readonly Check[];
  /** How many messages the client sent. */
  readonly messages: number;
  /** How many generations the server had. */
  readonly generations: number;
}

/** A server as one file: it starts in half the time. */
export async function bundle(name = 'conformance'): Promise<string> {
  const file = join(scratch, `${name}.mjs`);
  await build({
    entryPoints: [join(root, `fixtures/servers/${name}.mjs`)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    // Some of what it is made of is no module.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return pathToFileURL(file).href;
}

interface Seen {
  messages: number;
  generations: number;
}

let runs = 0;

export async function conformance(server: string, way: Way): Promise<Outcome[]> {
  const directory = join(scratch, `conformance-${++runs}`);
  const marker = newMarker();
  const seen: Seen[] = [];
  const openLink: OpenLink = (session, receive) => {
    seen[session] = { messages: 0, generations: 1 };
    const at = typeof way === 'string' ? undefined : way[session];
    if (typeof way !== 'string' && at === undefined) return undefined;
    const cwd = join(directory, String(session));
    mkdirSync(cwd, { recursive: true });
    return open({ server, cwd, marker, proxied: way !== 'direct', at }, seen[session], receive);
  };
  const bridge = await startBridge(openLink);
  const results = join(directory, 'results');
  try {
    const args = [suite, 'server', '--url', bridge.url, '--suite', 'all', '--output-dir', results];
    const child = spawn(process.execPath, args, { env: testEnvironment(marker), stdio: ['ignore', 'pipe', 'ignore'] });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    await once(child, 'close');
    const scenarios = [...String(Buffer.concat(output)).matchAll(/^=== Running scenario: (\S+) ===$/gm)];
    if (scenarios.length !== seen.length)
      throw new Error(`${scenarios.length} scenarios, ${seen.length} sessions\n${Buffer.concat(output)}`);
    await bridge.close();
    const left = await processesLeft(marker);
    if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
    return scenarios.map(([, scenario], at) => ({
      scenario: scenario!,
      checks: checksOf(results, scenario!, bridge.url),
      ...seen[at]!,
    }));
  } finally {
    await bridge.close();
  }
}

/** Every point of a scenario at which its server can be edited. */
export function pointsOf({ messages }: Outcome): Point[] {
  const numbers = Array.from({ length: messages }, (_, index) => index + 1);
  return numbers.flatMap((message) => [
    { message, when: 'before' },
    { message, when: 'after' },
  ]);
}

interface Start {
  readonly server: string;
  readonly cwd: string;
  readonly marker: string;
  readonly proxied: boolean;
  readonly at: Point | undefined;
}

/** From the edit until the new generation serves, answers wait here: so the scenario can't be over before. */
function open({ server, cwd, marker, proxied, at }: Start, seen: Seen, receive: (line: string) => void): Link {
  const source = (edits: number) => writeFileSync(join(cwd, 'server.mjs'), `import '${server}'; // ${edits}\n`);
  source(0);
  const command = [process.execPath, 'server.mjs'];
  const argv = proxied ? proxyCommand(['--watch', 'server.mjs', '--log-format', 'json'], command) : command;
  let stderr = '';
  const generations = createWaits<number>(() => stderr);
  const kept: string[] = [];
  let keeping = false;

  const { child, exited } = startLineProcess(argv, {
    cwd,
    env: testEnvironment(marker),
    onLogLine(line) {
      stderr += `${line}\n`;
      const said = proxied ? eventOf(String(line)) : undefined;
      if (said?.event === 'ready' || said?.event === 'reloaded') generations.offer(Number(said['generation']));
    },
    onLine(line) {
      const message = JSON.parse(String(line)) as Message;
      if (isWaitProgress(message)) return;
      if (keeping && message.method === undefined) kept.push(String(line));
      else receive(String(line));
    },
  });

  async function edit(): Promise<void> {
    await generations.wait((generation) => generation === 1, 'the first generation');
    keeping = true;
    source(1);
  }
  async function reloaded(): Promise<void> {
    seen.generations = await generations.wait((generation) => generation > 1, 'the reload');
    keeping = false;
    for (const line of kept.splice(0)) receive(line);
  }
  return {
    async send(line) {
      seen.messages++;
      const isHere = at?.message === seen.messages;
      if (isHere && at.when === 'before') await edit();
      child.stdin.write(`${line}\n`);
      if (isHere && at.when === 'after') await edit();
      if (isHere) await reloaded();
    },
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

/** The proxy reports progress below 0 while a request is held. Whether it does depends on how long the reload takes. */
function isWaitProgress({ method, params }: Message): boolean {
  return method === 'notifications/progress' && Number(params?.progress) < 0;
}

interface Written {
  id: string;
  description: string;
  status: string;
  errorMessage?: string;
  details?: object;
}

/** What differs from run to run, or only says how HTTP went, is left out. */
function checksOf(results: string, scenario: string, url: string): Check[] {
  const folder = readdirSync(results).find((name) => name.startsWith(`server-${scenario}-20`));
  const written = JSON.parse(readFileSync(join(results, folder!, 'checks.json'), 'utf8')) as Written[];
  return written.map(({ id, status, description, errorMessage, details }) => {
    const all = JSON.stringify({ description, errorMessage, details: status === 'INFO' ? undefined : details });
    // The bridge numbers its streams as requests arrive, and the suite sends some of them side by side.
    const words = all
      .replaceAll(url, 'URL')
      .replaceAll(new URL(url).host, 'HOST')
      .replace(/"id":"\d+\.\d+"/g, '"id":"EVENT"');
    return { id, status, words };
  });
}
