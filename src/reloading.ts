/**
 * The second half of the composition root, loaded unless the proxy is a plain pipe. Creates one project, the lineages
 * of servers on it and the sinks in the state directory, and lets clients in, by stdio and by HTTP. Decides nothing
 * itself.
 */
export { leftOutWarning } from './project/left-out.js';
import { serverName } from './config/upstream-option.js';
import type { Flow, ProxyFlowContext } from './flow/flow.js';
import { passThrough } from './flow/pass-through.js';
import type { ShutdownReason } from './flow/shutdown.js';
import { connectStdio, connectWhenSpoken } from './front/stdio.js';
import type { Http } from './http.js';
import { Lineages } from './lineages.js';
import { Project } from './project/project.js';
import { openStateSinks } from './sinks/open-state-sinks.js';
import type { openWatch } from './watch/watch.js';

/** `watch`: what looks at the files, if it is not the usual one. */
export function compose(context: ProxyFlowContext, watch?: typeof openWatch): Flow {
  const { config, events, isHttpOnly } = context;
  const stateSinks = openStateSinks(events, { ...config, command: config.command || serverName(config) });
  const lineages = new Lineages({
    project: new Project(context, watch),
    events,
    contextOf: (name, transport) => (name === undefined ? context : context.contextOf(name, transport)),
    isShared: config.share,
    isApart: config.upstream !== undefined,
    isPlain: !config.reload,
    idleTimeout: config.sessionTimeout,
  });
  let isFinished = false;
  const http = config.http === undefined ? undefined : openHttpFront(context, lineages, () => isFinished);
  /** The first reason counts. */
  const finish = async (reason: ShutdownReason): Promise<void> => {
    if (isFinished) return;
    isFinished = true;
    const front = await http;
    front?.stop();
    await lineages.close(reason);
    await front?.close();
    await stateSinks.close();
    context.onClosed(reason);
  };
  const stdio = isHttpOnly ? serveNobody(lineages, finish) : serveStdio(context, lineages, finish);
  const close = async (reason: ShutdownReason): Promise<void> => {
    void http?.then((front) => front.stop());
    stdio.close(reason);
    await lineages.close(reason);
    if (!stdio.hasReason) await finish(reason);
  };
  void http?.then(({ failed }) => (failed === undefined ? undefined : close(failed)));
  return {
    close: () => void close({ by: 'client' }),
    signal: (signal) => void close({ by: 'signal', signal }),
    reload: () => lineages.reload(),
  };
}

/** What comes, or not, by stdio. */
interface Stdio {
  /** It says itself, by `finish`, for which reason the proxy ends. */
  readonly hasReason: boolean;
  close(reason: ShutdownReason): void;
}

type Finish = (reason: ShutdownReason) => Promise<void>;

/** The first server is started for whoever comes first. One that can't be started at all ends the proxy. */
function serveNobody(lineages: Lineages, finish: Finish): Stdio {
  void lineages.begin('http').then((reason) => (reason.by === 'not-started' ? finish(reason) : undefined));
  return { hasReason: false, close: () => {} };
}

/** The proxy ends with the session of the client on stdio. */
function serveStdio(context: ProxyFlowContext, lineages: Lineages, finish: Finish): Stdio {
  const { io, config } = context;
  if (!config.reload && config.upstream === undefined) return servePipe(context, finish);
  void lineages.begin('stdio');
  const isAlone = config.upstream === undefined || config.http === undefined;
  if (!config.share && isAlone) {
    void lineages.attachFirst(connectStdio(io, context)).then(finish);
    return { hasReason: true, close: () => {} };
  }
  const left = connectWhenSpoken(io, context, (era, connect) => lineages.attachShared(era, connect));
  void left.then((reason) => finish(reason ?? { by: 'client' }));
  return { hasReason: false, close: () => {} };
}

/** Without reloading the client on stdio has a plain pipe to a server of its own, whoever else comes by HTTP. */
function servePipe(context: ProxyFlowContext, finish: Finish): Stdio {
  const pipe = passThrough(Object.assign(Object.create(context) as ProxyFlowContext, { onClosed: finish }));
  return {
    hasReason: true,
    close: (reason) => void pipe.then((flow) => (reason.by === 'signal' ? flow.signal(reason.signal) : flow.close())),
  };
}

/** Loaded only if clients come by it. */
async function openHttpFront(context: ProxyFlowContext, lineages: Lineages, isEnding: () => boolean): Promise<Http> {
  const { openHttp } = await import('./http.js');
  return openHttp(context, lineages, isEnding);
}
