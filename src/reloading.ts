/**
 * The second half of the composition root, loaded only if something is reloaded or clients come by HTTP. Creates one
 * project, the lineages of servers on it and the sinks in the state directory, and lets clients in, by stdio and by HTTP.
 * Decides nothing itself.
 */
export { leftOutWarning } from './project/left-out.js';
import type { Flow, ProxyFlowContext } from './flow/flow.js';
import type { ShutdownReason } from './flow/shutdown.js';
import { connectStdio, connectWhenSpoken } from './front/stdio.js';
import { Lineages } from './lineages.js';
import { Project } from './project/project.js';
import { openStateSinks } from './sinks/open-state-sinks.js';

export function serveReloading(context: ProxyFlowContext): Flow {
  const { config, events, io, isHttpOnly } = context;
  const stateSinks = openStateSinks(events, config);
  const lineages = new Lineages({
    project: new Project(context),
    contextOf: (name) => (name === undefined ? context : context.contextOf(name)),
    isShared: config.share,
    isPlain: false,
    idleTimeout: config.sessionTimeout,
  });
  const http = isHttpOnly || config.http !== false ? openHttpFront(context, lineages) : undefined;
  const close = async (reason: ShutdownReason): Promise<void> => {
    void http?.then((front) => front.stop());
    await lineages.close(reason);
    await finish(reason);
  };
  let isFinished = false;
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

  const first = lineages.begin();
  if (isHttpOnly) void first.then((reason) => (reason.by === 'not-started' ? finish(reason) : undefined));
  else {
    const limits = { maxMessage: () => context.config.maxMessage, tooLong: () => context.tooLong };
    const left = config.share
      ? connectWhenSpoken(io, limits, (era, connect) => lineages.attachShared(era, connect))
      : lineages.attachFirst(connectStdio(io, limits));
    void left.then((reason) => finish(reason ?? { by: 'client' }));
  }
  void http?.then(({ failed }) => (failed === undefined ? undefined : close(failed)));
  return {
    close: () => void close({ by: 'client' }),
    signal: (signal) => void close({ by: 'signal', signal }),
    reload: () => lineages.reload(),
  };
}

/** Loaded only if clients come by it. */
async function openHttpFront(context: ProxyFlowContext, lineages: Lineages) {
  const { openHttp } = await import('./http.js');
  return openHttp(context, lineages);
}
