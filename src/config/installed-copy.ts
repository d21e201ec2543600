// A copy of the sources that runs in their place, because a Python package was installed without -e. A type of its own:
// discovery finds it; log and agent/ report it.

export interface InstalledCopy {
  /** The file that runs; absolute. Once it is deleted, the problem is solved. */
  readonly copy: string;
  /** The path of the sources, as it is shown. */
  readonly sources: string;
  /** The command to run instead of the installation that made the copy. */
  readonly install: string;
  /** The virtual environment in which to run it. */
  readonly environment: string;
}
