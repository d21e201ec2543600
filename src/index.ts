// The programmatic entry: a proxy on streams of the caller's. It never ends the process, reads no argv and installs no
// signal handlers. What it is given may come from code that no compiler has checked: all that is wrong with it is told
// in one TypeError.

import type { Readable, Writable } from 'node:stream';
import { watchConfig, completeIfResolved, completeConfig } from './config/discovery/complete.js';
import type { Resolved } from './config/config.js';
import { resolveGiven, type ProxyOptions } from './config/programmatic.js';
import { createEventBus } from './events/bus.js';
import { openLog } from './sinks/open-log.js';
import { exitCodeOf } from './exit-code.js';
import { createProxy as create } from './proxy.js';
import { observe } from './sinks/programmatic.js';
import type { Observed, ProxyEvents, ProxyStatus } from './sinks/programmatic-types.js';

export type { ProxyEvents, ProxyOptions, ProxyStatus };

export interface Proxy extends Observed {
  /** The exit code that a process of the proxy's own would have, once every server is gone and all is delivered. */
  readonly closed: Promise<number>;
  /** Ends as if the client had closed its side. */
  close(): void;
  /** Ends as if this signal had come; it is passed on to the servers. */
  signal(name: NodeJS.Signals): void;
  /** Restarts the server now, with a build if there is one. */
  reload(): void;
}

export interface ProxyStreams {
  /** What the client writes. */
  input: Readable;
  /** What the client reads. */
  output: Writable;
  /** The server's stderr, and the log unless `logFile` is given; the process's own if left out. */
  stderr?: Writable;
}

export function createProxy(streams: ProxyStreams, options: ProxyOptions): Proxy {
  const cwd = process.cwd(); // the caller may go elsewhere later
  const resolved = resolve(streams, options, cwd);
  const { config, warnings } = resolved;
  const { input, output, stderr = process.stderr } = streams;
  const { logLevel: level, logFormat: format, logFile: file } = config;
  const events = createEventBus();
  const closeLog = openLog(events, { level, format, file, stderr, env: process.env });
  const observed = observe(events);
  for (const text of warnings) events.emit({ kind: 'warning', text });
  const started = completeConfig(resolved).then((first) => {
    const { found } = first;
    if (found !== undefined) events.emit({ kind: 'discovered', level: found.level, text: found.why });
    const configInForce = watchConfig(first, () => completeIfResolved(resolveGiven(options, cwd)));
    return create({ input, output, stderr }, configInForce, events);
  });
  const closed = started.then(async (proxy) => {
    const code = exitCodeOf(await proxy.closed);
    events.emit({ kind: 'exit', code });
    await closeLog(500);
    return code;
  });
  return {
    ...observed,
    closed,
    close: () => void started.then((proxy) => proxy.close()),
    signal: (name) => void started.then((proxy) => proxy.signal(name)),
    reload: () => void started.then((proxy) => proxy.reload()),
  };
}

function resolve(streams: unknown, options: unknown, cwd: string): Resolved {
  const given = isRecord(options) ? resolveGiven(options, cwd) : undefined;
  const problems = [
    ...streamProblems(streams),
    ...(given === undefined ? ['options: expected an object, as in { command: "node", args: ["server.js"] }'] : []),
    ...(given === undefined || given.ok ? [] : given.error.split('\n')),
  ];
  if (given?.ok === true && problems.length === 0) return given.value;
  throw new TypeError(`mcp-hotline: ${problems.join('\n             ')}`);
}

function streamProblems(streams: unknown): string[] {
  if (!isRecord(streams))
    return ['streams: expected an object, as in { input: process.stdin, output: process.stdout }'];
  const { input, output, stderr } = streams;
  return [
    ...(has(input, 'read') ? [] : ['input: expected a readable stream, of what the client writes']),
    ...(has(output, 'write') ? [] : ['output: expected a writable stream, for what the client reads']),
    ...(stderr === undefined || has(stderr, 'write') ? [] : ['stderr: expected a writable stream']),
  ];
}

/** Streams of another library, or another realm, are no instances of ours. */
function has(stream: unknown, method: 'read' | 'write'): boolean {
  return isRecord(stream) && typeof stream[method] === 'function' && typeof stream['on'] === 'function';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
