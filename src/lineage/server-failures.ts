/**
 * Makes records of what went wrong with a server's process: how it ended, and what it had printed. Saving what is too
 * long for a record is a step of its own, so that the file is there when somebody is told of it. The sentences are
 * agent/'s.
 */
import { join } from 'node:path';
import { withLastLine, type Printed } from '../agent/excerpt.js';
import type { MalformedLine, ProcessEnd, ServerFailure } from '../agent/failure.js';
import type { FlowContext } from '../flow/flow.js';
import type { Upstream } from '../exchange/records.js';
import { writeAtomicallySync } from '../state/state-file.js';

/** Saves what the server printed, if an excerpt can't show all of it. Returns what a record has of it. */
export function saveOutput({ config }: FlowContext, { process: { output }, unfinishedText }: Upstream): Printed {
  const file = join(config.stateDir, 'server-output.log');
  const isSaved = output.isLong && writeAtomicallySync(file, output.bytes()).ok;
  return withLastLine(output.excerpt(isSaved ? file : undefined), unfinishedText());
}

/** How its process came to its end. */
export function endOf({ process: { exit, fault } }: Upstream): ProcessEnd {
  if (fault !== undefined) return { kind: 'killed', because: fault };
  if (exit === undefined) return { kind: 'unknown' };
  return exit.signal === null ? { kind: 'exit', code: exit.code } : { kind: 'signal', signal: exit.signal };
}

/** It ended by itself: before it could serve, or later. `after`: a line that it may have died of. */
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
