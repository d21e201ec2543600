/**
 * One run of a build that all lineages join which need it. It goes on as long as one of them does. What is built, and
 * how, is left to `builds.ts`.
 */
import type { LastBuild } from '../agent/status-report.js';
import type { Failure } from '../agent/words.js';

export type BuildStep =
  /** `skipped`: at least one build was left out because the disk says that it was done before. */
  | { readonly kind: 'built'; readonly skipped: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' };

/** What is built. */
export interface BuildSubject {
  readonly fingerprint: string;
  readonly build: string;
  /** Of the disk, when the fingerprint was taken: it grows with every save, of other files too. */
  readonly version: number;
}

/** Who asks for a build, and why. */
export interface BuildAsker {
  readonly rebuild: boolean;
  /** When the attempt began, by `performance.now()`. */
  readonly began: number;
  /** The attempt is there because of a save that its lineage has not tried yet, and for no other reason. */
  readonly isForChange: boolean;
}

/**
 * `isDisturbed`: files were saved while it ran, so what it has made may be of other files than the fingerprint says.
 */
export interface SharedOutcome {
  readonly step: BuildStep;
  readonly isDisturbed: boolean;
}

type OnBuilt = (build: LastBuild) => void;

export class SharedBuild {
  readonly #subject: BuildSubject;
  readonly #isRebuild: boolean;
  readonly #began = performance.now();
  readonly #abort = new AbortController();
  readonly #onBuilt = new Set<OnBuilt>();
  readonly #outcome: Promise<SharedOutcome>;
  #lastBuild: LastBuild | undefined;
  #participants = 0;
  #isUnusable = false;
  #hasFailed = false;
  #ended = Infinity;

  constructor(
    subject: BuildSubject,
    isRebuild: boolean,
    work: (signal: AbortSignal, onBuilt: OnBuilt) => Promise<SharedOutcome>,
  ) {
    this.#subject = subject;
    this.#isRebuild = isRebuild;
    this.#outcome = work(this.#abort.signal, (build) => {
      this.#lastBuild = build;
      for (const onBuilt of this.#onBuilt) onBuilt(build);
    }).then(
      (outcome) => {
        this.#hasFailed = outcome.step.kind === 'failed';
        this.#end(outcome.isDisturbed);
        return outcome;
      },
      (error: unknown) => {
        this.#end(true);
        throw error;
      },
    );
    this.#outcome.catch(() => {});
  }

  get isOver(): boolean {
    return this.#ended !== Infinity;
  }

  /** More than one lineage waits for it. */
  get isJoined(): boolean {
    return !this.isOver && this.#participants > 1;
  }

  /**
   * Whether its outcome is what the request asks for. An attempt that began while the build ran joins it, though it
   * may ask only after the end: of the same files nothing else can be built. A later attempt wants to try again, unless
   * it comes of a save that the build has failed with already: lineages notice one save at different times.
   */
  serves(subject: BuildSubject, { rebuild, began, isForChange }: BuildAsker): boolean {
    const { fingerprint, build, version } = this.#subject;
    if (subject.fingerprint !== fingerprint || subject.build !== build) return false;
    if (this.#isUnusable || this.#abort.signal.aborted) return false;
    if (this.#ended <= began) return this.#hasFailed && isForChange && !rebuild && subject.version === version;
    return !rebuild || (this.#isRebuild && this.#began >= began);
  }

  /** For the lineage that began it: what was saved meanwhile, its own attempt sees. */
  async lead(signal: AbortSignal, onBuilt: OnBuilt): Promise<BuildStep> {
    const { step } = await this.#take(signal, onBuilt);
    return step;
  }

  /** For all others. `unusable`: ask again. */
  async join(signal: AbortSignal, onBuilt: OnBuilt): Promise<BuildStep | 'unusable'> {
    if (this.#lastBuild !== undefined) onBuilt(this.#lastBuild);
    const { step, isDisturbed } = await this.#take(signal, onBuilt);
    if (signal.aborted) return { kind: 'aborted' };
    return isDisturbed || step.kind === 'aborted' ? 'unusable' : step;
  }

  /** Resolves when it is over, or with the signal. */
  async over(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#outcome.catch(() => {}), aborted(signal)]);
  }

  /** Whoever leaves while others stay does not wait for the end. The last one does: it ends the build. */
  async #take(signal: AbortSignal, onBuilt: OnBuilt): Promise<SharedOutcome> {
    this.#participants++;
    this.#onBuilt.add(onBuilt);
    let leave = (): void => {};
    const left = new Promise<SharedOutcome>((resolve) => {
      leave = () => {
        if (--this.#participants === 0) this.#abort.abort();
        else resolve({ step: { kind: 'aborted' }, isDisturbed: false });
      };
    });
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([this.#outcome, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      this.#onBuilt.delete(onBuilt);
    }
  }

  #end(isUnusable: boolean): void {
    this.#ended = performance.now();
    this.#isUnusable = isUnusable;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
