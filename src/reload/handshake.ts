/**
 * Opens the client's session with a new generation. Legacy: the client's own `initialize`, word for word, under an id of ours,
 * and what was agreed since. Modern: a look whether it is there, then the open streams. Nothing of it reaches the client.
 * When to do it, and what a failure means, is for others.
 */
import type { Desk, Introduction, Reply } from '../pipeline/desk.js';
import { remind } from '../pipeline/handover.js';
import { ask } from '../pipeline/own-requests.js';
import { reopenStreams } from '../pipeline/streams.js';
import { capabilitiesOf, membersOf } from '../session/session.js';
import { readAt } from '../wire/edit.js';
import { notification } from '../wire/message.js';

type Members = Readonly<Record<string, unknown>>;

export type Handshake =
  | { readonly kind: 'done'; readonly capabilities: Members }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'gone' };

/** The reply as a promise; `gone` as well if the signal comes first. */
export function request(
  desk: Desk,
  generation: number,
  method: string,
  params: string | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'gone' });
    const giveUp = (): void => {
      desk.own.delete(key);
      resolve({ kind: 'gone' });
    };
    const key = ask(desk, generation, method, params, (reply) => {
      signal.removeEventListener('abort', giveUp);
      resolve(reply);
    });
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

export function handshake(desk: Desk, generation: number, signal: AbortSignal): Promise<Handshake> {
  return desk.session.era === 'modern' ? modern(desk, generation, signal) : legacy(desk, generation, signal);
}

/** `server/discover` pins a server to no era, and every modern server answers it; one that refuses is there all the same. */
async function modern(desk: Desk, generation: number, signal: AbortSignal): Promise<Handshake> {
  const capabilities = await discover(desk, generation, signal);
  if (capabilities === 'gone') return { kind: 'gone' };
  return openedModern(desk, generation, capabilities);
}

function openedModern(desk: Desk, generation: number, capabilities: Members): Handshake {
  compareCapabilities(desk, capabilities);
  reopenStreams(desk, generation);
  return { kind: 'done', capabilities };
}

/** The process was asked by the client itself, which then was answered in its place: what it says now comes to us. */
export async function adopted(desk: Desk, introduction: Introduction, signal: AbortSignal): Promise<Handshake> {
  const { generation, method } = introduction;
  const aborted = new Promise<Reply>((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'gone' }), { once: true });
  });
  const reply = await Promise.race([introduction.reply, aborted]);
  const isLegacy = desk.session.era === 'legacy';
  if (isLegacy && method === 'initialize') return openedLegacy(desk, generation, reply);
  if (isLegacy && reply.kind !== 'gone') return legacy(desk, generation, signal);
  if (reply.kind === 'gone') return reply;
  if (reply.kind === 'result') desk.ports.introduced('server/discover', reply.line);
  const result = reply.kind === 'result' ? membersOf(readAt(reply.line, ['result'])) : {};
  return openedModern(desk, generation, capabilitiesOf(result));
}

/** What a modern server says that it can do; nothing, if it doesn't say. */
export async function discover(desk: Desk, generation: number, signal: AbortSignal): Promise<Members | 'gone'> {
  const reply = await request(desk, generation, 'server/discover', desk.session.paramsFor(undefined), signal);
  if (reply.kind === 'gone') return 'gone';
  if (reply.kind === 'error') return {};
  desk.ports.introduced('server/discover', reply.line);
  const result = membersOf(readAt(reply.line, ['result']));
  desk.session.met(result);
  return capabilitiesOf(result);
}

async function legacy(desk: Desk, generation: number, signal: AbortSignal): Promise<Handshake> {
  const reply = await request(desk, generation, 'initialize', desk.session.initializeParams, signal);
  return openedLegacy(desk, generation, reply);
}

function openedLegacy(desk: Desk, generation: number, reply: Reply): Handshake {
  const { session, ports } = desk;
  if (reply.kind === 'gone') return reply;
  if (reply.kind === 'error') return { kind: 'refused', error: JSON.stringify(readAt(reply.line, ['error'])) };
  const result = membersOf(readAt(reply.line, ['result']));
  warnOfVersion(desk, session.result?.['protocolVersion'], result['protocolVersion']);
  compareCapabilities(desk, capabilitiesOf(result));
  if (session.initialized) ports.server(generation, notification('notifications/initialized'));
  if (session.logLevel !== undefined) remind(desk, generation, 'logging/setLevel', session.logLevel);
  for (const params of session.subscriptions.values()) remind(desk, generation, 'resources/subscribe', params);
  desk.introduced.add(generation);
  ports.introduced('initialize', reply.line);
  return { kind: 'done', capabilities: capabilitiesOf(result) };
}

function warnOfVersion(desk: Desk, before: unknown, after: unknown): void {
  if (before === after) return;
  const versions = `protocol version ${String(after)}, the client was told ${String(before)}`;
  desk.ports.warnOnce(`the new generation speaks ${versions}: reconnect if it matters`);
}

function compareCapabilities(desk: Desk, after: Members): void {
  const before = desk.session.capabilities;
  if (before === undefined) return;
  // What was only a guess is no loss, but the client goes by it.
  const ours = (name: string): boolean => desk.session.vouched || (name === 'tools' && desk.options.agentTools);
  desk.lacking = new Set(Object.keys(before).filter((name) => !(name in after) && ours(name)));
  const gained = missingIn(before, after);
  const lost = missingIn(after, before).filter((name) => !ours(name.split('.')[0] ?? name));
  const what = (names: readonly string[]): string =>
    `${names.length > 1 ? 'capabilities' : 'a capability'}: ${names.join(', ')}`;
  if (gained.length > 0)
    desk.ports.warnOnce(`the client can't learn without a reconnect that the server gained ${what(gained)}`);
  if (lost.length > 0)
    desk.ports.warnOnce(`the client can't learn without a reconnect that the server lost ${what(lost)}`);
}

/** What is declared here and not there: capabilities, or parts of them as in `resources.subscribe`. */
function missingIn(there: Members, here: Members): string[] {
  return Object.entries(here).flatMap(([name, value]) => {
    if (!(name in there)) return [name];
    const parts = membersOf(there[name]);
    // Whether a server tells of changed lists is no matter: the proxy does.
    const own = Object.entries(membersOf(value)).filter(([part, set]) => part !== 'listChanged' && set !== false);
    return own.filter(([part]) => (parts[part] ?? false) === false).map(([part]) => `${name}.${part}`);
  });
}
