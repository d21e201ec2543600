// Writes the audit trail: every event in the life of a server becomes a line of it. Which members a line has is a
// contract with `mcp-hotline log`; the file, its rotation and its readers are state/audit-trail.ts's.

import { printedText } from '../agent/excerpt.js';
import { cutText } from '../agent/limits.js';
import { withoutBanner } from '../agent/script-banner.js';
import type { EventBus } from '../events/bus.js';
import type { EventOf } from '../events/events.js';
import { failureCause, lineTooLongText } from '../agent/failure-log.js';
import type { Audit, AuditEvent, AuditLine } from '../state/audit-trail.js';

const KINDS = [
  'ready',
  'change',
  'saved-meanwhile',
  'configuration-changed',
  'built',
  'build-skipped',
  'reloaded',
  'restart-requested',
  'failed',
  'line-too-long',
  'crashed',
  'mended',
  'closed',
] as const;

type AuditedEvent = EventOf<(typeof KINDS)[number]>;
type Facts = Omit<AuditLine, 'time' | 'event' | 'proxy'>;

/** Of what a build or a server printed. */
const MAX_OUTPUT_CHARACTERS = 2000;

/** `clientOf`: name and version of a session's client, if it has said them. */
export function subscribeAudit(
  events: EventBus,
  audit: Audit,
  clientOf: (session: string | undefined) => string | undefined,
): Disposable {
  return events.subscribe(KINDS, (event) => {
    const [name, facts] = lineOf(event, clientOf);
    return audit.write(name, event.session === undefined ? facts : { session: event.session, ...facts });
  });
}

function lineOf(
  event: AuditedEvent,
  clientOf: (session: string | undefined) => string | undefined,
): [AuditEvent, Facts] {
  switch (event.kind) {
    case 'ready': {
      const { generation, pid, ms } = event;
      return ['started', withValues({ generation, pid, ms, client: clientOf(event.session) })];
    }
    case 'change':
    case 'saved-meanwhile':
      return ['change', { files: event.files }];
    case 'configuration-changed':
      return ['change', {}];
    case 'built':
      return ['built', { ms: event.ms }];
    case 'build-skipped':
      return ['built', {}];
    case 'reloaded': {
      const { generation, pid, ms, phases, files, changes, reason: cause } = event;
      return ['reloaded', withValues({ generation, pid, ms, phases, files, changes, cause })];
    }
    case 'restart-requested':
      return ['restart requested', { cause: event.reason }];
    case 'failed':
    case 'crashed': {
      const { failure, generation } = event;
      const isBuild = event.kind === 'failed' && failure.kind === 'build';
      const name = event.kind === 'crashed' ? 'crashed' : isBuild ? 'build failed' : 'failed';
      return [
        name,
        withValues({ generation, output: printed(printedText(failure.output)), cause: failureCause(failure) }),
      ];
    }
    case 'line-too-long':
      return ['failed', { cause: lineTooLongText(event) }];
    case 'mended': {
      const { generation, pid, how } = event;
      return ['mended', withValues({ generation, pid, how })];
    }
    case 'closed':
      return ['stopped', {}];
  }
}

function printed(output: string): string | undefined {
  const text = cutText(withoutBanner(output).rest, MAX_OUTPUT_CHARACTERS);
  return text === '' ? undefined : text;
}

/** Without the members that have no value. */
function withValues(given: { readonly [K in keyof Facts]?: Facts[K] | undefined }): Facts {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
