/**
 * When the disk is looked at: after the debounce, and before any request goes to a server (P4, fresh). What is seen
 * becomes an event, and evidence of who writes what; what the event leads to is left to the state machine. A loop that
 * a server makes by writing its own files ends here (P6, settles).
 */
import { nameFiles } from '../agent/file-names.js';
import type { LineageRecord } from '../exchange/records.js';
import type { FlowContext } from '../flow/flow.js';
import type { AttemptWindow } from '../project/attempt-window.js';
import { pathsOf } from '../project/disk.js';
import { fence } from '../project/fence.js';
import type { Envelope } from '../wire/envelope.js';
import type { SnapshotName, Snapshots } from './snapshots.js';
import type { Event, State } from './states.js';

export interface ChangeDetectorContext {
  readonly flow: FlowContext;
  readonly lineage: LineageRecord;
  readonly window: AttemptWindow;
  state(): State;
  snapshots(): Snapshots | undefined;
  dispatch(event: Event): void;
}

export class ChangeDetector {
  readonly #context: ChangeDetectorContext;
  /** A change waits for the client to ask for something. */
  #isDeferred = false;

  constructor(context: ChangeDetectorContext) {
    this.#context = context;
  }

  /** A request may only be executed by code as new as the disk. Opening a session needs no more than a server. */
  needsCheck(envelope: Envelope): boolean {
    const { flow, lineage } = this.#context;
    const snapshots = this.#context.snapshots();
    if (snapshots === undefined || lineage.isHolding || flow.config.whileReloading === 'serve') return false;
    // What is no message by its envelope may be meant as one.
    if (envelope.kind === 'batch' || envelope.kind === 'invalid') return true;
    if (envelope.kind !== 'request') return false;
    return snapshots.isReady || (envelope.method !== 'initialize' && envelope.method !== 'server/discover');
  }

  /** For a request that waits. Undefined if there is nothing to look at. */
  checkForRequest(): Promise<void> | undefined {
    return this.#context.snapshots()?.isDirty === true || this.#isDeferred ? this.detectChanges(true) : undefined;
  }

  /** Hashes what is dirty, and acts if that makes a difference. */
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
    dispatch(found.event);
  }

  /** A server that serves without ever having been asked has sent its first message: by now it has read its code. */
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

/** What is asked of the snapshots. */
type Differences = Pick<Snapshots, 'isReady' | 'isConfigurationOutdated' | 'has' | 'changesSince' | 'isSuperseded'>;

const CHANGE: Event = { on: 'change' };

/** Undefined: in this state nobody wants to know. */
export function eventForChanges(state: State, snapshots: Differences): ChangesFound | undefined {
  if (!snapshots.isReady) return undefined;
  switch (state.at) {
    case 'serving':
      if (state.standing === undefined) return atRest(snapshots, ['serving']);
      // What failed is not tried again on the same content, be it the content that serves.
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

/** All of them must differ. If only the first does, the disk is back to what serves. */
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
