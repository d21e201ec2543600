// Folds events into the present status of a session's server: how it is, which process it has, its last reload and its
// last failure. For the status file, and for `status()` of the programmatic entry. Pure.

import { failureCause, failureHeadline, failureOutput, lineTooLongText } from '../agent/failure-log.js';
import type { EventOf, Health } from '../events/events.js';
import type { ProxyHealth, SessionStatus } from '../state/status-file.js';

export const STATUS_KINDS = [
  'piping',
  'ready',
  'reloaded',
  'mended',
  'failed',
  'line-too-long',
  'crashed',
  'health',
  'silent-calls',
] as const;

/** What an event changes. `at`: when it happened. */
export function statusAfter(
  event: EventOf<(typeof STATUS_KINDS)[number]>,
  now: SessionStatus,
  at: string,
): Partial<SessionStatus> {
  switch (event.kind) {
    case 'piping':
      return { health: { state: 'serving' }, generation: event.generation, server: event.pid };
    case 'ready':
      return { ...serverOf(event), ...(event.failing ? {} : mended(now, at)) };
    case 'reloaded': {
      const { generation, pid, ms, phases, files, changes, reason: cause } = event;
      const facts = { ...(generation === undefined ? {} : { generation }), ...(pid === undefined ? {} : { pid }) };
      const lastReload = { at, ...facts, ms, phases, files, changes, ...(cause === undefined ? {} : { cause }) };
      return { ...serverOf(event), lastReload, ...mended(now, at) };
    }
    case 'mended':
      return mended(now, at);
    case 'failed':
    case 'crashed':
      return { lastFailure: { at, event: event.kind, cause: failureCause(event.failure) } };
    case 'line-too-long':
      return { lastFailure: { at, event: 'failed', cause: lineTooLongText(event) } };
    case 'silent-calls':
      return { silentCalls: event.calls };
    case 'health': {
      const { health, client } = event;
      return { health: healthOf(health), ...(client === undefined ? {} : { client }) };
    }
  }
}

function serverOf({ generation, pid }: EventOf<'ready' | 'reloaded'>): Partial<SessionStatus> {
  return generation === undefined ? {} : { generation, server: pid };
}

function mended({ lastFailure }: SessionStatus, at: string): Partial<SessionStatus> {
  return lastFailure === undefined ? {} : { lastFailure: { mended: at, ...lastFailure } };
}

function healthOf(health: Health): ProxyHealth {
  if (!('failure' in health)) return health;
  const { state, since, failure, nextTry } = health;
  return {
    state,
    since,
    failure: failureHeadline(failure),
    output: failureOutput(failure),
    ...(nextTry === undefined ? {} : { nextTry }),
  };
}
