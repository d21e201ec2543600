// The second half of `mcp-hotline run`, loaded while the server comes up: opens the log and puts the proxy between the
// process's streams and the server. How the process is ended is run.ts's.

import { isatty } from 'node:tty';
import type { Given } from '../config/config.js';
import type { CompletedConfig } from '../config/discovery/complete.js';
import type { ConfigInForce } from '../config/config-in-force.js';
import { createEventBus } from '../events/bus.js';
import { openLog } from '../sinks/open-log.js';
import { createProxy, type Proxy } from '../proxy.js';
import type { FirstServer } from '../server/early-server.js';
import { MARK } from '../smoke/leftovers.js';
import { buildHelperCommand } from './helper-command.js';

const AS_PID_1 =
  'mcp-hotline is process 1 of its container, and does not reap processes that servers leave behind: start the container with an init (docker run --init)';

export interface Served extends CompletedConfig {
  readonly given: Given;
  /** Where the proxy was started. */
  readonly cwd: string;
  readonly configInForce: ConfigInForce;
  readonly first: FirstServer | undefined;
}

export interface Serving {
  readonly proxy: Proxy;
  /** Resolves when everything is written, or after so many milliseconds. */
  closeLog(within: number): Promise<void>;
}

export async function serve(served: Served): Promise<Serving> {
  const { config, warnings, found, given, cwd, configInForce, first } = served;
  const { stdin: input, stdout: output, stderr } = process;
  const { logLevel: level, logFormat: format, logFile: file, env } = config;
  const events = createEventBus();
  const closeLog = openLog(events, { level, format, file, stderr, env });
  for (const text of warnings) events.emit({ kind: 'warning', text });
  // Not loaded at every start: only who says what to watch can leave something out.
  if (served.said.watch !== undefined || served.file?.rules !== undefined) {
    const { leftOutWarning } = await import('./left-out.js');
    const leftOut = leftOutWarning(served);
    if (leftOut !== undefined) events.emit({ kind: 'warning', text: leftOut });
  }
  // Node reaps its own children only: what a server leaves behind in its container would stay as a zombie.
  if (process.pid === 1) events.emit({ kind: 'warning', text: AS_PID_1 });
  if (found !== undefined) events.emit({ kind: 'discovered', level: found.level, text: found.why });
  if (isatty(0) && format === 'text' && (level === 'info' || level === 'debug')) {
    const { waitingNotice } = await import('./terminal.js');
    stderr.write(waitingNotice(given, cwd));
  }
  // A smoke run has to end what it has begun.
  const helperCommand = env[MARK] === undefined ? buildHelperCommand : undefined;
  return { proxy: createProxy({ input, output, stderr }, configInForce, events, { first, helperCommand }), closeLog };
}
