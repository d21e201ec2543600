/**
 * Lets a call of the agent wait for a reload, at most `--hold`, and sends progress meanwhile. `agent-tools.ts` decides
 * what the call waits for and how it is answered.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FlowContext } from '../flow/flow.js';
import type { AgentCall } from '../exchange/records.js';
import { notification } from '../wire/json-rpc.js';

/** How often progress is sent while the call waits. */
const PROGRESS_EVERY_MS = 1000;

/** Resolves with false if the reload takes longer than `--hold`. */
export async function waitWithProgress(
  { flow }: { readonly flow: FlowContext },
  call: AgentCall,
  settled: Promise<void>,
): Promise<boolean> {
  const timers = new AbortController();
  const signal = AbortSignal.any([timers.signal, call.signal]);
  const { hold } = flow.config;
  const limit = hold === 0 ? [] : [delay(hold, false, { signal }).catch(() => false)];
  void sendProgress(call, signal);
  const isSettled = await Promise.race([settled.then(() => true), ...limit]);
  timers.abort();
  return isSettled;
}

async function sendProgress(call: AgentCall, signal: AbortSignal): Promise<void> {
  const progressToken = call.arrival.message.read(['params', '_meta', 'progressToken']);
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return;
  for (let progress = 1; ; progress++) {
    const isAborted = await delay(PROGRESS_EVERY_MS, false, { signal }).catch(() => true);
    if (isAborted) return;
    const params = { progressToken, progress, message: 'The MCP server is being reloaded.' };
    call.session.client.send(notification('notifications/progress', params), { kind: 'about', request: call.id });
  }
}
