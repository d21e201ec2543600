// The second half of `mcp-hotline run` and `serve`, loaded while the server comes up: opens the log and puts the proxy
// between the process's streams and the server. run.ts ends the process.

import { isatty } from 'node:tty';
import type { CommandLineOptions } from '../config/config.js';
import type { CompletedConfig } from '../config/discovery/complete.js';
import type { ConfigInForce } from '../config/config-in-force.js';
import { createEventBus } from '../events/bus.js';
import { openLog } from '../sinks/open-log.js';
import { createProxy, type Proxy } from '../proxy.js';
import type { EarlyServer } from '../server/early-server.js';
import { SMOKE_MARK } from '../smoke/leftovers.js';
import { buildHelperCommand } from './helper-command.js';
import type { ShownToken } from './serve-panel.js';

const AS_PID_1 =
  'mcp-hotline is process 1 of its container, and does not reap processes that servers leave behind: start the container with an init (docker run --init)';

export interface ProxyStart extends CompletedConfig {
  readonly given: CommandLineOptions;
  /** Where the proxy was started. */
  readonly cwd: string;
  readonly configInForce: ConfigInForce;
  /** Clients come over HTTP alone. */
  readonly isHttpOnly: boolean;
  /** What is known of the token that they have to send, if they have to. */
  readonly token: ShownToken | undefined;
  readonly earlyServer: EarlyServer | undefined;
}

export interface StartedProxy {
  readonly proxy: Proxy;
  /** Resolves when everything is written, or after so many milliseconds. */
  closeLog(within: number): Promise<void>;
}

export async function startProxy(start: ProxyStart): Promise<StartedProxy> {
  const { config, warnings, found, given, cwd, configInForce, isHttpOnly, earlyServer } = start;
  const { stdin: input, stdout: output, stderr } = process;
  const { logLevel: level, logFormat: format, logFile: file, env } = config;
  const events = createEventBus();
  const closeLog = openLog(events, { level, format, file, stderr, env });
  for (const text of warnings) events.emit({ kind: 'warning', text });
  // Loaded only if an option says what to watch, because only then sources can be left out.
  if (start.explicitOptions.watch !== undefined || start.file?.rules !== undefined) {
    const { leftOutWarning } = await import('../reloading.js');
    const leftOut = leftOutWarning(start);
    if (leftOut !== undefined) events.emit({ kind: 'warning', text: leftOut });
  }
  // Node reaps its own children only, so processes that a server leaves behind in the container would stay as zombies.
  if (process.pid === 1) events.emit({ kind: 'warning', text: AS_PID_1 });
  if (found !== undefined) events.emit({ kind: 'discovered', level: found.level, text: found.why });
  const isForPeople = format === 'text' && (level === 'info' || level === 'debug');
  if (isHttpOnly && isatty(2) && isForPeople) {
    const { showPanel } = await import('./show-panel.js');
    showPanel(events, start);
  }
  if (!isHttpOnly && isatty(0) && isForPeople) {
    const { waitingNotice } = await import('./terminal.js');
    stderr.write(waitingNotice(given, cwd));
  }
  // No helper in a smoke run, which has to end all processes that it started.
  const helperCommand = env[SMOKE_MARK] === undefined ? buildHelperCommand : undefined;
  return {
    proxy: createProxy({ input, output, stderr }, configInForce, events, { earlyServer, helperCommand, isHttpOnly }),
    closeLog,
  };
}
