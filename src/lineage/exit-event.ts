/**
 * Makes the state machine's event of the exit of the serving generation: what the exit means, the failure, and how long
 * to wait before the next start. `state.ts` decides what follows.
 */
import { lastMalformed } from '../exchange/malformed.js';
import { hasServerAnswered, type Upstream } from '../exchange/records.js';
import type { Exit } from '../process/child.js';
import type { Attempts } from './attempts.js';
import type { LineageContext } from './lineage-context.js';
import { meaningOf, type Life } from './exit-meaning.js';
import { endedFailure, saveOutput } from './server-failures.js';
import type { Event } from './states.js';

export interface ExitEventContext extends Pick<LineageContext, 'flow' | 'messages'> {
  readonly attempts: Attempts;
}

export function exitEventOf(
  { flow, messages, attempts }: ExitEventContext,
  upstream: Upstream,
  exit: Exit,
  life: Omit<Life, 'hasAnswered' | 'ranMs'>,
): Extract<Event, { on: 'exit' }> {
  const { lineage } = messages;
  const { backoff, repeats, record } = attempts;
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
    delay: meaning === 'restarts' ? backoff.afterRestartRequest(now) : backoff.afterCrash(now, startedAt),
    isExpected: life.isProbed,
    skippedBuild: record?.isBuildSkipped === true,
    exit,
    // After a crash only the back-off restarts the server. If the exit looks like a mistake in the code, a call may
    // cause another attempt (P7, survives a broken edit).
    failure: meaning === 'start' || meaning === 'exit' ? repeats.recordFailure(ended, startedAt) : ended,
  };
}
