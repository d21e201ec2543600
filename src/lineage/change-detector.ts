/**
 * Checks the disk after the debounce, and before a request is forwarded (P4, fresh). A difference becomes an event of
 * the state machine, and evidence for telling edits from outputs. If the server writes its own files in a loop, the
 * reload is deferred until the next request (P6, settles). `state.ts` decides what an event leads to.
 */
import { nameFiles } from '../agent/file-names.js';
import type { FlowContext } from '../flow/flow.js';
import type { AttemptWindow } from '../project/attempt-window.js';
import { pathsOf } from '../project/disk.js';
import { isOpening } from '../exchange/methods.js';
import { fence } from '../project/fence.js';
import type { Envelope } from '../wire/envelope.js';
import type { SnapshotName, Snapshots } from './snapshots.js';
import type { Event, State } from './states.js';

export interface ChangeDetectorContext {
  readonly flow: FlowContext;
  readonly window: AttemptWindow;
  /** Undefined until the disk is watched. */
  snapshots(): Snapshots | undefined;
  state(): State;
  dispatch(event: Event): void;
}

export class ChangeDetector {
  readonly #context: ChangeDetectorContext;
  /** A change has been seen whose reload waits for the next request. */
  #isDeferred = false;

  constructor(context: ChangeDetectorContext) {
    this.#context = context;
  }

  /** A request must be executed by code as new as the disk. The client's handshake only needs a server. */
  needsCheck(envelope: Envelope): boolean {
    const { flow, state } = this.#context;
    const snapshots = this.#context.snapshots();
    if (snapshots === undefined || state().held || flow.config.whileReloading === 'serve') return false;
    // A batch or a malformed line may contain a request.
    if (envelope.kind === 'batch' || envelope.kind === 'invalid') return true;
    if (envelope.kind !== 'request') return false;
    return snapshots.isReady || !isOpening(envelope.method);
  }

  /** For a request that waits at the gate. Undefined if no file was touched. */
  checkForRequest(): Promise<void> | undefined {
    return this.#context.snapshots()?.isDirty === true || this.#isDeferred ? this.detectChanges(true) : undefined;
  }

  /** Hashes the touched files, and dispatches an event if their content differs. */
  async detectChanges(requestWaits: boolean): Promise<void> {
    const { state, dispatch } = this.#context;
    await this.#context.snapshots()?.disk.check(requestWaits);
    const snapshots = this.#context.snapshots();
    if (snapshots === undefined) return;
    const found = eventForChanges(state(), snapshots);
    snapshots.recordComparison();
    if (found === undefined) return;
    if (found.when === 'at rest') snapshots.recordAtRest(found.changed);
    else snapshots.recordInAttempt();
    if (found.event === undefined) return;
    if (!requestWaits && state().at === 'serving' && this.#defer(pathsOf(snapshots.changesSince('serving')))) return;
    this.#isDeferred = false;
    if (!requestWaits && found.when === 'in an attempt')
      this.#context.window.recordOvertaken(pathsOf(snapshots.changesSince('attempt')));
    dispatch(found.event);
  }

  /** A generation without an open session has sent its first message, so it has loaded its code. */
  async onFirstMessage(generation: number): Promise<void> {
    await fence();
    await this.detectChanges(false);
    this.#context.snapshots()?.onFirstMessage(generation);
  }

  /** Returns whether these changes wait for a request. */
  #defer(files: readonly string[]): boolean {
    const { flow, window } = this.#context;
    const isDeferred = window.shouldDefer(files);
    window.recordChange(files);
    if (isDeferred && !this.#isDeferred) {
      const what = `${nameFiles(files)} changed after each of the last reloads, with nobody asking for anything, as if the server wrote it`;
      const then = 'It is reloaded when the client asks for something next. Use --ignore for such files';
      flow.events.emit({ kind: 'warning', text: `${what}. ${then}`, files });
    }
    return (this.#isDeferred = isDeferred);
  }
}

export interface ChangesFound {
  readonly when: 'in an attempt' | 'at rest';
  /** Files that differ at rest. */
  readonly changed: readonly string[];
  readonly event: Event | undefined;
}

/** The queries of `Snapshots` that `eventForChanges` needs. */
type Differences = Pick<Snapshots, 'isReady' | 'isConfigurationOutdated' | 'has' | 'changesSince' | 'isSuperseded'>;

const CHANGE: Event = { on: 'change' };

/** Undefined: in this state changes have no effect. */
export function eventForChanges(state: State, snapshots: Differences): ChangesFound | undefined {
  if (!snapshots.isReady) return undefined;
  switch (state.at) {
    case 'serving':
      if (state.standing === undefined) return atRest(snapshots, ['serving']);
      // The same content is not tried again after it has failed. That includes content that an older build serves.
      return atRest(snapshots, ['failed', 'serving']);
    case 'broken':
    case 'waiting':
      return atRest(snapshots, [snapshots.has('failed') ? 'failed' : 'serving']);
    case 'building':
    case 'refreshing':
    case 'starting':
    case 'retiring':
      return { when: 'in an attempt', changed: [], event: snapshots.isSuperseded() ? CHANGE : undefined };
    case 'leaving':
    case 'closing':
      return undefined;
  }
}

/** It is a change if the disk differs from every snapshot. If it differs from the first only, the edit was undone. */
function atRest(snapshots: Differences, names: readonly SnapshotName[]): ChangesFound {
  const changed: string[] = [];
  let event: Event | undefined = snapshots.isConfigurationOutdated ? CHANGE : undefined;
  for (const name of names) {
    const files = pathsOf(snapshots.changesSince(name));
    if (files.length === 0) {
      if (changed.length > 0) event ??= { on: 'restored' };
      return { when: 'at rest', changed, event };
    }
    changed.push(...files);
  }
  return { when: 'at rest', changed, event: CHANGE };
}
