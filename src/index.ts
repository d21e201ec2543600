// The programmatic entry: a proxy on streams of the caller's. It never ends the process, reads no argv and installs no
// signal handlers; bad options throw.

import type { Readable, Writable } from 'node:stream';
import { liveSupply, supplied, supply } from './config/discovery/supply.js';
import { resolveGiven, type ProxyOptions } from './config/programmatic.js';
import { openLog } from './log/open.js';
import { createProxy as create, type Proxy } from './proxy.js';

export type { Proxy, ProxyOptions };

export interface ProxyStreams {
  /** What the client writes. */
  input: Readable;
  /** What the client reads. */
  output: Writable;
  /** The server's stderr, and the log unless `logFile` is given; the process's own if left out. */
  stderr?: Writable;
}

export function createProxy({ input, output, stderr = process.stderr }: ProxyStreams, options: ProxyOptions): Proxy {
  const cwd = process.cwd(); // the caller may go elsewhere later
  const resolved = resolveGiven(options, cwd);
  if (!resolved.ok) throw new TypeError(`mcp-hotline: ${resolved.error}`);
  const { config, warnings } = resolved.value;
  const { logLevel: level, logFormat: format, logFile: file } = config;
  const { log, close: closeLog } = openLog({ level, format, file, stderr, env: process.env });
  for (const warning of warnings) log.warn('warning', warning);
  const started = supply(resolved.value).then((first) => {
    if (first.found !== undefined) log[first.found.level]('starting', first.found.why);
    const live = liveSupply(first, () => supplied(resolveGiven(options, cwd)));
    return create({ input, output, stderr }, first.config, log, live);
  });
  const closed = started.then(async (proxy) => {
    const code = await proxy.closed;
    await closeLog(500);
    return code;
  });
  return {
    closed,
    close: () => void started.then((proxy) => proxy.close()),
    signal: (name) => void started.then((proxy) => proxy.signal(name)),
    reload: () => void started.then((proxy) => proxy.reload()),
  };
}
