/**
 * What it means that a server's process has ended by itself: it asked to be restarted, it leaves on purpose, or
 * something is wrong. Pure; what follows from it is decided in state.ts.
 */

/** A server's way to ask for a restart. */
export const RESTART_EXIT_CODE = 42;
/** A server that leaves on purpose has worked for a while. A shorter life looks like a mistake in the code. */
const LEAVES_AFTER_MS = 5000;

export interface Life {
  /** Some server has answered this client. */
  readonly hasAnswered: boolean;
  /** A file was edited in this session, and the server restarted for it: an exit is likely to be the edit's doing. */
  readonly wasEdited: boolean;
  readonly hasClientLeft: boolean;
  readonly ranMs: number;
}

/** `start`: it never came up. `exit`: it ended with code 0 where that is a mistake. */
export type ExitMeaning = 'leaves' | 'restarts' | 'start' | 'exit' | 'crash';

export function meaningOf(code: number | null, { hasAnswered, wasEdited, hasClientLeft, ranMs }: Life): ExitMeaning {
  // Before any answer an exit is a failed start, whatever its code.
  if (!hasAnswered) return 'start';
  if (code === RESTART_EXIT_CODE) return 'restarts';
  if (code !== 0) return 'crash';
  return hasClientLeft || (!wasEdited && ranMs >= LEAVES_AFTER_MS) ? 'leaves' : 'exit';
}
