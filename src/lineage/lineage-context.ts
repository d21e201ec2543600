/**
 * What the parts of a lineage share: its messages, its generations, its state and the way to send it events. Types
 * only; `lineage.ts` creates it once and hands it to every part.
 */
import type { FlowContext } from '../flow/flow.js';
import type { LiveGenerations } from './live-generations.js';
import type { MessageFlow } from './message-flow.js';
import type { Event, State } from './states.js';

export interface LineageContext {
  readonly flow: FlowContext;
  readonly messages: MessageFlow;
  readonly generations: LiveGenerations;
  /** Aborted when the lineage closes, before its servers are stopped. */
  readonly closed: AbortSignal;
  state(): State;
  /** Gives an event to the state machine. Events that an effect causes are queued behind it. */
  dispatch(event: Event): void;
}
