/**
 * Tells outputs, which the build or the server writes, from sources, which somebody edits, over the attempts of all
 * lineages of a project. P6 (settles): an output must not cause endless reloads. P4 (fresh): no edit may be missed.
 *
 * A reload that sees a file change is made again. A person edits during the pauses between such attempts too; a build
 * does not. So a file that has changed in ATTEMPTS_UNTIL_OUTPUT attempts of a chain, and in no pause between them, is
 * an output. A file that changes in attempts and pauses alike is `unstable` after a while: attempts end without it.
 *
 * What a change of a file leads to, by when it came and by what is known of the file:
 *
 * | changed …                                 | output | unstable    | suspect    | source     | proves an edit |
 * |-------------------------------------------|--------|-------------|------------|------------|----------------|
 * | `attempt`: while an attempt runs          | go on  | go on       | go on      | start over | no             |
 * | `end`: seen at the attempt's end          | go on  | count later | start over | start over | no             |
 * | `pause`: between two attempts             | start over (all four)                          | yes            |
 * | `shared pause`: another lineage attempts  | go on (all four): the attempt is made again    | no             |
 * | `rest`: no attempt of this lineage        | reload (all four)                              | after a second |
 * | `other attempt`: at rest, another's runs  | accept | reload      | reload     | reload     | no             |
 *
 * `suspect`: it has changed in an earlier attempt of the chain. What proves an edit makes the file a source again, for
 * all lineages. A pause during which another lineage attempts proves nothing, and is made again. With one lineage the
 * rows `shared pause` and `other attempt` do not occur.
 *
 * Pure. Which files have changed is asked of the disk by `project.ts` and `lineage/snapshots.ts`; pausing and logging
 * are left to `lineage/snapshots.ts`.
 */

export type Occasion = 'attempt' | 'end' | 'pause' | 'shared pause' | 'rest' | 'other attempt';
export type Standing = 'output' | 'unstable' | 'suspect' | 'source';
export type Consequence = 'go on' | 'start over' | 'count later' | 'reload' | 'accept';

const ALL_START_OVER = consequences('start over', 'start over', 'start over', 'start over');
const ALL_GO_ON = consequences('go on', 'go on', 'go on', 'go on');
const ALL_RELOAD = consequences('reload', 'reload', 'reload', 'reload');

/** The table above. */
const CONSEQUENCES: Readonly<Record<Occasion, Readonly<Record<Standing, Consequence>>>> = {
  attempt: consequences('go on', 'go on', 'go on', 'start over'),
  end: consequences('go on', 'count later', 'start over', 'start over'),
  pause: ALL_START_OVER,
  'shared pause': ALL_GO_ON,
  rest: ALL_RELOAD,
  'other attempt': consequences('accept', 'reload', 'reload', 'reload'),
};

function consequences(
  output: Consequence,
  unstable: Consequence,
  suspect: Consequence,
  source: Consequence,
): Readonly<Record<Standing, Consequence>> {
  return { output, unstable, suspect, source };
}

export function consequenceOf(occasion: Occasion, standing: Standing): Consequence {
  return CONSEQUENCES[occasion][standing];
}

/** So many attempts of a chain must see a file change. Two would not tell a build from an agent that edits fast. */
export const ATTEMPTS_UNTIL_OUTPUT = 4;
/** Pauses before the next attempt, by how often a file has changed so far. */
const PAUSES_MS = [0, 0, 300, 1000];
const LONGEST_PAUSE_MS = 5000;
/** So soon after an attempt a change may still be its doing. */
const AFTERMATH_MS = 1000;
/**
 * A chain of so many undecided attempts that takes so long comes to no end by itself. Where each attempt takes long,
 * ATTEMPTS_UNTIL_OUTPUT of them are enough.
 */
const MAX_UNDECIDED_ATTEMPTS = 8;
const LONGEST_CHAIN_MS = 10_000;
/** Calls wait for the end of the chain, and are refused after --hold. */
const LONGEST_SLOW_CHAIN_MS = 20_000;

export interface EndOfAttempt {
  /** `unstable`: it stands, though what changed meanwhile may be an edit. `undecided`: it has to be made again. */
  readonly verdict: 'stands' | 'unstable' | 'undecided';
  /** Files that are outputs from now on. */
  readonly newOutputs: readonly string[];
  /** Files that no attempt of the chain could keep up with. */
  readonly newUnstable: readonly string[];
  /** How long to pause before the next attempt. */
  readonly pauseMs: number;
}

