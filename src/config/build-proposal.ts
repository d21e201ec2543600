// A program whose sources were not found with certainty, and the options that would say them. The type only: discovery
// finds it, and those who speak to people and agents tell of it.

export interface BuildProposal {
  /** As it is shown. */
  readonly program: string;
  /** Both options, as one types them. */
  readonly options: string;
  /** Why that is not done without being asked. */
  readonly doubt: string;
}
