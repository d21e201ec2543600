/**
 * What becomes of a message, as a value: of a client's and of a server's. verdict-on-client.ts and verdict-on-server.ts
 * decide it and change nothing; client-actions.ts and from-server.ts do it.
 */
import type { AgentTool } from '../agent/tools.js';
import type { Route } from '../channel/channel.js';
import type { ListenStream } from '../session/listen-streams.js';
import type { ServerRequest } from '../session/server-requests.js';
import type { ClientRequest } from '../wire/batch.js';
import type { Id } from '../wire/envelope.js';
import type { Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import type { Delivery } from './addressees.js';
import type { Arrival, PendingRequest, Session, Upstream } from './records.js';

/** Of a client's message. */
export type ClientVerdict =
  /** A server gets it, and owes the answer. */
  | { readonly do: 'ask'; readonly to: Upstream; readonly request: ClientRequest }
  | {
      readonly do: 'ask-batch';
      readonly to: Upstream;
      readonly inside: readonly Message[];
      readonly requests: readonly ClientRequest[];
    }
  /** A stream is opened, with the server if there is one. */
  | { readonly do: 'listen'; readonly request: ClientRequest }
  /** Servers are told, and owe nothing. */
  | { readonly do: 'tell'; readonly to: readonly Upstream[]; readonly method: string }
  /** The client gets this answer. */
  | { readonly do: 'answer'; readonly answer: Message; readonly route: Route }
  /** No server can answer, or is to. */
  | { readonly do: 'answer-in-place'; readonly request: ClientRequest }
  | { readonly do: 'answer-batch-in-place'; readonly requests: readonly ClientRequest[] }
  /** The client was promised a list that the server does not have. */
  | { readonly do: 'answer-empty'; readonly request: ClientRequest }
  /** The server has the setting for another client, and keeps it for that one. */
  | { readonly do: 'set-beside-others'; readonly request: ClientRequest }
  /** The server has introduced itself to another client. */
  | { readonly do: 'introduce'; readonly by: Upstream; readonly as: Message; readonly request: ClientRequest }
  | { readonly do: 'await-introduction' }
  /** It waits for the end of a reload, or for its turn under `--concurrency`. */
  | { readonly do: 'hold' }
  | { readonly do: 'queue' }
  /** A tool call meets a failure: it waits for one more attempt if there is one, else this becomes of it (P7). */
  | { readonly do: 'repeat-attempt'; readonly otherwise: ClientVerdict }
  | { readonly do: 'call-agent'; readonly tool: AgentTool; readonly id: Id }
  /** It may mean a tool of the server: the names of those have to be known first. */
  | { readonly do: 'learn-names'; readonly from: Upstream; readonly id: Id }
  /** The answer to a server's question. */
  | { readonly do: 'respond'; readonly question: ServerRequest<Upstream>; readonly response: Message }
  | { readonly do: 'tell-progress'; readonly to: Upstream; readonly progress: Message; readonly route: Route }
  | { readonly do: 'take-back'; readonly request: TakenBack }
  /** A line that is no message: it is passed on, or answered. */
  | { readonly do: 'take-malformed'; readonly to: Upstream | undefined; readonly answer: Message | undefined }
  /** Of a batch some messages are looked into one by one, and the rest goes on as one. */
  | { readonly do: 'several'; readonly single: readonly Message[]; readonly rest: Message | undefined }
  | { readonly do: 'drop' };

/** A request that the client does not want answered any more, and where it is. */
export type TakenBack =
  | { readonly at: 'hold' | 'queue' | 'openings'; readonly arrival: Arrival }
  | { readonly at: 'agent'; readonly call: AbortController }
  | { readonly at: 'stream'; readonly stream: ListenStream }
  | { readonly at: 'server'; readonly upstream: Upstream; readonly pending: PendingRequest };

/** The same for both. */
export const DROP = { do: 'drop' } as const;

/** Of a server's message. */
export type ServerVerdict =
  /** Clients get it, as it is or with their own names in it. */
  | { readonly do: 'deliver'; readonly deliveries: readonly Delivery[] }
  /** A request makes progress. `isNews`: its client has not seen as much already. */
  | { readonly do: 'progress'; readonly delivery: Delivery; readonly isNews: boolean }
  /** It answers a client's request. */
  | { readonly do: 'answer'; readonly pending: PendingRequest; readonly isError: boolean }
  /** It answers a request of the proxy's own. */
  | { readonly do: 'answer-proxy'; readonly id: Id; readonly isError: boolean }
  /** It answers a request whose client has left, or nothing that was asked. */
  | { readonly do: 'forget-call'; readonly key: Key }
  /** A client is asked something. */
  | { readonly do: 'ask'; readonly session: Session; readonly id: Id; readonly method: string }
  /** Nobody can be asked: the server is answered. `of`: in whose session it has asked, if it says so. */
  | {
      readonly do: 'refuse';
      readonly id: Id;
      readonly of: Session | undefined;
      readonly answer: Message;
      readonly warning: string | undefined;
    }
  /** A stream has ended, and its client hears of it. */
  | { readonly do: 'end-stream'; readonly stream: ListenStream; readonly end: Delivery }
  /** It is known in a moment whether the stream has ended. */
  | { readonly do: 'keep-back-end'; readonly stream: ListenStream; readonly end: Delivery }
  /** The server has opened a stream. */
  | { readonly do: 'acknowledge' }
  /** A candidate says that a list has changed: true once it serves. */
  | { readonly do: 'suppress'; readonly method: string }
  /** It is for nobody, and people should know that there are such. */
  | { readonly do: 'warn'; readonly text: string }
  | { readonly do: 'drop' };
