/**
 * The plain pipe: forwards every line between the client and one server, byte for byte, until one of them ends. It
 * holds, changes and answers nothing, except that a line over the limit is answered with an error.
 */
import { Shutdown, type ShutdownReason } from './shutdown.js';
import type { Flow, ProxyFlowContext } from './flow.js';
import { SESSION } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import { CallClock } from '../server/call-times.js';
import type { ServerEvents } from '../server/server-spec.js';
import { startServer } from '../server/start-server.js';
import type { Upstream } from '../server/upstream.js';
import { error, PARSE_ERROR } from '../wire/json-rpc.js';

/** The pipe sends no requests of its own and measures no times. */
const UNUSED = { callClock: new CallClock(), now: () => 0, newRequestId: () => 'null' };

const NOTHING_TO_RELOAD = 'nothing is reloaded: there is nothing to watch, or reloading is switched off';

export async function passThrough(context: ProxyFlowContext): Promise<Flow> {
  const { io, config, events: bus, noise, onClosed } = context;
  const live = new Set<Upstream>();
  const end = (reason: ShutdownReason): void => {
    if (!shutdown.begun) bus.emit({ kind: 'closing', by: reason.by });
    shutdown.begin(reason);
  };

  const events: ServerEvents<unknown> = {
    message: (_, message) => client.send(message),
    noise,
    oversized: ({ process }) => {
      bus.emit({ kind: 'line-too-long', generation: undefined, limit: config.maxMessage });
      process.failAndKill({ kind: 'line-too-long', limitBytes: config.maxMessage });
    },
    full: (_, full) => (full ? client.pause() : client.resume()),
    halfClosed: () => {},
    exit: (upstream, exit) => {
      live.delete(upstream);
      end({ by: 'server', exit });
      context.leftovers.gone(upstream.generation, upstream.process.pid);
      void Promise.all([shutdown.finish(), context.leftovers.close()]).then(([reason]) => onClosed(reason));
    },
  };

  const started = await startServer(context.spec(1), UNUSED, events, context.earlyServer?.take());
  if (!started.ok) {
    context.reportNotStarted(started.error);
    onClosed({ by: 'not-started', error: started.error });
    return { close: () => {}, signal: () => {}, reload: () => {} };
  }
  const { upstream } = started;
  const { channel: server } = upstream;
  live.add(upstream);
  bus.emit({ kind: 'piping', name: context.name, generation: 1, pid: upstream.process.pid });

  const client = new StdioChannel(
    io.input,
    io.output,
    { limit: config.maxMessage },
    {
      message: (message) => server.send(message),
      oversized: (id = 'null') =>
        client.send(error(id, PARSE_ERROR, context.tooLong), id === 'null' ? SESSION : { kind: 'answer', to: id }),
      end: (unfinished) => {
        if (unfinished !== undefined) server.send(unfinished);
        end({ by: 'client' });
      },
      full: (full) => (full ? server.pause() : server.resume()),
      gone: () => end({ by: 'client' }),
    },
  );
  const shutdown = new Shutdown(live, () => [client]);

  return {
    close: () => end({ by: 'client' }),
    signal: (name) => end({ by: 'signal', signal: name }),
    reload: () => bus.emit({ kind: 'warning', text: NOTHING_TO_RELOAD }),
  };
}
