// Opens everything that a proxy writes to its state directory while it runs: audit trail, restart marker, status file.
// What can't be written is reported once, whichever file it is (P14, safe files).

import type { EventBus } from '../events/bus.js';
import { Audit } from '../state/audit-trail.js';
import { maskArguments } from '../state/mask-arguments.js';
import { writeMarker, type Marker } from '../state/restart-marker.js';
import { ALL_SESSIONS, StatusFile } from '../state/status-file.js';
import type { EventOf, Origin } from '../events/events.js';
import { subscribeAudit } from './audit.js';
import { STATUS_KINDS, statusAfter } from './session-status.js';

export interface StateSinksOptions {
  readonly stateDir: string;
  readonly cwd: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface Sinks {
  /** Resolves when everything is on the disk, or can't be, and the proxy is no longer among those that run. */
  close(): Promise<void>;
}

export function openStateSinks(events: EventBus, { stateDir, cwd, command, args }: StateSinksOptions): Sinks {
  let isReported = false;
  const report = (text: string): void => {
    if (!isReported) events.emit({ kind: 'warning', text });
    isReported = true;
  };
  const statusFile = new StatusFile(
    stateDir,
    { cwd, command, args: maskArguments([command, ...args]).slice(1) },
    report,
  );
  const keyOf = (session: string | undefined): string => session ?? ALL_SESSIONS;
  const subscriptions = [
    subscribeAudit(events, new Audit(stateDir, report), (session) => statusFile.session(keyOf(session)).client),
    subscribeMarker(events, stateDir, report),
    // Nothing waits for the status file, so its writes are no part of `flushed()`.
    events.subscribe(STATUS_KINDS, (event) => {
      const key = keyOf(event.session);
      // The last server of a session may outlive it for a moment.
      const isEnding = event.kind === 'health' && event.health.state === 'closing';
      if (isEnding && event.session !== undefined && !statusFile.has(key)) return;
      const news = statusAfter(event, statusFile.session(key), new Date().toISOString());
      statusFile.update(key, { ...news, ...transportOf(event) });
    }),
    events.subscribe(['session-opened'], (event) => {
      const { session, client } = event;
      statusFile.update(keyOf(session), { ...(client === undefined ? {} : { client }), ...transportOf(event) });
    }),
    events.subscribe(['session-closed', 'closed'], ({ session }) => {
      if (session !== undefined) statusFile.remove(session);
    }),
    events.subscribe(['listening'], ({ url }) => statusFile.listening(url)),
  ];
  return {
    async close() {
      await events.flushed();
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      await statusFile.close();
    },
  };
}

function transportOf({ transport }: Origin): Pick<Origin, 'transport'> {
  return transport === undefined ? {} : { transport };
}

/** Markers are written one after the other: the last one stays. */
function subscribeMarker(events: EventBus, dir: string, report: (problem: string) => void): Disposable {
  let tail: Promise<void> = Promise.resolve();
  return events.subscribe(['restart'], (event) => {
    tail = tail.then(async () => {
      const written = await writeMarker(dir, markerOf(event));
      if (!written.ok) report(written.problem);
    });
    return tail;
  });
}

function markerOf({ at, reason, generation, exitCode, method, begun, session }: EventOf<'restart'>): Marker {
  return {
    timestamp: at,
    reason,
    generation,
    exitCode,
    method,
    proxy: process.pid,
    ...(session === undefined ? {} : { session }),
    ...(begun ? { begun } : {}),
  };
}
