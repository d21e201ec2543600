/**
 * Opens clients' session with a new generation. Legacy: the first client's own `initialize`, word for word, under an id
 * of ours, and what was agreed since. Modern: a look whether it is there, then the open streams. Nothing of it reaches
 * a client. When to do it, and what a failure means, is for others.
 */
import { isMethodMissing, isModernError, noteRefusedDiscover, refusesLegacy } from '../exchange/eras.js';
import type { PendingHandshake } from '../exchange/handover.js';
import { reopenStreams } from '../exchange/stream-messages.js';
import { hasServerAnswered, openerOf, type LineageRecord, type Session, type Upstream } from '../exchange/records.js';
import { logLevelOf, replayRequest, subscriptionsOf } from '../exchange/settings.js';
import type { Reply } from '../server/upstream.js';
import { otherEraText, type OtherEra } from '../agent/failure.js';
import { capabilitiesOf, membersOf } from '../session/agreement.js';
import { notification } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { toJson } from '../wire/to-json.js';

type Members = Readonly<Record<string, unknown>>;

export type Handshake =
  | { readonly kind: 'done'; readonly capabilities: Members }
  /**
   * `otherEra`: set if it does not speak the era in which the client opened its session without it.
   */
  | { readonly kind: 'refused'; readonly error: string; readonly otherEra?: OtherEra }
  | { readonly kind: 'gone' };

export function handshake(lineage: LineageRecord, upstream: Upstream, signal: AbortSignal): Promise<Handshake> {
  return lineage.agreement.era === 'modern' ? modern(lineage, upstream, signal) : legacy(lineage, upstream, signal);
}

/**
 * `server/discover` pins a server to no era, and every modern server answers it; one that refuses is there all the
 * same.
 */
async function modern(lineage: LineageRecord, upstream: Upstream, signal: AbortSignal): Promise<Handshake> {
  const reply = await upstream.request('server/discover', lineage.agreement.paramsFor(undefined), signal);
  // A client that has asked on another connection what servers of this command can do knows what the one before could.
  const { discoveredCapabilities } = lineage;
  const before = (session: Session): Members | undefined => session.agreement.capabilities ?? discoveredCapabilities;
  const capabilities = recordDiscover(lineage, reply);
  return (
    (await refusedAsLegacy(lineage, upstream, reply, signal)) ?? openModern(lineage, upstream, capabilities, before)
  );
}

/**
 * Whether the first server of all, which the client never asked whether it is modern, turns out to be a legacy one.
 * Some of those answer without a handshake: one of them will do.
 */
async function refusedAsLegacy(
  lineage: LineageRecord,
  upstream: Upstream,
  reply: Reply,
  signal: AbortSignal,
): Promise<Handshake | undefined> {
  if (reply.kind === 'gone') return reply;
  if (reply.kind === 'result' || hasServerAnswered(lineage) || isModernError(reply.message) || asksWhoItIs(reply))
    return undefined;
  const tools = await upstream.request('tools/list', lineage.agreement.paramsFor(undefined), signal);
  if (tools.kind === 'gone') return tools;
  if (tools.kind === 'error' && !isMethodMissing(tools.message))
    return { kind: 'refused', error: errorIn(tools), otherEra: { server: 'legacy', client: 'modern' } };
  lineage.ports.warnOnce(`${otherEraText({ server: 'legacy', client: 'modern' })}: reconnect if calls fail`);
  return undefined;
}

function errorIn({ message }: { readonly message: Message }): string {
  return toJson(message.read(['error']));
}

function openModern(
  lineage: LineageRecord,
  upstream: Upstream,
  capabilities: Members,
  before?: (session: Session) => Members | undefined,
): Handshake {
  compareCapabilities(lineage, upstream, capabilities, before);
  for (const session of lineage.sessions) reopenStreams(session, upstream);
  return { kind: 'done', capabilities };
}

/** The process was asked by the client itself, which then was answered in its place: what it says now comes to us. */
export async function adoptHandshake(
  lineage: LineageRecord,
  pending: PendingHandshake,
  signal: AbortSignal,
): Promise<Handshake> {
  const { upstream, method } = pending;
  const { agreement } = lineage;
  const aborted = new Promise<Reply>((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'gone' }), { once: true });
  });
  const reply = await Promise.race([pending.reply, aborted]);
  const isLegacy = agreement.era === 'legacy';
  if (isLegacy && method === 'initialize') return openLegacy(lineage, upstream, reply);
  if (isLegacy && reply.kind !== 'gone') return legacy(lineage, upstream, signal);
  if (reply.kind === 'gone') return reply;
  const capabilities = recordDiscover(lineage, reply);
  // A client that has neither said nor been told which era it is can still open either.
  const isModern = agreement.era === 'modern' || agreement.isLocalResult;
  const refused = isModern ? await refusedAsLegacy(lineage, upstream, reply, signal) : undefined;
  return refused ?? openModern(lineage, upstream, capabilities);
}

