// A project that clients reach over HTTP, in each of the ways there are: by `serve`, by `--http` beside a client on
// stdio, and with `--share`. Says where it listens and what the log has said. Which clients come is the tests'.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { project, startProxy } from '../../support/harness.js';
import type { Started } from '../../support/harness.js';
import type { Project } from '../../support/project.js';
import { readJournal } from '../../support/journal.js';
import type { JournalEntry } from '../../support/journal.js';
import { until } from '../../support/until.js';
import { readLog } from '../../support/proxy-log.js';
import type { LogEvent } from '../../support/proxy-log.js';

/** `beside`: a client on stdio is there too; `share`: and all of one era have one server. */
export type Way = 'serve' | 'beside' | 'share' | 'share beside';

export interface ServedOptions {
  way?: Way;
  /** Of mcp-hotline, on top of `--watch src` and the log's. */
  options?: readonly string[];
  noReload?: boolean;
  /** False: there is nothing to watch. */
  watches?: boolean;
  command?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Members of the `initialize` params of the client on stdio, or false: it says nothing. */
  initialize?: object | false;
}

export interface Served extends Started {
  readonly files: Project;
  /** Of the endpoint. */
  readonly url: string;
  /** The same, for clients of HTTP+SSE. */
  readonly sse: string;
  /** What the log has said under this name so far. */
  logged(event: string): LogEvent[];
  /** Resolves with the first event of that name that is as wanted. */
  untilLogged(event: string, isWanted?: (event: LogEvent) => boolean): Promise<LogEvent>;
  /** The text that a tool answers the client on stdio with. */
  call(name: string, given?: object): Promise<string>;
  /** What servers were told, where they keep a journal. */
  journal(): JournalEntry[];
  /** Resolves when one has been told something that matches. */
  received(pattern: RegExp): Promise<JournalEntry>;
}

/** Starts the proxy on these files, and resolves when it listens. */
export async function served(
  t: TestContext,
  files: Record<string, string>,
  { way = 'serve', options = [], initialize = {}, watches = true, ...given }: ServedOptions = {},
): Promise<Served> {
  const here = project(t, files);
  const isBeside = way.endsWith('beside');
  const watch = given.noReload === true || !watches ? [] : ['--watch', 'src'];
  const peer = startProxy(t, {
    command: [process.execPath, 'server.mjs'],
    ...given,
    env: { JOURNAL: here.path('journal'), ...given.env },
    cwd: here.directory,
    serve: !isBeside,
    options: [
      ...(isBeside ? ['--http', '0'] : ['--port', '0']),
      ...(way.startsWith('share') ? ['--share'] : []),
      ...watch,
      '--log-format',
      'json',
      '--log-level',
      'debug',
      ...options,
    ],
  });
  const logged = (event: string): LogEvent[] => readLog(peer.stderr()).filter((line) => line.event === event);
  const untilLogged: Served['untilLogged'] = async (event, isWanted = () => true) => {
    for (;;) {
      const from = peer.stderr().split('\n').length - 1;
      const found = logged(event).find(isWanted);
      if (found !== undefined) return found;
      await peer.waitForLog(`"event":"${event}"`, { from });
    }
  };
  const { url } = await untilLogged('listening');
  const journal = (): JournalEntry[] => readJournal(here.path('journal'));
  if (isBeside && initialize !== false) await peer.initialize(initialize);
  return {
    ...peer,
    files: here,
    url,
    sse: String(url).replace(/\/mcp$/, '/sse'),
    logged,
    untilLogged,
    journal,
    received: (pattern) =>
      until(() => journal().find(({ line }) => pattern.test(line)), `a server that receives ${pattern}`, peer),
    async call(name, args = {}) {
      const { result, error } = await peer.request('tools/call', { name, arguments: args });
      assert.equal(error, undefined, peer.transcript());
      return result.content[0].text as string;
    },
  };
}
