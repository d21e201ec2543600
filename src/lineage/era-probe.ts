/**
 * Asks a server whether it speaks the modern era, with a `server/discover` of the proxy's own. A server that refuses
 * it, exits, or gives no sign of life is of the legacy era. What follows from the answer is decided by who asks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../channel/channel.js';
import { isModernError } from '../exchange/eras.js';
import { headersIn } from '../channel/http/request-headers.js';
import type { Connect } from '../front/connection.js';
import { membersOf } from '../session/agreement.js';
import { request as makeRequest } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import type { Lineage } from './lineage.js';
import { toJson } from '../wire/to-json.js';

/**
 * `silent`: it may yet turn out to be modern. `unknown`: its lineage has ended before it could answer, or it asks who
 * is there.
 */
export type EraAnswer = 'modern' | 'legacy' | 'silent' | 'unknown';

const SILENT_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 500;
/** However busy it seems to be. */
const MAX_WAIT_MS = 25_000;
const ID = '"mcp-hotline:era"';

/** `words`: a request of a modern client, whose `_meta` says who asks. */
export async function eraProbe(lineage: Lineage, words: Message): Promise<EraAnswer> {
  const done = new AbortController();
  let answer: EraAnswer = 'silent';
  let leave = (): void => {};
  const settle = (found: EraAnswer): void => {
    answer = found;
    done.abort();
  };
  const channel: Channel = {
    send: (message) => {
      const { envelope } = message;
      if (envelope.kind !== 'response') return;
      // It wants to know who asks: that is for the client to hear, and says nothing of the era.
      if (message.beside?.reply !== undefined) settle('unknown');
      else settle(!envelope.error || isModernError(message) ? 'modern' : 'legacy');
    },
    full: false,
    pause: () => {},
    resume: () => {},
    end: () => {},
    drained: () => Promise.resolve(),
  };
  const meta = toJson(protocolMembers(words.read(['params', '_meta'])));
  const connect: Connect = (events) => {
    leave = () => events.gone();
    const ask = async (): Promise<void> => {
      await events.check();
      if (done.signal.aborted) return;
      const request = makeRequest(ID, 'server/discover', `{"_meta":${meta}}`);
      const headers = headersIn(words.beside);
      if (headers !== undefined) request.beside = { headers };
      events.message(request, performance.now());
    };
    void ask();
    return {
      channel,
      returnToGate: (held) => held.forEach(({ message, since }) => events.message(message, since)),
      emptied: () => Promise.resolve(),
    };
  };
  void lineage.attach(connect, 'probe').then(() => settle(answer === 'silent' ? 'unknown' : answer));
  await untilSilent(lineage, done.signal);
  const found = answer;
  done.abort();
  leave();
  return found;
}

/** Who asks, and by which version; not what concerns the one request. */
function protocolMembers(meta: unknown): object {
  const members = Object.entries(membersOf(meta));
  return Object.fromEntries(members.filter(([name]) => name.startsWith('io.modelcontextprotocol/')));
}

async function untilSilent(lineage: Lineage, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  let sign = lineage.signOfLife();
  let signAt = began;
  while (!signal.aborted) {
    await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    const now = performance.now();
    const latest = lineage.signOfLife();
    if (latest !== sign) [sign, signAt] = [latest, now];
    if (now - signAt > SILENT_AFTER_MS || now - began > MAX_WAIT_MS) return;
  }
}