/** What a modern server says that it can do; nothing, if it doesn't say. */
export async function discover(
  lineage: LineageRecord,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<Members | 'gone'> {
  const reply = await upstream.request('server/discover', lineage.agreement.paramsFor(undefined), signal);
  return reply.kind === 'gone' ? 'gone' : recordDiscover(lineage, reply);
}

function recordDiscover(lineage: LineageRecord, reply: Reply): Members {
  const { agreement, ports } = lineage;
  if (reply.kind === 'error') noteRefusedDiscover({ lineage, agreement }, reply.message);
  if (reply.kind !== 'result') return {};
  ports.onIntroduced('server/discover', reply.message);
  const result = membersOf(reply.message.read(['result']));
  agreement.recordServerInfo(result);
  return (lineage.discoveredCapabilities = capabilitiesOf(result));
}

async function legacy(lineage: LineageRecord, upstream: Upstream, signal: AbortSignal): Promise<Handshake> {
  const reply = await upstream.request('initialize', lineage.agreement.initializeParams, signal, openerOf(lineage));
  // It is there, and opens the session when the client has said who it is.
  if (asksWhoItIs(reply)) return { kind: 'done', capabilities: lineage.agreement.capabilities ?? {} };
  return openLegacy(lineage, upstream, reply);
}

/** Not of us: of the client, which has to be told. */
function asksWhoItIs(reply: Reply): boolean {
  return reply.kind === 'error' && reply.message.beside?.reply?.status === 401;
}

function openLegacy(lineage: LineageRecord, upstream: Upstream, reply: Reply): Handshake {
  const { agreement, ports } = lineage;
  if (reply.kind === 'gone') return reply;
  if (reply.kind === 'error') {
    const isOther = !hasServerAnswered(lineage) && agreement.isLocalResult && refusesLegacy(reply.message);
    return {
      kind: 'refused',
      error: errorIn(reply),
      ...(isOther && { otherEra: { server: 'modern', client: 'legacy' } }),
    };
  }
  const result = membersOf(reply.message.read(['result']));
  warnOfVersion(lineage, agreement.result?.['protocolVersion'], result['protocolVersion']);
  compareCapabilities(lineage, upstream, capabilitiesOf(result));
  upstream.introduction = reply.message.copy();
  if (upstream.clients !== undefined) openApart(lineage, upstream);
  else openForAll(lineage, upstream);
  ports.onIntroduced('initialize', reply.message);
  return { kind: 'done', capabilities: capabilitiesOf(result) };
}

function openForAll(lineage: LineageRecord, upstream: Upstream): void {
  const { agreement } = lineage;
  if (agreement.hasClientInitialized || [...lineage.sessions].some((each) => each.agreement.hasClientInitialized)) {
    upstream.isInitialized = true;
    upstream.channel.send(notification('notifications/initialized'));
  }
  const logLevel = logLevelOf(lineage);
  if (logLevel !== undefined) replayRequest(lineage, upstream, 'logging/setLevel', logLevel);
  for (const params of subscriptionsOf(lineage)) replayRequest(lineage, upstream, 'resources/subscribe', params);
  for (const session of lineage.sessions) upstream.sessionsReplayedTo.add(session);
}

/** The session of the client in whose words the server was asked. The others' are opened when it serves. */
function openApart(lineage: LineageRecord, upstream: Upstream): void {
  const opener = openerOf(lineage);
  const { opening } = lineage.agreement;
  if (opening?.isInitialized === true) upstream.send(notification('notifications/initialized'), opener);
  for (const { method, params } of opening?.settings ?? []) replayRequest(lineage, upstream, method, params, opener);
  if (opener !== undefined) upstream.sessionsReplayedTo.add(opener);
}

function warnOfVersion({ ports }: LineageRecord, before: unknown, after: unknown): void {
  if (before === after) return;
  const versions = `protocol version ${String(after)}, the client was told ${String(before)}`;
  ports.warnOnce(`the new generation speaks ${versions}: reconnect if it matters`);
}

function compareCapabilities(
  lineage: LineageRecord,
  upstream: Upstream,
  after: Members,
  promised: (session: Session) => Members | undefined = ({ agreement }) => agreement.capabilities,
): void {
  for (const session of lineage.sessions) {
    const before = promised(session);
    if (before !== undefined) recordGaps(session, upstream, before, after);
  }
}

function recordGaps(session: Session, upstream: Upstream, before: Members, after: Members): void {
  const { agreement, lineage } = session;
  // What was only a guess is no loss, but the client goes by it. And tools that are gone leave an empty list.
  const isOurs = (name: string): boolean => agreement.isLocalResult || name === 'tools';
  const missing = Object.keys(before).filter((name) => !(name in after) && isOurs(name));
  const gained = missingIn(before, after);
  upstream.capabilityGaps.set(session, { promisedButMissing: new Set(missing), gained });
  const lost = missingIn(after, before).filter((name) => !isOurs(name.split('.')[0] ?? name));
  const what = (names: readonly string[]): string =>
    `${names.length > 1 ? 'capabilities' : 'a capability'}: ${names.join(', ')}`;
  if (gained.length > 0)
    lineage.ports.warnOnce(`the client can't learn without a reconnect that the server gained ${what(gained)}`);
  if (lost.length > 0)
    lineage.ports.warnOnce(`the client can't learn without a reconnect that the server lost ${what(lost)}`);
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
