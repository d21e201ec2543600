/** What makes one lineage differ from another of the same project: for how many clients it is, and how it ends. */
import { StartSlots } from './start-slots.js';

export interface LineageOptions {
  /** Its servers go on when the last client has left: others will come. Else the lineage ends with its client. */
  outlivesClients(): boolean;
  /** A server that has exited is not followed by another: the lineage ends with it. */
  readonly endsWithServer: boolean;
  /**
   * After how many milliseconds people are told of a call that the server says nothing about; half a minute if unset.
   */
  readonly silentAfterMs?: number;
  /** Of all lineages of the project. */
  readonly starts: StartSlots;
}

/** The only one of its project. */
export function ofOneClient(): LineageOptions {
  return { outlivesClients: () => false, endsWithServer: false, starts: new StartSlots(1) };
}
