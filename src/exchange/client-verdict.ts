/**
 * What becomes of a client's message, as a value. verdict-on-client.ts and forward.ts decide it and change nothing;
 * client-actions.ts does it. Types only.
 */
import type { AgentTool } from '../agent/tools.js';
import type { Route } from '../channel/channel.js';
import type { ServerRequest } from '../session/server-requests.js';
import type { ListenStream } from '../session/listen-streams.js';
import type { Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';
import type { ClientRequest } from '../wire/batch.js';
import type { Held, PendingRequest, Upstream } from './records.js';

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
  | { readonly at: 'hold' | 'queue' | 'openings'; readonly held: Held }
  | { readonly at: 'agent'; readonly call: AbortController }
  | { readonly at: 'stream'; readonly stream: ListenStream }
  | { readonly at: 'server'; readonly upstream: Upstream; readonly pending: PendingRequest };

export const DROP: ClientVerdict = { do: 'drop' };
