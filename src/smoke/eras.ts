// The two eras of the protocol: how a session is opened, what requests look like, and what results must have. If a
// server does not speak an era, that is no failure here; the run decides whether it speaks any.

import { isRecord } from '../lists/lists.js';
import type { Connection, Outcome } from './connection.js';
import { excerpt } from './message.js';
import type { Era } from './ways.js';

const versions: Record<Era, string> = { legacy: '2025-11-25', modern: '2026-07-28' };
const client = { name: 'mcp-hotline-smoke', version: '1.0.0' };
const prefix = 'io.modelcontextprotocol/';

export type Opened =
  | {
      readonly kind: 'opened';
      readonly capabilities: Readonly<Record<string, unknown>>;
      /** The server's name and version, if it gives them. */
      readonly server: string;
      readonly version: string;
    }
  /** The session was opened with a wrong answer. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string; readonly gone: boolean };

/** The params of a request in an era: in the modern era, each request names the client. */
export function paramsFor(era: Era, params: object | undefined): object | undefined {
  if (era === 'legacy') return params;
  const meta = {
    [`${prefix}protocolVersion`]: versions.modern,
    [`${prefix}clientInfo`]: client,
    [`${prefix}clientCapabilities`]: {},
  };
  return { ...params, _meta: meta };
}

export async function openSession(
  connection: Connection,
  era: Era,
  limit: number,
  signal: AbortSignal,
): Promise<Opened> {
  const method = era === 'legacy' ? 'initialize' : 'server/discover';
  const introduction = { protocolVersion: versions.legacy, capabilities: {}, clientInfo: client };
  const params = era === 'legacy' ? introduction : paramsFor(era, undefined);
  const outcome = await connection.request(method, params, limit, signal);
  if (outcome.kind !== 'result') {
    return { kind: 'refused', why: `${method}: ${whyNot(outcome, limit)}`, gone: outcome.kind === 'ended' };
  }
  const opened = era === 'legacy' ? openedLegacy(outcome.result) : openedModern(outcome.result);
  if (opened.kind === 'opened' && era === 'legacy') await connection.notify('notifications/initialized');
  return opened;
}

function openedLegacy(result: unknown): Opened {
  const { protocolVersion, capabilities, serverInfo } = isRecord(result) ? result : {};
  const problems = [
    typeof protocolVersion === 'string' ? [] : ['the result of initialize has no protocolVersion'],
    isRecord(capabilities) ? [] : ['the result of initialize has no capabilities'],
    named(serverInfo) === undefined ? ['the result of initialize has no serverInfo with a name and a version'] : [],
  ].flat();
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'opened',
    capabilities: capabilities as Record<string, unknown>,
    server: named(serverInfo) ?? '',
    version: String(protocolVersion),
  };
}

function openedModern(result: unknown): Opened {
  const { supportedVersions, capabilities, _meta } = isRecord(result) ? result : {};
  // Some legacy servers answer any method with a result.
  if (!Array.isArray(supportedVersions)) return refused('server/discover: the answer names no supportedVersions');
  if (!supportedVersions.includes(versions.modern)) {
    return refused(`server/discover: it supports ${excerpt(supportedVersions.join(', '))}, not ${versions.modern}`);
  }
  const problems = resultProblems('modern', 'server/discover', result);
  if (!isRecord(capabilities)) problems.push('the result of server/discover has no capabilities');
  if (problems.length > 0) return { kind: 'wrong', problems };
  const server = named(isRecord(_meta) ? _meta[`${prefix}serverInfo`] : undefined) ?? 'a server without a name';
  return { kind: 'opened', capabilities: capabilities as Record<string, unknown>, server, version: versions.modern };
}

function refused(why: string): Opened {
  return { kind: 'refused', why, gone: false };
}

/** What every result of this era must have. */
export function resultProblems(era: Era, method: string, result: unknown): string[] {
  if (!isRecord(result)) return [`the result of ${method} is not an object`];
  if (era === 'modern' && typeof result['resultType'] !== 'string')
    return [`the result of ${method} has no resultType`];
  return [];
}

/** Why there is no result, as the end of a sentence. */
export function whyNot(outcome: Exclude<Outcome, { kind: 'result' }>, limit: number): string {
  switch (outcome.kind) {
    case 'error':
      return `error ${outcome.error.code}, ${excerpt(outcome.error.message)}`;
    case 'late':
      return `no answer within ${Math.round(limit)} ms`;
    case 'ended': {
      const { code, signal } = outcome.exit;
      return signal === null ? `the server exited with code ${code}` : `the server was ended by ${signal}`;
    }
  }
}

function named(info: unknown): string | undefined {
  if (!isRecord(info)) return undefined;
  const { name, version } = info;
  return typeof name === 'string' && typeof version === 'string' ? `${name} ${version}` : undefined;
}
