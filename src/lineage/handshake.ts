/**
 * Opens the client's session with a new generation. Legacy: the client's own `initialize`, word for word, under an id
 * of ours, and what was agreed since. Modern: a look whether it is there, then the open streams. Nothing of it reaches
 * the client. When to do it, and what a failure means, is for others.
 */
import type { Desk, Introduction, Reply } from '../exchange/desk.js';
import { isMethodMissing, isModernError, noteRefusedDiscover, refusesLegacy } from '../exchange/eras.js';
import { remind } from '../exchange/handover.js';
import { ask } from '../exchange/proxy-requests.js';
import { reopenStreams } from '../exchange/listen-streams.js';
import { otherEraText, type OtherEra } from '../agent/failure.js';
import { capabilitiesOf, membersOf } from '../session/session.js';
import { notification } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';

type Members = Readonly<Record<string, unknown>>;

export type Handshake =
  | { readonly kind: 'done'; readonly capabilities: Members }
  /**
   * `otherEra`: set if it does not speak the era in which the client opened its session without it.
   */
  | { readonly kind: 'refused'; readonly error: string; readonly otherEra?: OtherEra }
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

/**
 * `server/discover` pins a server to no era, and every modern server answers it; one that refuses is there all the
 * same.
 */
async function modern(desk: Desk, generation: number, signal: AbortSignal): Promise<Handshake> {
  const reply = await request(desk, generation, 'server/discover', desk.session.paramsFor(undefined), signal);
  // A client that has asked on another connection what servers of this command can do knows what the one before could.
  const before = desk.session.capabilities ?? desk.discovered;
  const capabilities = discovered(desk, reply);
  return (await legacyServer(desk, generation, reply, signal)) ?? openedModern(desk, generation, capabilities, before);
}

/**
 * Whether the first server of all, which the client never asked whether it is modern, turns out to be a legacy one.
 * Some of those answer without a handshake: one of them will do.
 */
async function legacyServer(
  desk: Desk,
  generation: number,
  reply: Reply,
  signal: AbortSignal,
): Promise<Handshake | undefined> {
  if (reply.kind === 'gone') return reply;
  if (reply.kind === 'result' || desk.born || isModernError(reply.message)) return undefined;
  const tools = await request(desk, generation, 'tools/list', desk.session.paramsFor(undefined), signal);
  if (tools.kind === 'gone') return tools;
  if (tools.kind === 'error' && !isMethodMissing(tools.message))
    return { kind: 'refused', error: errorIn(tools), otherEra: { server: 'legacy', client: 'modern' } };
  desk.ports.warnOnce(`${otherEraText({ server: 'legacy', client: 'modern' })}: reconnect if calls fail`);
  return undefined;
}

function errorIn({ message }: { readonly message: Message }): string {
  return JSON.stringify(message.read(['error']));
}

function openedModern(
  desk: Desk,
  generation: number,
  capabilities: Members,
  before = desk.session.capabilities,
): Handshake {
  compareCapabilities(desk, generation, capabilities, before);
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
  const capabilities = discovered(desk, reply);
  // A client that has neither said nor been told which era it is can still open either.
  const isModern = desk.session.era === 'modern' || desk.session.vouched;
  const refused = isModern ? await legacyServer(desk, generation, reply, signal) : undefined;
  return refused ?? openedModern(desk, generation, capabilities);
}

/** What a modern server says that it can do; nothing, if it doesn't say. */
export async function discover(desk: Desk, generation: number, signal: AbortSignal): Promise<Members | 'gone'> {
  const reply = await request(desk, generation, 'server/discover', desk.session.paramsFor(undefined), signal);
  return reply.kind === 'gone' ? 'gone' : discovered(desk, reply);
}

function discovered(desk: Desk, reply: Reply): Members {
  if (reply.kind === 'error') noteRefusedDiscover(desk, reply.message);
  if (reply.kind !== 'result') return {};
  desk.ports.introduced('server/discover', reply.message);
  const result = membersOf(reply.message.read(['result']));
  desk.session.met(result);
  return (desk.discovered = capabilitiesOf(result));
}

async function legacy(desk: Desk, generation: number, signal: AbortSignal): Promise<Handshake> {
  const reply = await request(desk, generation, 'initialize', desk.session.initializeParams, signal);
  return openedLegacy(desk, generation, reply);
}

function openedLegacy(desk: Desk, generation: number, reply: Reply): Handshake {
  const { session, ports } = desk;
  if (reply.kind === 'gone') return reply;
  if (reply.kind === 'error') {
    const isOther = !desk.born && session.vouched && refusesLegacy(reply.message);
    return {
      kind: 'refused',
      error: errorIn(reply),
      ...(isOther && { otherEra: { server: 'modern', client: 'legacy' } }),
    };
  }
  const result = membersOf(reply.message.read(['result']));
  warnOfVersion(desk, session.result?.['protocolVersion'], result['protocolVersion']);
  compareCapabilities(desk, generation, capabilitiesOf(result));
  if (session.initialized) ports.server(generation, notification('notifications/initialized'));
  if (session.logLevel !== undefined) remind(desk, generation, 'logging/setLevel', session.logLevel);
  for (const params of session.subscriptions.values()) remind(desk, generation, 'resources/subscribe', params);
  desk.introduced.add(generation);
  ports.introduced('initialize', reply.message);
  return { kind: 'done', capabilities: capabilitiesOf(result) };
}

function warnOfVersion(desk: Desk, before: unknown, after: unknown): void {
  if (before === after) return;
  const versions = `protocol version ${String(after)}, the client was told ${String(before)}`;
  desk.ports.warnOnce(`the new generation speaks ${versions}: reconnect if it matters`);
}

function compareCapabilities(
  desk: Desk,
  generation: number,
  after: Members,
  before: Members | undefined = desk.session.capabilities,
): void {
  if (before === undefined) return;
  // What was only a guess is no loss, but the client goes by it. And tools that are gone leave an empty list.
  const ours = (name: string): boolean => desk.session.vouched || name === 'tools';
  const lacking = Object.keys(before).filter((name) => !(name in after) && ours(name));
  const gained = missingIn(before, after);
  desk.capabilityGaps.set(generation, { lacking: new Set(lacking), gained });
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
