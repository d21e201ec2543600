/**
 * Notices that a server which says nothing on stdout has printed where it listens: it speaks HTTP, and --upstream is
 * missing. How that is seen in what it printed, and the words, are for `agent/http-traces.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { printedText } from '../agent/excerpt.js';
import { httpTraceIn, httpTraceText, type HttpTrace } from '../agent/http-traces.js';
import type { LineageRecord, Upstream } from '../exchange/records.js';
import type { FlowContext } from '../flow/flow.js';

/** A server on pipes has answered by then, as a rule. */
const SILENT_MS = 3_000;

/** Where the server says that it listens; nothing if it is known to speak HTTP. */
export function httpTraceOf({ config }: FlowContext, upstream: Upstream): HttpTrace | undefined {
  if (config.upstream !== undefined) return undefined;
  return httpTraceIn(
    `${printedText(upstream.process.output.excerpt(undefined))}\n${upstream.unfinishedText()}`,
    config.args,
  );
}

/**
 * Warns as soon as the server has printed such a thing and has not answered for some seconds. `asked`: the server that
 * owes the answer, as long as one does.
 */
export async function warnOfHttp(
  flow: FlowContext,
  { ports }: LineageRecord,
  asked: () => Upstream | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (flow.config.upstream !== undefined) return;
  for (;;) {
    const isAborted = await delay(SILENT_MS, false, { signal, ref: false }).catch(() => true);
    const upstream = isAborted ? undefined : asked();
    if (upstream === undefined) return;
    const trace = httpTraceOf(flow, upstream);
    if (trace === undefined) continue;
    ports.warnOnce(`the server has not answered for ${SILENT_MS / 1000} s: ${httpTraceText(trace)}`);
    return;
  }
}
