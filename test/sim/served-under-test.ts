/**
 * The program as the simulation runs it when it serves HTTP: the composition root itself, in one process, with a client
 * on stdio or without one. What proxy.ts would make of a command line is made here by hand.
 */
import { Writable } from 'node:stream';
// Loaded before the simulation begins: it has no time to wait for files.
import '#src/http.js';
import '#src/server/start-http-server.js';
import type { Config } from '#src/config/config.js';
import { createEventBus, withOrigin } from '#src/events/bus.js';
import { exitCodeOf } from '#src/exit-code.js';
import type { Flow, ProxyFlowContext } from '#src/flow/flow.js';
import { compose } from '#src/reloading.js';
import { logEntry, LOGGED_KINDS } from '#src/sinks/log-words.js';
import type { Disk } from './disk.js';
import { configOf, contextOf } from './flow-under-test.js';
import type { Setting } from './script.js';
import type { StdioTransport } from './transport.js';

export const PORT = 6280;
/** Of servers that have no free one. */
export const FIXED_PORT = 7000;

export interface ServedOptions {
  readonly setting: Setting;
  readonly disk: Disk;
  readonly shares: boolean;
  /** Undefined: nobody comes by stdio. */
  readonly stdio: StdioTransport | undefined;
  /** What the program logs: of a lineage by its name, which that of the client on stdio has not. */
  logged(lineage: string | undefined, event: string, text: string, fields?: Readonly<Record<string, unknown>>): void;
  ended(code: number): void;
}

export interface ServedUnderTest extends Flow {
  /** Clients can connect. */
  readonly isListening: boolean;
}

export function openServedUnderTest({ setting, disk, shares, stdio, logged, ended }: ServedOptions): ServedUnderTest {
  const config: Config = { ...configOf(setting), http: PORT, share: shares, ...upstreamOf(setting) };
  const events = createEventBus();
  let isListening = false;
  events.subscribe(['listening'], () => void (isListening = true));
  events.subscribe(LOGGED_KINDS, (event) => {
    const { level, name, text, fields } = logEntry(event, { isFile: false });
    if (level !== 'debug') logged(event.session, name, text, fields);
  });
  const nobody = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { input: stdio?.input, output: stdio?.output, stderr: nobody } as ProxyFlowContext['io'];
  const context: ProxyFlowContext = Object.assign(contextOf(config, 'first', events), {
    io,
    isHttpOnly: stdio === undefined,
    contextOf: (session: string, transport: 'stdio' | 'http' | 'sse') =>
      contextOf(config, session, withOrigin(events, { session, transport })),
    onClosed: (reason: Parameters<ProxyFlowContext['onClosed']>[0]) => ended(exitCodeOf(reason)),
  });
  const flow = compose(context, disk.openWatch);
  return {
    close: () => flow.close(),
    signal: (name) => flow.signal(name),
    reload: () => flow.reload(),
    get isListening() {
      return isListening;
    },
  };
}

/** Where servers speak HTTP, if they do. */
function upstreamOf({ upstream }: Setting): Pick<Config, 'upstream'> {
  const urls = { free: 'http://127.0.0.1:{port}/mcp', fixed: `http://127.0.0.1:${FIXED_PORT}/mcp` };
  return { upstream: upstream === undefined ? undefined : urls[upstream] };
}
