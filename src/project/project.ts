/**
 * What all sessions of one directory and configuration share: the disk, builds, the configuration in force, and what
 * tells outputs from edits over the attempts of all lineages. Knows no client and no server: lineages attach, and say
 * when their clients have asked for something. What a change leads to is decided by each lineage.
 */
import type { ConfigInForce } from '../config/config-in-force.js';
import type { CallTimes } from '../server/call-times.js';
import type { EventEmitter } from '../events/bus.js';
import { openWatch } from '../watch/watch.js';
import { AttemptWindow, type LineageActivity } from './attempt-window.js';
import { Builds } from './builds.js';
import { Configuration } from './configuration.js';
import { Disk } from './disk.js';
import { mergeCallTimes } from './edits/merge-call-times.js';
import { OutputDetector } from './edits/output-detector.js';
import { ServerWrites } from './server-writes.js';

export interface ProjectContext {
  readonly configInForce: ConfigInForce;
  readonly events: EventEmitter;
  /** What Node is given to be a build helper, if one may finish a first build when the client has gone. */
  readonly helperCommand: readonly string[] | undefined;
}

export class Project {
  readonly config: Configuration;
  readonly disk: Disk;
  readonly builds: Builds;
  readonly #windows = new Set<AttemptWindow>();
  readonly #outputs = new OutputDetector();
  readonly #serverWrites: ServerWrites;
  /** Of lineages that have ended. */
  #callsBefore: CallTimes | undefined;
  #requestsBefore = 0;
  /** The version of the configuration whose files are watched. */
  #watchedVersion = 0;

  constructor(context: ProjectContext, watch: typeof openWatch = openWatch) {
    const { events } = context;
    const serverWrites = new ServerWrites(events, () => this.#callTimes());
    this.#serverWrites = serverWrites;
    this.config = new Configuration(context);
    this.disk = new Disk({
      events,
      openWatch: watch,
      afterCheck: {
        onOpened: (opened) => serverWrites.begin(opened),
        onChecked: (_, requestWaits) => {
          serverWrites.look(requestWaits);
          for (const window of this.#windows) window.acceptOutputs();
        },
        get isCheckDue() {
          return serverWrites.isCatchUpDue;
        },
      },
    });
    this.builds = new Builds(context, this.config, this.disk);
  }

  /**
   * Begins to watch the disk, if nobody has yet. `since`: when the first server was started that reads these files, in
   * milliseconds since 1970.
   */
  watch(since: number): void {
    this.#watchedVersion = this.config.version;
    this.disk.open(this.config.current, this.config.watchRules(), since);
  }

  /** The first lineage that goes by another configuration has its files watched. `since`: what it began with. */
  async watchAnew(version: number, since: number): Promise<void> {
    if (version === this.#watchedVersion || !this.disk.isOpen) return;
    this.#watchedVersion = version;
    await this.disk.reopen(this.config.current, this.config.watchRules(), since);
  }

  /** For a lineage that begins. */
  attach(activity: LineageActivity): AttemptWindow {
    return new AttemptWindow(
      {
        disk: this.disk,
        outputs: this.#outputs,
        serverWrites: this.#serverWrites,
        windows: this.#windows,
        requests: () => this.#requests(),
      },
      activity,
    );
  }

  /** The lineage has ended. With the last one, the disk is watched no more. */
  async detach(window: AttemptWindow): Promise<void> {
    const { activity } = window;
    const times = activity.callTimes();
    const ended = times.open ? { ...times, open: false, idleSince: performance.now() } : times;
    this.#callsBefore = mergeCallTimes([...(this.#callsBefore === undefined ? [] : [this.#callsBefore]), ended]);
    this.#requestsBefore += activity.requests();
    window.detach();
    if (this.#windows.size === 0) await this.disk.close();
  }

  #callTimes(): CallTimes {
    const times = [...this.#windows].map(({ activity }) => activity.callTimes());
    return mergeCallTimes(this.#callsBefore === undefined ? times : [this.#callsBefore, ...times]);
  }

  #requests(): number {
    return [...this.#windows].reduce((sum, { activity }) => sum + activity.requests(), this.#requestsBefore);
  }
}
