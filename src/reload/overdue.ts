/**
 * The client's own opening of the session must not stay unanswered until the client gives up. After a while it is answered in
 * place of the server, and a server that is still running is adopted when it comes round.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import type { Introduction } from '../pipeline/desk.js';
import { demote, openInPlace } from '../pipeline/handover.js';
import { keyOf } from '../session/ids.js';
import type { Id } from '../wire/scan.js';
import { reportOf } from './start-step.js';
import type { State } from './states.js';
import type { Stopping } from './stopping.js';

/** Clients give up on a server that does not open the session. */
const LIMIT = 25_000;
/** A patient --start-timeout is no reason to let a client wait, an impatient one is. */
const GRACE = 5000;

export interface Late {
  readonly introduction: Introduction;
  readonly failure: Failure;
}

/** Undefined if the server has answered, or something else is under way that will bring one. */
export async function overdue(
  { flow, traffic, roster, over }: Stopping,
  id: Id,
  state: () => State,
): Promise<Late | undefined> {
  const { startTimeout } = flow.config;
  const limit = startTimeout === 0 ? LIMIT : Math.min(LIMIT, startTimeout + GRACE);
  // As many wait here as the client has sent.
  setMaxListeners(0, over);
  const ended = await delay(limit, false, { signal: over, ref: false }).catch(() => true);
  const { desk } = traffic;
  const generation = roster.get(desk.serving);
  if (ended || desk.born) return undefined;
  const introduction = openInPlace(desk, keyOf(id));
  if (introduction === undefined || generation === undefined || state().at !== 'serving') return undefined;
  const how = `has not answered the handshake for ${Math.round(limit / 1000)} s, but is still running`;
  const failure: Failure = { kind: 'start', command: flow.name, how, output: reportOf(flow, generation) };
  demote(desk, failure);
  flow.log.error('failed', `start failed: ${flow.name} ${how}`, { ...failure });
  return { introduction, failure };
}
