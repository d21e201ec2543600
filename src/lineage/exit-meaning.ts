/**
 * Classifies a server process that has exited by itself: it asks for a restart, it exits on purpose, or it has failed.
 * Pure. `state.ts` decides what follows.
 */

/** A server exits with this code to be restarted. */
export const RESTART_EXIT_CODE = 42;
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

/**
 * `leaves`: on purpose, and none follows. `restarts`: on purpose, and another one is to follow. `start`: it has never
 * answered. `exit`: code 0, but probably by mistake.
 */
export type ExitMeaning = 'leaves' | 'restarts' | 'start' | 'exit' | 'crash';

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
