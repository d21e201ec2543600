/**
 * What the state machine is told when the process of the serving generation has ended by itself: what that means for a
 * server with such a life, how it ended, and how long to wait before the next start. What follows is decided there.
 */
import { lastMalformed } from '../exchange/malformed.js';
import { hasServerAnswered, type Upstream } from '../exchange/records.js';
import type { Exit } from '../process/child.js';
import type { Attempts } from './attempts.js';
import type { Stopping } from './draining.js';
import { meaningOf, type Life } from './exits.js';
import { endedFailure, saveOutput } from './server-failures.js';
import type { Event } from './states.js';

export interface ServingExitContext extends Pick<Stopping, 'flow' | 'traffic'> {
  readonly attempts: Attempts;
}

export function servingExit(
  { flow, traffic, attempts }: ServingExitContext,
  upstream: Upstream,
  exit: Exit,
  life: Pick<Life, 'edited' | 'clientLeft'>,
): Extract<Event, { on: 'exit' }> {
  const { lineage } = traffic;
  const { backoff, retries, run } = attempts;
  const { startedAt } = upstream;
  attempts.lastExit = exit.code;
  const now = performance.now();
  const meaning = meaningOf(exit.code, { ...life, hasAnswered: hasServerAnswered(lineage), ranMs: now - startedAt });
  const kind = meaning === 'restarts' || meaning === 'leaves' ? 'crash' : meaning;
  const [malformed] = [...lineage.sessions].flatMap((session) => lastMalformed(session, upstream) ?? []);
  const ended = endedFailure(kind, flow.name, upstream, saveOutput(flow, upstream), malformed);
  return {
    on: 'exit',
    generation: upstream.generation,
    meaning,
    delay: meaning === 'restarts' ? backoff.asked(now) : backoff.crashed(now, startedAt),
    skippedBuild: run?.skipped === true,
    exit,
    // A crashed server is started again on the ladder alone. Calls may try once more where it looks like a mistake in
    // the code.
    failure: meaning === 'start' || meaning === 'exit' ? retries.failed(ended, startedAt) : ended,
  };
}
