/**
 * What a client gets of a server's answer to `initialize` or `server/discover`: the answer with tools declared and
 * changed lists promised, which is what the client goes by from then on.
 */
import type { Message } from '../wire/message.js';
import { withToolsCapability } from './agent-calls.js';
import type { OpeningMethod } from './methods.js';
import { cachedUntilReload, promiseListChanges } from './patch.js';
import { noteOpened, type Session, type Upstream } from './records.js';

/** Records what the client is told, and returns it. */
export function takeOpening(
  session: Session,
  upstream: Upstream,
  method: OpeningMethod,
  request: Message,
  said: Message,
): Message {
  const declared = withToolsCapability(session, upstream, request, said);
  session.agreement.recordResponse(method, request, declared);
  noteOpened(session);
  const fresh = method === 'server/discover' ? cachedUntilReload(session.lineage, declared) : declared;
  return session.lineage.options.promise ? promiseListChanges(fresh, ['result', 'capabilities']) : fresh;
}
