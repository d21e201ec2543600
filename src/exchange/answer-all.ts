/** The answer of the proxy to a message that asks for one or several: a request, or a batch with requests in it. */
import { answerTo, SESSION, type Route } from '../channel/channel.js';
import type { Message } from '../wire/message.js';
import { joinBatch, requestsIn, type ClientRequest } from '../wire/batch.js';
import type { Arrival } from './records.js';

/** Answers a request, or each request of a batch, in the same way. False if nothing asks for an answer. */
export function answerAll({ session, message }: Arrival, make: (request: ClientRequest) => Message): boolean {
  const { envelope } = message;
  if (envelope.kind === 'request') {
    session.client.send(make({ id: envelope.id, method: envelope.method, message }), answerTo(envelope.id));
    return true;
  }
  const requests = envelope.kind === 'batch' ? requestsIn(message) : [];
  if (requests.length > 0) session.client.send(joinBatch(requests.map(make)), answerToBatch(requests));
  return requests.length > 0;
}

/** The answers to a batch go where that to its first request would go. */
export function answerToBatch([first]: readonly ClientRequest[]): Route {
  return first === undefined ? SESSION : answerTo(first.id);
}
