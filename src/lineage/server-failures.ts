/**
 * Makes failure records of server processes: how the process ended, and what it had printed. Output that is too long
 * for a record is saved first, so that the file exists before anybody is told its name. `agent/` makes sentences of
 * them.
 */
import { join } from 'node:path';
import { withLastLine, type Printed } from '../agent/excerpt.js';
import type { MalformedLine, ProcessEnd, ServerFailure } from '../agent/failure.js';
import type { FlowContext } from '../flow/flow.js';
import type { Upstream } from '../exchange/records.js';
import { writeAtomicallySync } from '../state/state-file.js';

/** Saves the output of the server if it is longer than an excerpt. Returns the excerpt. */
export function saveOutput({ config }: FlowContext, { process: { output }, unfinishedText }: Upstream): Printed {
  const file = join(config.stateDir, 'server-output.log');
  const isSaved = output.isLong && writeAtomicallySync(file, output.bytes()).ok;
  return withLastLine(output.excerpt(isSaved ? file : undefined), unfinishedText());
}

/** How the process ended. */
export function endOf({ process: { exit, fault } }: Upstream): ProcessEnd {
  if (fault !== undefined) return { kind: 'killed', because: fault };
  if (exit === undefined) return { kind: 'unknown' };
  return exit.signal === null ? { kind: 'exit', code: exit.code } : { kind: 'signal', signal: exit.signal };
}

/** The failure of a server that exited by itself. `after`: a malformed line of the client that may have caused it. */
export function endedFailure(
  kind: 'start' | 'crash' | 'exit',
  command: string,
  upstream: Upstream,
  output: Printed,
  after?: MalformedLine,
): ServerFailure {
  const cause = { kind: 'ended' as const, end: endOf(upstream), ...(after === undefined ? {} : { after }) };
  return { kind, command, cause, output };
}

/** The failure of a server that somebody else starts, and that does not answer the handshake. */
export function notThere({ name }: FlowContext, upstream: Upstream, ms: number): ServerFailure {
  const cause = { kind: 'not-there', ms, last: upstream.lastProblem() } as const;
  return { kind: 'away', command: name, cause, output: '' };
}
