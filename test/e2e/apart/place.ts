// Where a crowd of clients meets: a project whose server is crowd-server.mjs, and a proxy on it, in this process or as
// the built bin, that serves stdio and HTTP. Who comes, and what they do there, is the test's.

import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '#src/config/config.js';
import { fixedConfig } from '#src/config/config-in-force.js';
import { createEventBus } from '#src/events/bus.js';
import { createProxy } from '#src/proxy.js';
import { subscribeLog } from '#src/sinks/log.js';
import { cleanup } from '../../support/cleanup.js';
import { killAll, processesLeft } from '../../support/processes.js';
import { newMarker, project, startProxy, testEnvironment } from '../../support/harness.js';
import { root } from '../../support/paths.js';
import type { Project } from '../../support/project.js';
import type { StdioStreams } from './talkers.js';

export interface Place {
  readonly url: string;
  readonly stdio: StdioStreams;
  /** What answers are to say from now on. Has returned = has been saved. */
  edit(version: number): void;
  log(): string;
}

export interface PlaceOptions {
  /** In this process, where many more games can be played in the same time. */
  readonly isInProcess: boolean;
  readonly isShared: boolean;
  readonly options?: readonly string[];
}

function crowdFiles(): Record<string, string> {
  const server = pathToFileURL(`${root}/test/e2e/apart/crowd-server.mjs`).href;
  return {
    'server.mjs': `import { serve } from ${JSON.stringify(server)};\nimport version from './src/version.mjs';\nawait serve(version);\n`,
    'src/version.mjs': versionFile(1),
  };
}

const versionFile = (version: number): string => `export default ${version};\n`;

export async function openPlace(t: TestContext, given: PlaceOptions): Promise<Place> {
  const files = project(t, crowdFiles());
  const edit = (version: number): void => files.write('src/version.mjs', versionFile(version));
  return { edit, ...(given.isInProcess ? await openHere(t, files, given) : await openBin(t, files, given)) };
}

async function openBin(
  t: TestContext,
  files: Project,
  { isShared, options = [] }: PlaceOptions,
): Promise<Omit<Place, 'edit'>> {
  const proxy = startProxy(t, {
    options: ['--watch', 'src', '--http', '0', ...(isShared ? ['--share'] : []), ...options],
    command: [process.execPath, 'server.mjs'],
    cwd: files.directory,
    unread: true,
  });
  const line = await proxy.waitForLog(/listening on/);
  return { url: /http:\S+/.exec(line)![0], stdio: proxy.child, log: () => proxy.stderr() };
}

async function openHere(t: TestContext, files: Project, { isShared }: PlaceOptions): Promise<Omit<Place, 'edit'>> {
  const marker = newMarker();
  const lines: string[] = [];
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stderr.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const resolved = resolveConfig(
    { command: process.execPath, args: ['server.mjs'], watch: ['src'], http: 0, share: isShared },
    { cwd: files.directory, env: testEnvironment(marker) },
  );
  if (!resolved.ok) throw new Error(resolved.error);
  const state = files.path('state');
  const config = fixedConfig({ ...resolved.value.config, stateDir: state, projectDir: state });
  const events = createEventBus();
  subscribeLog(events, { level: 'debug', format: 'text', write: (line) => void lines.push(line) });
  const url = new Promise<string>((resolve) => events.subscribe(['listening'], (event) => resolve(event.url)));
  const proxy = createProxy({ input: stdin, output: stdout, stderr }, config, events);
  cleanup(t, async () => {
    proxy.close();
    stdin.end();
    await proxy.closed;
    const left = await processesLeft(marker);
    killAll(left);
    if (left.length > 0) throw new Error(`left behind: ${left.map(({ command }) => command).join()}`);
  });
  return { url: await url, stdio: { stdin, stdout }, log: () => lines.join('') };
}
