/**
 * What becomes of a server's message, as a value. from-server.ts decides it and changes nothing; server-actions.ts does
 * it. Types only.
 */
import type { ListenStream } from '../session/listen-streams.js';
import type { Id } from '../wire/envelope.js';
import type { Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import type { Delivery } from './addressees.js';
import type { PendingRequest, Session } from './records.js';

export type ServerVerdict =
  /** Clients get it, as it is or with their own names in it. */
  | { readonly do: 'deliver'; readonly deliveries: readonly Delivery[] }
  /** It answers a client's request. */
  | { readonly do: 'answer'; readonly pending: PendingRequest; readonly isError: boolean }
  /** It answers a request of the proxy's own. */
  | { readonly do: 'answer-proxy'; readonly id: Id; readonly isError: boolean }
  /** It answers a request whose client has left, or nothing that was asked. */
  | { readonly do: 'settle'; readonly key: Key }
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
