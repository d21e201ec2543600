/**
 * The modern era's `subscriptions/listen` streams across generations: opened anew with each, acknowledged to the client
 * once, and told of what a reload has changed. Which messages belong to a stream is decided here, who serves elsewhere.
 */
import { LISTS, type ListName } from '../lists/lists.js';
import { keyOfValue } from '../wire/ids.js';
import type { ListenStream } from '../session/listen-streams.js';
import { answerTo } from '../channel/channel.js';
import { Message } from '../wire/message.js';
import { streamNamed, SUBSCRIPTION } from './addressees.js';
import type { LineageRecord, Session, Upstream } from './records.js';
import { nameRequest } from './wire-names.js';

/** The members of a filter that ask for changed lists. */
const LIST_FILTERS: ReadonlySet<string> = new Set(LISTS.map((list) => list.streamFilter));

/** Opens every stream of the client with this generation, if that has not been done. */
export function reopenStreams(session: Session, upstream: Upstream): void {
  for (const stream of session.streams) {
    if (upstream.streams.has(stream)) continue;
    const { wireId, message } = nameRequest(session, upstream, { id: stream.id, message: stream.request });
    upstream.streams.set(stream, { isFed: false, wireId });
    upstream.eraPinned = true;
    upstream.send(message, session);
  }
}

/** What becomes of a stream of which a server has said that it ends. */
export type StreamEnd =
  /** It goes on: another generation has acknowledged it, or the proxy tells of changed lists itself. */
  | 'open'
  /** It has ended. */
  | 'ended'
  /** Servers end their streams when they go, too: it is known in a moment whether this one stays. */
  | 'undecided';

/**
 * Decides whether a server's end of a listen stream reaches the client. Only the serving generation can end a stream.
 * An error from a generation that never acknowledged it does not: the proxy keeps the stream open and sends list
 * changes itself.
 */
export function endOfStream({ lineage }: Session, stream: ListenStream, upstream: Upstream): StreamEnd {
  const at = upstream.streams.get(stream);
  if (upstream !== lineage.serving || at === undefined) return 'open';
  if (!stream.isAcknowledged) return 'ended';
  return at.isFed ? 'undecided' : 'open';
}

/** The server's last words on the stream are kept back until it says something else or a second has passed. */
export function keepBackEnd(stream: ListenStream, upstream: Upstream, message: Message): void {
  stream.ending = message;
  upstream.isClosingStreams = true;
}

/** The generation stays, or none comes after it: what it said of its streams is true. */
export function endStreams(lineage: LineageRecord, upstream: Upstream): void {
  if (!upstream.isClosingStreams) return;
  upstream.isClosingStreams = false;
  for (const session of lineage.sessions) {
    for (const stream of session.streams) {
      if (stream.ending === undefined) continue;
      session.streams.end(stream);
      session.client.send(stream.ending, answerTo(stream.id));
    }
  }
}

/** The generation goes: what it said of its streams is of no account. */
export function keepStreams(lineage: LineageRecord, upstream: Upstream | undefined): void {
  if (upstream?.isClosingStreams !== true) return;
  upstream.isClosingStreams = false;
  for (const session of lineage.sessions) for (const stream of session.streams) stream.ending = undefined;
}

/**
 * The client hears of the first acknowledgement, and of all that it asked for: what the server can't tell, the proxy
 * does.
 */
export function acknowledge(lineage: LineageRecord, upstream: Upstream, acknowledgement: Message): void {
  const key = keyOfValue(acknowledgement.read(['params', '_meta', SUBSCRIPTION]));
  const named = key === undefined ? undefined : streamNamed(lineage, upstream, key);
  if (key === undefined || named === undefined) return;
  const { session, stream } = named;
  const streamThere = upstream.streams.get(stream);
  if (streamThere === undefined) return;
  streamThere.isFed = true;
  if (stream.isAcknowledged) return;
  let promised = acknowledgement;
  if (key !== stream.key) promised = promised.with(['params', '_meta', SUBSCRIPTION], stream.id) ?? promised;
  for (const member of session.lineage.options.promise ? LIST_FILTERS : []) {
    const at = ['params', 'notifications', member];
    if (stream.filter[member] === true && promised.read(at) !== true) promised = promised.with(at, 'true') ?? promised;
  }
  sendAcknowledgement(session, stream, promised);
}

function sendAcknowledgement(session: Session, stream: ListenStream, acknowledgement: Message): void {
  stream.isAcknowledged = true;
  const route = { kind: 'about', request: stream.id } as const;
  session.client.send(acknowledgement, route);
  for (const queued of stream.queued) session.client.send(Message.fromJson(queued), route);
  stream.queued.clear();
}

/** There is no server to acknowledge them: they are open all the same, the next one will feed them. */
export function acknowledgeStreams(session: Session): void {
  for (const stream of session.streams) {
    if (stream.isAcknowledged) continue;
    const params = { notifications: stream.filter };
    const acknowledgement = Message.fromJson(stamped(stream, 'notifications/subscriptions/acknowledged', params));
    sendAcknowledgement(session, stream, acknowledgement);
  }
}

/** Tells every stream that asked for it of changed lists, and of the resources that the new code may give otherwise. */
export function tellStreams(session: Session, lists: readonly ListName[]): readonly ListName[] {
  const announced = new Set<ListName>();
  for (const stream of session.streams) {
    const tell = (json: string): void => {
      if (stream.isAcknowledged) session.client.send(Message.fromJson(json), { kind: 'about', request: stream.id });
      else stream.queued.add(json);
    };
    const wanted = LISTS.filter((list) => lists.includes(list.name) && stream.filter[list.streamFilter] === true);
    for (const method of new Set(wanted.map((list) => list.notification))) tell(stamped(stream, method, {}));
    for (const list of wanted) announced.add(list.name);
    const uris = stream.filter['resourceSubscriptions'];
    for (const uri of Array.isArray(uris) ? uris : []) {
      tell(stamped(stream, 'notifications/resources/updated', { uri: String(uri) }));
    }
  }
  return [...announced];
}

/** The id is repeated as the client spelt it. */
function stamped(stream: ListenStream, method: string, params: object): string {
  const members = JSON.stringify(params).slice(1, -1);
  const rest = members === '' ? '' : `${members},`;
  return `{"jsonrpc":"2.0","method":"${method}","params":{${rest}"_meta":{"${SUBSCRIPTION}":${stream.id}}}}`;
}
