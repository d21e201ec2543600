/**
 * What is known of MCP's requests by their methods, one row each. A method that has no row is forwarded as it is, never
 * sent a second time, and the server may ask or tell its client anything meanwhile. For `tools/call` the tool decides
 * (retry-safety.ts), for requests about tasks the task (task-messages.ts).
 */
import { LISTS } from '../lists/lists.js';
import { SETTINGS } from '../session/agreement.js';

/** The requests by which a client opens its session, each in one era. */
export type OpeningMethod = 'initialize' | 'server/discover';

export function isOpening(method: string): method is OpeningMethod {
  return method === 'initialize' || method === 'server/discover';
}

interface Facts {
  /** A server may execute it twice: it only reads, or sets what is set already. */
  readonly isRetrySafe: boolean;
  /** No server asks or tells a client anything in the course of it. */
  readonly isQuiet: boolean;
  /** Its result is recorded or changed. */
  readonly isInspected: boolean;
}

const UNKNOWN: Facts = { isRetrySafe: false, isQuiet: false, isInspected: false };

const lists = LISTS.map(({ method }) => method);

const FACTS: ReadonlyMap<string, Facts> = new Map([
  ...rows(['initialize', 'server/discover'], { isRetrySafe: true, isQuiet: true, isInspected: true }),
  ...rows([...lists, ...SETTINGS], { isRetrySafe: true, isQuiet: true, isInspected: true }),
  ...rows(['resources/read'], { isRetrySafe: true, isQuiet: false, isInspected: true }),
  ...rows(['prompts/get', 'completion/complete'], { isRetrySafe: true, isQuiet: false, isInspected: false }),
  ...rows(['ping', 'tasks/list'], { isRetrySafe: true, isQuiet: true, isInspected: false }),
]);

function rows(methods: readonly string[], facts: Facts): [string, Facts][] {
  return methods.map((method) => [method, facts]);
}

export function factsOf(method: string): Facts {
  return FACTS.get(method) ?? UNKNOWN;
}
