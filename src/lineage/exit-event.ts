/**
 * Records the exit of the serving generation, and makes the state machine's event of it: what the exit means (it asks
 * for a restart, it leaves on purpose, or it has failed), the failure, and how long to wait before the next start.
 * `state.ts` decides what follows.
 */
import { lastMalformed } from '../exchange/malformed.js';
import { hasServerAnswered, type Upstream } from '../exchange/records.js';
import type { Exit } from '../process/child.js';
import type { Attempts } from './attempts.js';
import type { LineageContext } from './lineage-context.js';
import { endedFailure, saveOutput } from './server-failures.js';
import { RESTART_EXIT_CODE, type Event, type ExitMeaning } from './states.js';

/** Exit code 0 after a shorter run looks like a mistake in the code, after a longer one like a purpose. */
const LEAVES_AFTER_MS = 5000;

export interface Life {
  /** A generation of this lineage has answered a client. */
  readonly hasAnswered: boolean;
  /** The server was restarted because of an edit, so the edit is a likely cause of the exit. */
  readonly wasEdited: boolean;
  readonly hasClientLeft: boolean;
  /** Clients that share the server are there, and would lose their sessions with it. */
  readonly isAwaited: boolean;
  /** It was asked for its era, by nobody but us: some servers exit on that. */
  readonly isProbed: boolean;
  /** Nothing is reloaded: no server follows one that has exited. */
  readonly endsWithServer: boolean;
  readonly ranMs: number;
}

export function meaningOf(code: number | null, life: Life): ExitMeaning {
  const { hasAnswered, wasEdited, hasClientLeft, isAwaited, isProbed, endsWithServer, ranMs } = life;
  if (isProbed) return 'restarts';
  if (endsWithServer) return 'leaves';
  // An exit before the first answer is a failed start, whatever the code.
  if (!hasAnswered) return 'start';
  if (code === RESTART_EXIT_CODE) return 'restarts';
  if (code !== 0) return 'crash';
  const isMeant = hasClientLeft || (!wasEdited && ranMs >= LEAVES_AFTER_MS);
  if (!isMeant) return 'exit';
  return isAwaited ? 'restarts' : 'leaves';
}

export interface ExitEventContext extends Pick<LineageContext, 'flow' | 'messages'> {
  readonly attempts: Attempts;
}

export function recordExit(
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
    delay: meaning === 'restarts' ? backoff.recordRestartRequest(now) : backoff.recordCrash(now, startedAt),
    isExpected: life.isProbed,
    skippedBuild: record?.isBuildSkipped === true,
    exit,
    // After a crash only the back-off restarts the server. If the exit looks like a mistake in the code, a call may
    // cause another attempt (P7, survives a broken edit).
    failure: meaning === 'start' || meaning === 'exit' ? repeats.recordFailure(ended, startedAt) : ended,
  };
}
