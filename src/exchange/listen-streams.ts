/**
 * The modern era's `subscriptions/listen` streams across generations: opened anew with each, acknowledged to the client
 * once, and told of what a reload has changed. Which messages belong to a stream is decided here, who serves elsewhere.
 */
import { LISTS, type ListName } from '../lists/lists.js';
import { keyOfValue, type Key } from '../session/ids.js';
import type { Listen } from '../session/listens.js';
import { answerTo } from '../channel/channel.js';
import { Message } from '../wire/message.js';
import { type Desk } from './desk.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** The member of a filter that asks for changes of a capability's lists. */
const filterOf = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

/** Opens every stream with this generation, if that has not been done. */
export function reopenStreams(desk: Desk, generation: number): void {
  for (const listen of desk.listens) {
    if (listen.told.has(generation)) continue;
    listen.told.set(generation, false);
    desk.settled.add(generation);
    desk.ports.server(generation, listen.request);
  }
}

/**
 * Whether what a generation says under this id ends a stream for the client too. Only the serving one can say so, and
 * not by refusing what another has acknowledged: the proxy goes on telling of lists then. Servers say it when they go,
 * too: so the end of an open stream is kept back until it is known that this one stays.
 */
export function endOfStream(desk: Desk, generation: number, key: Key | undefined, message: Message): boolean {
  const listen = desk.listens.find(key);
  if (listen === undefined || generation !== desk.serving) return false;
  const fed = listen.told.get(generation);
  if (fed === undefined || (listen.acknowledged && !fed)) return false;
  if (listen.acknowledged) {
    listen.ending = message;
    desk.ending = generation;
    return false;
  }
  desk.listens.end(listen);
  return true;
}

/** The generation stays, or none comes after it: what it said of its streams is true. */
export function endStreams(desk: Desk, generation: number): void {
  if (desk.ending !== generation) return;
  desk.ending = undefined;
  for (const listen of desk.listens) {
    if (listen.ending === undefined) continue;
    desk.listens.end(listen);
    desk.ports.client(listen.ending, answerTo(listen.id));
  }
}

/** The generation goes: what it said of its streams is of no account. */
export function keepStreams(desk: Desk, generation: number | undefined): void {
  if (generation === undefined || desk.ending !== generation) return;
  desk.ending = undefined;
  for (const listen of desk.listens) listen.ending = undefined;
}

/**
 * The client hears of the first acknowledgement, and of all that it asked for: what the server can't tell, the proxy
 * does.
 */
export function acknowledged(desk: Desk, generation: number, acknowledgement: Message): void {
  const listen = desk.listens.find(keyOfValue(acknowledgement.read(['params', '_meta', SUBSCRIPTION])));
  if (listen === undefined || !listen.told.has(generation)) return;
  listen.told.set(generation, true);
  if (listen.acknowledged) return;
  let promised = acknowledgement;
  for (const member of desk.options.promise ? Object.values(filterOf) : []) {
    const at = ['params', 'notifications', member];
    if (listen.filter[member] === true && promised.read(at) !== true) promised = promised.with(at, 'true') ?? promised;
  }
  tellOpen(desk, listen, promised);
}

function tellOpen(desk: Desk, listen: Listen, acknowledgement: Message): void {
  listen.acknowledged = true;
  const route = { kind: 'about', request: listen.id } as const;
  desk.ports.client(acknowledgement, route);
  for (const due of listen.due) desk.ports.client(Message.fromJson(due), route);
  listen.due.clear();
}

/** There is no server to acknowledge them: they are open all the same, the next one will feed them. */
export function acknowledgeStreams(desk: Desk): void {
  for (const listen of desk.listens) {
    if (listen.acknowledged) continue;
    const params = { notifications: listen.filter };
    tellOpen(desk, listen, Message.fromJson(stamped(listen, 'notifications/subscriptions/acknowledged', params)));
  }
}

/** Tells every stream that asked for it of changed lists, and of the resources that the new code may give otherwise. */
export function tellStreams(desk: Desk, lists: readonly ListName[]): readonly ListName[] {
  const told = new Set<ListName>();
  for (const listen of desk.listens) {
    const tell = (json: string): void => {
      if (listen.acknowledged) desk.ports.client(Message.fromJson(json), { kind: 'about', request: listen.id });
      else listen.due.add(json);
    };
    const wanted = LISTS.filter(
      (list) => lists.includes(list.name) && listen.filter[filterOf[list.capability]] === true,
    );
    for (const method of new Set(wanted.map((list) => list.notification))) tell(stamped(listen, method, {}));
    for (const list of wanted) told.add(list.name);
    const uris = listen.filter['resourceSubscriptions'];
    for (const uri of Array.isArray(uris) ? uris : []) {
      tell(stamped(listen, 'notifications/resources/updated', { uri: String(uri) }));
    }
  }
  return [...told];
}

/** The id is repeated as the client spelt it. */
function stamped(listen: Listen, method: string, params: object): string {
  const members = JSON.stringify(params).slice(1, -1);
  const rest = members === '' ? '' : `${members},`;
  return `{"jsonrpc":"2.0","method":"${method}","params":{${rest}"_meta":{"${SUBSCRIPTION}":${listen.id}}}}`;
}
