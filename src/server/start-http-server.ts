/**
 * Starts a server that speaks HTTP itself: finds a port for it, starts its process, and makes the record of both with a
 * channel over HTTP. All that it prints is for people. It knows nothing of sessions, other generations or when it is
 * time to go; whether it has come up shows by its answers.
 */
import { HttpChannel } from '../channel/http/http-channel.js';
import { launch, type Exit } from '../process/child.js';
import { foreignProcess } from './foreign-process.js';
import { freePort, isAnswered } from './free-port.js';
import { ServerProcess, type ServerChild } from './server-process.js';
import type { HttpServerSpec, ServerEvents, ServerSpec, Started } from './server-spec.js';
import { Upstream, type UpstreamContext } from './upstream.js';

type Spec = ServerSpec & { readonly http: HttpServerSpec };

/** If nobody reads stderr, what the server prints is dropped: it must neither fill the memory nor hold it up. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export async function startHttpServer<S>(
  spec: Spec,
  context: UpstreamContext<S>,
  events: ServerEvents<S>,
): Promise<Started<S>> {
  const { http } = spec;
  const port = http.takesFreePort ? await freePort(new URL(http.at(1).url).hostname) : undefined;
  const { url, child: command } = http.at(port);
  const address = new URL(url);
  if (!http.isOurs) return { ok: true, upstream: follow(foreignProcess(), address, spec, context, events) };
  if (port === undefined && (await isAnswered(address)))
    return { ok: false, isPortTaken: true, error: new Error(address.host) };
  const launched = await launch(command);
  return launched.ok ? { ok: true, upstream: follow(launched.child, address, spec, context, events) } : launched;
}

function follow<S>(
  child: ServerChild,
  url: URL,
  spec: Spec,
  context: UpstreamContext<S>,
  events: ServerEvents<S>,
): Upstream<S> {
  const options = {
    url,
    maxMessage: spec.maxLine,
    isWatched: spec.http.isWatched,
    patience: () => spec.http.patience(),
    opening: (of: object | undefined) => context.opening?.(of as S | undefined),
    beside: (of: object | undefined) => context.beside?.(of as S | undefined),
  };
  const channel: HttpChannel<object> = new HttpChannel(options, {
    message: (message, of) => events.message(upstream, message, of as S | undefined),
    lost: (ids, problem) => events.lost?.(upstream, ids, problem),
    gone: () => events.away?.(upstream),
    renewed: (why) => events.renewed?.(upstream, why),
    oversized: () => events.oversized(upstream),
    warn: (text) => events.warn?.(text),
  });
  const process = new ServerProcess(child, spec, () => {
    child.stdin?.end();
    return channel.leave();
  });
  const printed = showOutput(process, spec);
  const upstream: Upstream<S> = new Upstream<S>(
    {
      generation: spec.number,
      process,
      channel,
      clients: { open: (of) => channel.open(of as object), close: (of) => channel.close(of as object) },
      ask: (path, headers) => channel.ask(path, headers),
      unfinishedText: () => '',
      lastProblem: () => channel.lastProblem,
    },
    context,
  );
  // Every request says by itself of which era it is.
  upstream.eraPinned = true;
  void process.exited.then(() => channel.processGone());
  const rest = {
    resume: () => channel.resume(),
    ended: () => Promise.all([printed, channel.quiet()]),
    finish: () => channel.finish(),
  };
  const exited = process.readToEnd(rest, (exit: Exit) => events.exit(upstream, exit));
  const { pid } = process;
  if (pid !== undefined) void exited.then(() => spec.guard?.remove(pid));
  return upstream;
}

/** What it prints on stdout goes where its stderr goes. Resolves when nothing more will come. */
function showOutput({ stdout, output }: ServerProcess, { stderr }: Spec): Promise<void> {
  stdout.on('data', (chunk: Buffer) => {
    output.push(chunk, 'stdout');
    if (stderr.writableLength < MAX_UNREAD_BYTES) stderr.write(chunk);
  });
  return new Promise((resolve) => {
    for (const event of ['end', 'close']) stdout.on(event, () => resolve());
  });
}
