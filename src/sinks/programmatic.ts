// What a program that runs a proxy learns of it: `on(…)` and `status()` of the programmatic entry. A listener that
// throws is reported by the event bus, and nobody waits for what it returns.

import { failureFacts } from '../agent/failure.js';
import { failureOutput } from '../agent/failure-log.js';
import type { EventBus } from '../events/bus.js';
import type { SessionStatus } from '../state/status-file.js';
import type { Observed, ProxyEvents, ProxyStatus } from './programmatic-types.js';
import { STATUS_KINDS, statusAfter } from './session-status.js';

/** Must be called before the first event. */
export function observe(events: EventBus): Observed {
  let now: SessionStatus = {};
  let isClosed = false;
  events.subscribe(STATUS_KINDS, (event) => {
    // The status is that of the streams' client.
    if (event.transport !== undefined && event.transport !== 'stdio') return;
    now = { ...now, ...statusAfter(event, now, new Date().toISOString()) };
  });
  events.subscribe(['exit'], () => void (isClosed = true));
  return {
    on(name, listener) {
      if (!Object.hasOwn(subscribeTo, name))
        throw new TypeError(`mcp-hotline: ${name} is no event; there are ${Object.keys(subscribeTo).join(', ')}`);
      const subscription = subscribeTo[name](events, listener);
      return () => subscription[Symbol.dispose]();
    },
    status: () => statusOf(now, isClosed),
  };
}

type Subscribe<Event> = (events: EventBus, tell: (event: Event) => void) => Disposable;

const subscribeTo: { readonly [Name in keyof ProxyEvents]: Subscribe<ProxyEvents[Name]> } = {
  ready: (events, tell) => events.subscribe(['ready', 'piping'], ({ generation, pid }) => tell({ generation, pid })),
  reloaded: (events, tell) =>
    events.subscribe(['reloaded'], ({ generation, pid, ms, files, phases, changes }) =>
      tell({ generation, pid, ms, files, phases, changes }),
    ),
  failed: (events, tell) =>
    events.subscribe(['failed', 'crashed'], ({ failure, generation }) => {
      const { kind, command, how } = failureFacts(failure);
      tell({ kind, command, how, output: failureOutput(failure), generation });
    }),
  exit: (events, tell) => events.subscribe(['exit'], ({ code }) => tell({ code })),
};

function statusOf({ health, generation, server, client, lastReload }: SessionStatus, isClosed: boolean): ProxyStatus {
  const { at = '', ms = 0, files = [], phases = {}, changes = [] } = lastReload ?? {};
  return {
    state: isClosed ? 'closed' : (health?.state ?? 'starting'),
    ...(generation === undefined ? {} : { generation }),
    ...(server === undefined ? {} : { pid: server }),
    ...(client === undefined ? {} : { client }),
    ...(health === undefined || !('failure' in health) ? {} : { failure: failureOf(health) }),
    ...(lastReload === undefined ? {} : { lastReload: { at, ms, files, phases, changes } }),
  };
}

function failureOf({
  since,
  failure: text,
  output,
  nextTry,
}: Extract<SessionStatus['health'], { failure: string }>): ProxyStatus['failure'] & object {
  return { since, text, output, ...(nextTry === undefined ? {} : { nextTry }) };
}
