/**
 * What a server command said of itself when it last ran, kept in the state directory: so that a client can be given a session
 * with it even if it does not start today. Kept as well as can be: nothing depends on it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlowContext } from '../flow/flow.js';
import { writeWhole } from '../log/state-file.js';
import type { Desk } from '../pipeline/desk.js';
import { membersOf } from '../session/session.js';
import { readAt } from '../wire/edit.js';

const NAME = 'introductions.json';

/** Fills in what is known from earlier. */
export async function recall(flow: FlowContext, desk: Desk): Promise<void> {
  try {
    const all = membersOf(JSON.parse(await readFile(join(flow.config.stateDir, NAME), 'utf8')));
    for (const method of ['initialize', 'server/discover'] as const) {
      if (all[method] !== undefined) desk.remembered[method] ??= membersOf(all[method]);
    }
  } catch {
    // There is no memory yet, or none that can be read: a guess will do.
  }
}

export async function remember(
  flow: FlowContext,
  desk: Desk,
  method: 'initialize' | 'server/discover',
  line: Buffer,
): Promise<void> {
  const said = membersOf(readAt(line, ['result']));
  if (JSON.stringify(desk.remembered[method]) === JSON.stringify(said)) return;
  desk.remembered[method] = said;
  const written = await writeWhole(join(flow.config.stateDir, NAME), `${JSON.stringify(desk.remembered)}\n`);
  if (!written.ok) desk.ports.warnOnce(written.problem);
}
