// `mcp-hotline smoke`: turns its options into a smoke run, and the run into a report on stdout and an exit code. smoke/
// performs the checks.

import { constants } from 'node:os';
import { flush } from '../sinks/flush.js';
import type { Result } from '../config/check.js';
import { resolveConfig, type CommandLineOptions } from '../config/config.js';
import { completeIfResolved } from '../config/discovery/complete.js';
import { serverName } from '../config/upstream-option.js';
import { createReporter } from '../smoke/reporters.js';
import { usualTimeout, type ReporterName } from '../smoke/options.js';
import { exitCode } from '../smoke/report.js';
import { smoke as perform } from '../smoke/smoke.js';
import { currentDirectory } from './current-directory.js';
import { readCalls } from './smoke-calls.js';
import { toWords } from './words.js';
import { WAYS_BY_HTTP, WAYS_BY_STDIO } from '../smoke/ways.js';

/** The own options of smoke, which command-line.ts has checked by their table. */
interface Own {
  call?: readonly string[];
  expect?: readonly string[];
  reload?: boolean;
  reporter?: ReporterName;
  timeout?: number;
}

const WRITING = 10_000;
/** The limit for a build without a limit. */
const NO_LIMIT = 86_400_000;

/** Resolves with the exit code, or with what is wrong with the options. `words`: those before the server's command. */
export async function smoke(given: CommandLineOptions & Own, words: readonly string[]): Promise<Result<number>> {
  const {
    call = [],
    expect = [],
    reload = false,
    http,
    reporter: form = 'text',
    timeout = usualTimeout,
    command,
    args = [],
    ...proxy
  } = given;
  const calls = readCalls(words, call, expect);
  if (!calls.ok) return calls;
  const directory = currentDirectory(proxy);
  if (!directory.ok) return directory;
  const base = { cwd: directory.value, env: process.env };
  const server = command === undefined ? {} : { command, args };
  const resolved = await completeIfResolved(resolveConfig({ ...proxy, ...server }, base));
  if (!resolved.ok) return resolved;
  const { config, found } = resolved.value;
  if (found?.isMissing && found.entry !== undefined)
    process.stderr.write(`mcp-hotline: ${found.entry} does not exist\n`);

  const stopped = new AbortController();
  const ended = endedBy(stopped);
  const reporter = createReporter(form);
  const write = (text: string): void => {
    if (text !== '' && !stopped.signal.aborted) process.stdout.write(text);
  };
  process.stdout.on('error', () => {}); // nobody reads on; the exit code still tells
  const setup = {
    server: command === undefined ? [] : [command, ...args],
    shown: config.command === '' ? [serverName(config)] : [config.command, ...config.args],
    options: toWords(proxy),
    ...base,
    calls: calls.value,
    reload,
    ways: http === true ? WAYS_BY_HTTP : WAYS_BY_STDIO,
    token: config.token === 'auto' ? undefined : config.token,
    timeout,
    watches: config.rules.length > 0,
    builds: config.rules.some(({ build }) => build !== undefined) ? config.buildTimeout || NO_LIMIT : undefined,
  };
  write(reporter.begin(setup.shown));
  const report = await perform(setup, (check) => write(reporter.check(check)), stopped.signal);
  write(reporter.end(report));
  await flush(process.stdout, WRITING);
  return { ok: true, value: ended.code ?? exitCode(report) };
}

/** A signal ends the run in an orderly way, servers included, and decides the exit code. */
function endedBy(stopped: AbortController): { code?: number } {
  const ended: { code?: number } = {};
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      ended.code ??= 128 + constants.signals[name];
      stopped.abort();
    });
  }
  return ended;
}
