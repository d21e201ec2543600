// A copy of the sources that runs in their place, because a Python package was installed without -e. The type only:
// discovery finds it, and those who speak to people and agents tell of it.

export interface InstalledCopy {
  /** The file that runs; absolute. Once it is gone, so is the problem. */
  readonly copy: string;
  /** Where the sources are, as it is shown. */
  readonly sources: string;
  /** What to run instead of the installation that made the copy. */
  readonly install: string;
  /** The virtual environment to run it in. */
  readonly environment: string;
}
