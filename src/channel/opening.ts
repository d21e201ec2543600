/**
 * What a client has agreed with servers of the legacy era, as far as a session has to be opened with it once more.
 * Types only; who keeps it is for others.
 */

export interface Opening {
  /** The params of the client's `initialize`, as JSON. */
  readonly initialize: string;
  /** The client has said that the session stands. */
  readonly isInitialized: boolean;
  /** Requests whose effects are in force. `params` is JSON. */
  readonly settings: readonly { readonly method: string; readonly params: string }[];
}
