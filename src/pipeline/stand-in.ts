/**
 * The proxy's own answers where no server can give one: it crashed, it is broken, or it has never come up. A session that is
 * born broken is opened here all the same, so that a mended server needs no reconnect. A tool's caller reads results,
 * everybody else errors.
 */
import { listedTools } from '../agent/tools.js';
import { failureMessage, failureText, noServer, type Failure } from '../agent/words.js';
import { LISTS, listByMethod } from '../lists/lists.js';
import { capabilitiesOf, membersOf } from '../session/session.js';
import { readAt } from '../wire/edit.js';
import { error, INTERNAL_ERROR, result } from '../wire/message.js';
import type { Id } from '../wire/scan.js';
import { nameAgentTools, toolNames } from './agent-calls.js';
import type { Desk } from './desk.js';

type Members = Readonly<Record<string, unknown>>;

/** For a client that does not say which it wants. */
const LATEST = { legacy: '2025-11-25', modern: '2026-07-28' };

/** What a client may believe of a server that nobody has seen: that anything may come. */
const anything = Object.fromEntries(LISTS.map((list) => [list.capability, { listChanged: true }]));

export function standIn(desk: Desk, id: Id, method: string, line: Buffer): Buffer {
  const { session, failure } = desk;
  session.asked(method, line);
  if (method === 'ping' && session.era !== 'modern') return result(id, {});
  if (method === 'tools/call' && failure !== undefined) return result(id, session.resultOf(toolResult(desk, failure)));
  if (!desk.born) {
    const answer = unborn(desk, method, line);
    if (answer !== undefined) return result(id, answer);
  }
  // The agent's own tools are there whatever the server does.
  if (method === 'tools/list' && desk.options.agentTools) return result(id, emptyList(desk, method, line));
  if (failure === undefined) return error(id, INTERNAL_ERROR, noServer());
  return error(id, INTERNAL_ERROR, failureMessage(failure, toolNames(desk)), failure);
}

function toolResult(desk: Desk, failure: Failure): Members {
  return { content: [{ type: 'text', text: failureText(failure, toolNames(desk)) }], isError: true };
}

/** For a server that has never answered: what it may answer when it does. */
function unborn(desk: Desk, method: string, line: Buffer): Members | undefined {
  const { session } = desk;
  if (method === 'initialize') {
    const told = {
      ...remembered(desk, 'initialize'),
      protocolVersion: textAt(line, ['params', 'protocolVersion']) ?? LATEST.legacy,
    };
    session.vouch(method, told);
    return told;
  }
  if (method === 'server/discover') {
    const version = textAt(line, ['params', '_meta', 'io.modelcontextprotocol/protocolVersion']) ?? LATEST.modern;
    const about = { supportedVersions: [version], resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const told = { ...about, ...remembered(desk, 'server/discover'), ttlMs: 0 };
    session.vouch(method, told);
    return told;
  }
  if (['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].includes(method)) {
    session.agreed(method, line);
    return session.resultOf({});
  }
  return emptyList(desk, method, line);
}

function textAt(line: Buffer, path: readonly string[]): string | undefined {
  const value = readAt(line, path);
  return typeof value === 'string' ? value : undefined;
}

/** An empty list, and the client was served it. */
export function emptyList(desk: Desk, method: string, line: Buffer): Members | undefined {
  const list = listByMethod(method);
  if (list === undefined) return undefined;
  const empty: Record<string, unknown[]> = { [list.resultKey]: [] };
  desk.served.onPage(list.name, readAt(line, ['params', 'cursor']), empty);
  if (list.name === 'tools' && desk.options.agentTools) {
    nameAgentTools(desk, new Set());
    empty[list.resultKey] = listedTools(new Set()).map((tool) => JSON.parse(tool) as unknown);
  }
  return desk.session.resultOf(desk.session.era === 'modern' ? { ...empty, ttlMs: 0, cacheScope: 'private' } : empty);
}

/** What this command said of itself the last time it ran, or a guess; either way lists may change. */
function remembered(desk: Desk, method: 'initialize' | 'server/discover'): Members {
  const last = desk.remembered[method];
  if (last === undefined) {
    const info = { name: desk.options.name, version: '0.0.0' };
    const who =
      method === 'initialize' ? { serverInfo: info } : { _meta: { 'io.modelcontextprotocol/serverInfo': info } };
    return { capabilities: anything, ...who };
  }
  // The agent's own tools are there whatever the server had.
  const ours: Members = desk.options.agentTools ? { tools: {} } : {};
  const declared: Members = { ...ours, ...capabilitiesOf(last) };
  const lists = Object.keys(anything).filter((name) => declared[name] !== undefined);
  const promised = lists.map((name) => [name, { ...membersOf(declared[name]), listChanged: true }]);
  return { ...last, capabilities: { ...declared, ...Object.fromEntries(promised) } };
}