/** What all lineages of a project know together. */
interface Shared {
  readonly outputs: Set<string>;
  readonly histories: Set<AttemptHistory>;
  lastEnd: number;
}

/** Of a project. */
export class OutputDetector {
  readonly #shared: Shared = { outputs: new Set(), histories: new Set(), lastEnd: 0 };

  /** For a lineage that begins. */
  attach(): AttemptHistory {
    const history = new AttemptHistory(this.#shared);
    this.#shared.histories.add(history);
    return history;
  }

  /** The lineage has ended. */
  detach(history: AttemptHistory): void {
    this.#shared.histories.delete(history);
  }

  get hasOutputs(): boolean {
    return this.#shared.outputs.size > 0;
  }

  /** Those of the files, which have changed during an attempt, that are no change for the lineages at rest. */
  acceptable(files: readonly string[]): readonly string[] {
    const standingOf = (file: string): Standing => (this.#shared.outputs.has(file) ? 'output' : 'source');
    return files.filter((file) => consequenceOf('other attempt', standingOf(file)) === 'accept');
  }
}

/** The attempts of one lineage. Times are of one clock, in milliseconds. */
export class AttemptHistory {
  readonly #shared: Shared;
  /** In how many attempts of the chain each file has changed. Not every attempt runs every build. */
  readonly #attemptsByFile = new Map<string, number>();
  readonly #unstable = new Set<string>();
  /** The files whose change in the present attempt is counted already. */
  readonly #counted = new Set<string>();
  #chain: { readonly began: number; attempts: number } | undefined;
  #began = 0;
  #isOpen = false;
  #pause: 'none' | 'alone' | 'shared' = 'none';
  /** No other lineage attempted in the pause before the present attempt. */
  #pausedAlone = true;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** An attempt is under way. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** When the last attempt began. */
  get began(): number {
    return this.#began;
  }

  get isPaused(): boolean {
    return this.#pause !== 'none';
  }

  /** Another lineage's attempt is under way. */
  get isAnotherOpen(): boolean {
    return [...this.#shared.histories].some((other) => other !== this && other.#isOpen);
  }

  standingOf(file: string): Standing {
    if (this.#shared.outputs.has(file)) return 'output';
    if (this.#unstable.has(file)) return 'unstable';
    return this.#attemptsByFile.has(file) ? 'suspect' : 'source';
  }

  begin(now: number): void {
    this.#began = now;
    this.#isOpen = true;
    this.#counted.clear();
    for (const other of this.#shared.histories) if (other !== this && other.isPaused) other.#pause = 'shared';
  }

  /** The attempt was given up, or it ended before anything was known of the disk. */
  close(): void {
    this.#isOpen = false;
  }

  /**
   * Whether the attempt under way, or the pause after it, has to give way to a new attempt now. `resaved`: files were
   * saved that are what they were, and the attempt may have read something else.
   */
  isSuperseded(changed: readonly string[], resaved: boolean): boolean {
    if (this.isPaused) return this.#leadsTo('start over', this.#pause === 'alone' ? 'pause' : 'shared pause', changed);
    return resaved || this.#leadsTo('start over', 'attempt', changed);
  }

  /**
   * The present attempt, or the pause after it, is superseded by these changes. It may be told so again and again
   * before it ends, as while a server drains. Returns files that are outputs from now on.
   */
  recordSuperseded(changed: readonly string[]): readonly string[] {
    if (this.isPaused) {
      this.#recordEditsInPause(changed);
      return [];
    }
    if (!this.#leadsTo('start over', 'attempt', changed)) return [];
    const newOutputs = this.#count(changed.filter((file) => !this.#counted.has(file)));
    for (const file of changed) this.#counted.add(file);
    return newOutputs;
  }

  /** The attempt ends. The files have changed since it began; `resaved` as above. */
  end(changed: readonly string[], resaved: boolean, now: number): EndOfAttempt {
    this.#isOpen = false;
    this.#shared.lastEnd = now;
    const newOutputs = this.#count(changed);
    let newUnstable: readonly string[] = [];
    let isUndecided = resaved;
    if (!resaved && this.#leadsTo('start over', 'end', changed)) {
      isUndecided = !this.#chainIsTooLong(now);
      if (!isUndecided) newUnstable = this.#markUnstable(changed);
    }
    if (isUndecided) return { verdict: 'undecided', newOutputs, newUnstable, pauseMs: this.#pauseMs(now) };
    this.#chain = undefined;
    const verdict = this.#leadsTo('count later', 'end', changed) ? 'unstable' : 'stands';
    return { verdict, newOutputs, newUnstable, pauseMs: 0 };
  }

  beginPause(): void {
    this.#pause = this.isAnotherOpen ? 'shared' : 'alone';
  }

  /** Returns whether the pause can prove anything: no other lineage has attempted meanwhile. */
  endPause(changed: readonly string[]): boolean {
    this.#recordEditsInPause(changed);
    this.#pausedAlone = this.#pause === 'alone';
    this.#pause = 'none';
    return this.#pausedAlone;
  }

  /** These have changed at rest: unless an attempt has just ended, that is the work of somebody who edits. */
  recordAtRest(changed: readonly string[], now: number): void {
    if (!this.isAnotherOpen && now - this.#shared.lastEnd > AFTERMATH_MS) this.#recordEdits(changed);
  }

  #leadsTo(consequence: Consequence, occasion: Occasion, changed: readonly string[]): boolean {
    return changed.some((file) => consequenceOf(occasion, this.standingOf(file)) === consequence);
  }

  #recordEditsInPause(changed: readonly string[]): void {
    if (this.#pause === 'alone') this.#recordEdits(changed);
  }

  #recordEdits(changed: readonly string[]): void {
    for (const file of changed) {
      this.#shared.outputs.delete(file);
      for (const history of this.#shared.histories) history.#attemptsByFile.delete(file);
    }
  }

  /** Counts an attempt in which these have changed. Returns files that are outputs from now on. */
  #count(changed: readonly string[]): readonly string[] {
    const { outputs } = this.#shared;
    if (changed.length === 0) this.#attemptsByFile.clear();
    for (const file of this.#unstable) if (!changed.includes(file)) this.#unstable.delete(file);
    for (const file of changed) {
      const attempts = this.#attemptsByFile.get(file) ?? 0;
      if (attempts === 0 || this.#pausedAlone) this.#attemptsByFile.set(file, attempts + 1);
    }
    const isNewOutput = (file: string): boolean =>
      (this.#attemptsByFile.get(file) ?? 0) >= ATTEMPTS_UNTIL_OUTPUT && !outputs.has(file);
    const newOutputs = changed.filter(isNewOutput);
    for (const file of newOutputs) outputs.add(file);
    this.#pausedAlone = true;
    return newOutputs;
  }

  /** One more attempt of the chain is undecided. */
  #chainIsTooLong(now: number): boolean {
    this.#chain ??= { began: this.#began, attempts: 0 };
    this.#chain.attempts++;
    const { attempts, began } = this.#chain;
    const longest = attempts >= MAX_UNDECIDED_ATTEMPTS ? LONGEST_CHAIN_MS : LONGEST_SLOW_CHAIN_MS;
    return attempts >= ATTEMPTS_UNTIL_OUTPUT && now - began >= longest;
  }

  /** They are unstable until an attempt sees them at rest. */
  #markUnstable(changed: readonly string[]): readonly string[] {
    const newUnstable = changed.filter((file) => !this.#shared.outputs.has(file) && !this.#unstable.has(file));
    for (const file of newUnstable) this.#unstable.add(file);
    return newUnstable;
  }

  /** As long as the attempt, if that took longer: who edits all the time is then as likely to edit in the pause. */
  #pauseMs(now: number): number {
    const attempts = Math.max(...[...this.#shared.histories].map((history) => history.#undecidedAttempts()));
    const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length - 1)] ?? 0;
    return pause === 0 ? 0 : Math.min(Math.max(pause, now - this.#began), LONGEST_PAUSE_MS);
  }

  /** In how many attempts of the chain the same file has changed, and is no output. */
  #undecidedAttempts(): number {
    const { outputs } = this.#shared;
    return Math.max(0, ...[...this.#attemptsByFile].map(([file, attempts]) => (outputs.has(file) ? 0 : attempts)));
  }
}
