/**
 * What a client is told that opens its session before any server has answered: what this command said of itself the
 * last time it ran, or a minimal result. Either way lists may change, and if the server could not be started, the
 * instructions say why. When a client is answered in place of its server is decided in lineage/.
 */
import { notStarted, type Failure } from '../agent/words.js';
import { LISTS } from '../lists/lists.js';
import { capabilitiesOf, membersOf } from '../session/agreement.js';
import type { Message } from '../wire/message.js';
import { standInNames } from './agent-calls.js';
import type { CachedHandshake, LineageRecord, Session } from './records.js';

type Members = Readonly<Record<string, unknown>>;

/** For a client that does not say which it wants. */
const LATEST = '2025-11-25';

/** What a client may believe of a server that nobody has seen: that anything may come. */
const anything = Object.fromEntries(LISTS.map((list) => [list.capability, { listChanged: true }]));

export function initializeInPlace(session: Session, request: Message, failure: Failure | undefined): Members {
  const { cachedHandshake, options } = session.lineage;
  const last = cachedHandshake.initialize;
  const asked = request.read(['params', 'protocolVersion']);
  const protocolVersion = negotiate(typeof asked === 'string' ? asked : LATEST, cachedHandshake.versions ?? {});
  if (last !== undefined) return { ...answerFrom(session, last, failure), protocolVersion };
  const guess = { capabilities: anything, serverInfo: { name: options.name, version: '0.0.0' } };
  return { ...answerFrom(session, guess, failure), protocolVersion };
}

/** Undefined if this command was never seen to be modern. */
export function discoverInPlace(session: Session, failure: Failure | undefined): Members | undefined {
  const last = session.lineage.cachedHandshake['server/discover'];
  if (last === undefined) return undefined;
  return { resultType: 'complete', cacheScope: 'private', ...answerFrom(session, last, failure), ttlMs: 0 };
}

/** Whether a slow server's answer to this method can be told from what it said when it ran before. */
export function isForeseen({ cachedHandshake }: LineageRecord, method: string): boolean {
  if (method !== 'server/discover') return cachedHandshake.initialize !== undefined;
  // A server that only legacy clients have opened may still be modern: nobody has asked it.
  return cachedHandshake[method] !== undefined || cachedHandshake.refusesDiscover === true;
}

/**
 * The protocol version that a server answers with if a client asks for this one. `seen`: what it answered before, by
 * what was asked. A server answers with the version that it was asked for, or else with its latest.
 */
export function negotiate(asked: string, seen: NonNullable<CachedHandshake['versions']>): string {
  const answer = Object.hasOwn(seen, asked) ? seen[asked] : undefined;
  if (answer !== undefined) return answer;
  const latest = Object.entries(seen).flatMap(([wanted, got]) => (wanted === got ? [] : [got]));
  // Versions are dates, so their order is that of their letters.
  return latest.find((version) => version < asked) ?? asked;
}

function answerFrom(session: Session, last: Members, failure: Failure | undefined): Members {
  // Our own tools are there until the server is.
  const declared: Members = { tools: {}, ...capabilitiesOf(last) };
  const lists = Object.keys(anything).filter((name) => declared[name] !== undefined);
  const promised = lists.map((name): [string, Members] => [name, { ...membersOf(declared[name]), listChanged: true }]);
  const capabilities = { ...declared, ...Object.fromEntries(promised) };
  return { ...last, capabilities, ...instructions(session, last['instructions'], failure) };
}

function instructions(session: Session, last: unknown, failure: Failure | undefined): Members {
  if (failure === undefined) return {};
  // The words name our tools: an agent may call them though its client never asks for the list.
  if (session.memory.standInTools === 'unlisted') session.memory.standInTools = 'withdrawn';
  const note = notStarted(failure, standInNames(session));
  const before = typeof last === 'string' ? `\n\nWhat the server said when it last ran:\n\n${last}` : '';
  return { instructions: `${note}${before}` };
}
