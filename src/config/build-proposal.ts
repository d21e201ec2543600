// A program whose sources were not found with certainty, and the options that would name them. A type of its own:
// discovery finds it; log, `explain` and agent/ report it.

export interface BuildProposal {
  /** Its path as it is shown. */
  readonly program: string;
  /** Both options, as they are typed. */
  readonly options: string;
  /** Why discovery does not apply the options by itself. */
  readonly doubt: string;
}
