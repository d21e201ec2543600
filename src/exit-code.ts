/**
 * The exit code of a proxy's process, from the reason why its session ended. Used where a process or a caller asks for
 * one: by the cli and by the programmatic entry. Everything below knows reasons only.
 */
import { constants } from 'node:os';
import type { ShutdownReason } from './flow/shutdown.js';

const WRONG_USAGE = 1;
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

export function exitCodeOf(reason: ShutdownReason): number {
  switch (reason.by) {
    case 'client':
      return 0;
    case 'signal':
      return 128 + constants.signals[reason.signal];
    case 'server': {
      const { code, signal } = reason.exit;
      return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
    }
    case 'port-taken':
      return WRONG_USAGE;
    case 'not-started':
      return reason.error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE;
  }
}
