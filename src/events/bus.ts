/**
 * The event bus: hands every event to those who have subscribed to its kind, at once and in the order in which they
 * subscribed. `emit` never throws and never waits: a listener that throws, or whose promise rejects, is reported once,
 * and the others get the event all the same. What is emitted is events.ts's, what becomes of it the subscribers'.
 */
import type { EventKind, EventOf, HotlineEvent, Origin } from './events.js';

/** A listener that writes something returns a promise, for `flushed()`. */
export type Listener<K extends EventKind> = (event: EventOf<K>) => void | Promise<void>;

export interface EventBus {
  emit(event: HotlineEvent): void;
  /** Whether anybody listens: an event that is costly to make is made only then. */
  wants(kind: EventKind): boolean;
  subscribe<K extends EventKind>(kinds: readonly K[], listener: Listener<K>): Disposable;
  /** Resolves when everything that the listeners began to write so far is written, or can't be. */
  flushed(): Promise<void>;
}

/** For those who only tell. */
export type EventEmitter = Pick<EventBus, 'emit'>;

interface Subscription {
  readonly listener: (event: HotlineEvent) => void | Promise<void>;
  hasFailed: boolean;
}

export function createEventBus(): EventBus {
  const subscriptionsByKind = new Map<EventKind, readonly Subscription[]>();
  const pending = new Set<Promise<void>>();

  const report = (subscription: Subscription, kind: EventKind, error: unknown): void => {
    if (subscription.hasFailed) return;
    subscription.hasFailed = true;
    const problem = error instanceof Error ? error.message : String(error);
    const text = `a listener of the event "${kind}" has failed: ${problem}. Further failures of it are not reported`;
    bus.emit({ kind: 'warning', text });
  };

  const bus: EventBus = {
    emit(event) {
      for (const subscription of subscriptionsByKind.get(event.kind) ?? []) {
        try {
          const written = subscription.listener(event);
          if (!(written instanceof Promise)) continue;
          const done: Promise<void> = written
            .catch((error: unknown) => report(subscription, event.kind, error))
            .finally(() => pending.delete(done));
          pending.add(done);
        } catch (error) {
          report(subscription, event.kind, error);
        }
      }
    },
    wants: (kind) => subscriptionsByKind.has(kind),
    subscribe(kinds, listener) {
      const subscription: Subscription = { listener: listener as Subscription['listener'], hasFailed: false };
      // Lists are replaced and never changed: one may be under way in `emit`.
      for (const kind of kinds) subscriptionsByKind.set(kind, [...(subscriptionsByKind.get(kind) ?? []), subscription]);
      return {
        [Symbol.dispose]() {
          for (const kind of kinds) {
            const left = subscriptionsByKind.get(kind)?.filter((other) => other !== subscription) ?? [];
            if (left.length > 0) subscriptionsByKind.set(kind, left);
            else subscriptionsByKind.delete(kind);
          }
        },
      };
    },
    async flushed() {
      await Promise.all(pending);
    },
  };
  return bus;
}

/**
 * The same bus, for something that belongs to a project or a session: its events say so, and those of other projects
 * and sessions do not reach it. Events that concern all do.
 */
export function withOrigin(bus: EventBus, origin: Origin): EventBus {
  const { project, session } = origin;
  const concerns = (event: HotlineEvent): boolean =>
    [undefined, project ?? event.project].includes(event.project) &&
    [undefined, session ?? event.session].includes(event.session);
  return {
    ...bus,
    emit: (event) => bus.emit({ ...origin, ...event }),
    subscribe: (kinds, listener) => bus.subscribe(kinds, (event) => (concerns(event) ? listener(event) : undefined)),
  };
}
