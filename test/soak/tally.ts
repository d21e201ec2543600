// Counts what one client of the soak sent and got, and judges every message that arrives: is it the one answer to an
// open request, by code that is new enough, whole, and in its place? Pure: what was sent and what is on the disk is
// told to it.

import type { Json, Message } from '../support/message.js';
import type { Call } from './calls.js';

/** What must not happen, each with how often it did. */
export const faults = {
  duplicates: 'requests answered twice',
  missing: 'requests never answered',
  stale: 'answers by code older than the last save before the request',
  outOfOrder: 'messages out of order',
  wrong: 'answers that are not what was asked for',
  unexpected: 'errors of a kind that nothing here explains',
  twice: 'effects that happened twice',
  denied: 'effects of calls that were said not to have been executed',
  unsettled: 'servers that were not on the last version at the end',
  lists: 'lists of tools that clients were not told had changed',
  leaks: 'processes left behind',
  exits: 'proxies that ended otherwise than cleanly',
  growth: 'proxies whose memory or descriptors keep growing',
} as const;
export type Fault = keyof typeof faults;

export interface Tally {
  requests: number;
  cancelled: number;
  /** Answers by kind. */
  readonly answers: Map<string, number>;
  readonly faults: Map<Fault, number>;
  /** The first few faults, told. */
  readonly stories: string[];
  progress: number;
  listChanged: number;
  /** Stale answers after the proxy had said that it can't keep up with the edits. */
  waived: number;
  /** Calls that the client still waits for, and those that it took back, by their ids as JSON. */
  readonly open: Map<string, Call & { progress: number }>;
  /** The place of each executed call with an effect: generation and arrival in one number, by seq; and its lane. */
  readonly places: Map<number, { readonly place: number; readonly lane: number }>;
  /** Calls that were said not to have been executed. */
  readonly refused: Set<number>;
}

const STORIES = 20;
/** More arrivals than a generation ever has. */
const PLACES = 1e8;

export function createTally(): Tally {
  return {
    requests: 0,
    cancelled: 0,
    progress: 0,
    listChanged: 0,
    waived: 0,
    answers: new Map(),
    faults: new Map(),
    stories: [],
    open: new Map(),
    places: new Map(),
    refused: new Set(),
  };
}

export function fault(tally: Tally, name: Fault, story: string, count = 1): void {
  if (count === 0) return;
  tally.faults.set(name, (tally.faults.get(name) ?? 0) + count);
  if (tally.stories.length < STORIES) tally.stories.push(`${name}: ${story}`);
}

export function sent(tally: Tally, call: Call): void {
  tally.requests += 1;
  // What waits with the proxy is told so by values below 0.
  tally.open.set(JSON.stringify(call.id), { ...call, progress: -Infinity });
}

/** The client has taken it back: from now on it may be answered or not. */
export function cancelled(tally: Tally, call: Call): boolean {
  const isOpen = tally.open.has(JSON.stringify(call.id));
  if (isOpen) tally.cancelled += 1;
  return isOpen;
}

/**
 * `breaks`: how often the disk has been broken by now; `waives`: the proxy has said that it can't keep up. Returns the
 * call that it answers.
 */
export function answered(tally: Tally, message: Message, breaks: number, waives = false): Call | undefined {
  const key = JSON.stringify(message.id);
  const call = tally.open.get(key);
  if (call === undefined) {
    fault(tally, 'duplicates', `no request is open for ${brief(message)}`);
    return undefined;
  }
  tally.open.delete(key);
  const kind = kindOf(call, message);
  tally.answers.set(kind, (tally.answers.get(kind) ?? 0) + 1);
  if (kind === 'unexpected') fault(tally, 'unexpected', `${call.method} ${call.tool ?? ''}: ${brief(message)}`);
  if (isRefusal(kind)) tally.refused.add(call.seq);
  const facts = kind === 'result' ? factsOf(call, message.result) : undefined;
  if (facts !== undefined) judge(tally, call, facts, breaks, waives);
  return call;
}

/** Progress comes in order, and before the answer. */
export function progressed(tally: Tally, { progressToken, progress }: Json): void {
  tally.progress += 1;
  const call = tally.open.get(JSON.stringify(progressToken));
  if (call === undefined)
    return fault(tally, 'outOfOrder', `progress ${progress} after the answer to ${progressToken}`);
  if (!(progress > call.progress))
    fault(tally, 'outOfOrder', `progress ${progress} of ${progressToken} after ${call.progress}`);
  call.progress = progress as number;
}

/**
 * When nothing more comes: what was asked and neither answered nor taken back, and what was executed out of order or
 * twice.
 */
export function concluded(tally: Tally, takenBack: ReadonlySet<string>, effects: readonly number[]): void {
  const missing = [...tally.open].filter(([key]) => !takenBack.has(key)).map(([, call]) => call);
  for (const call of missing) fault(tally, 'missing', `${call.method} ${call.tool ?? ''} ${JSON.stringify(call.id)}`);
  const lasts = new Map<number, number>();
  for (const [seq, { place, lane }] of [...tally.places].sort(([one], [other]) => one - other)) {
    const last = lasts.get(lane) ?? -1;
    if (place <= last)
      fault(
        tally,
        'outOfOrder',
        `call ${seq} was number ${place % PLACES} of generation ${Math.floor(place / PLACES)}`,
      );
    lasts.set(lane, Math.max(last, place));
  }
  const seen = new Set<number>();
  for (const seq of effects) {
    if (seen.has(seq)) fault(tally, 'twice', `call ${seq}`);
    if (tally.refused.has(seq) && !seen.has(seq)) fault(tally, 'denied', `call ${seq}`);
    seen.add(seq);
  }
}

/** What the server says with every answer. */
export interface Facts {
  version: number;
  generation: number;
  arrival?: number;
  heard?: number;
  said?: number;
}

function judge(tally: Tally, call: Call, facts: Facts, breaks: number, waives: boolean): void {
  // While a failure stands, old code serves everything but tools: that is no stale answer.
  const mayBeOld = call.method !== 'tools/call' && (call.broken || call.breaks !== breaks);
  const isOld = !mayBeOld && facts.version < call.asked;
  if (isOld && waives) tally.waived += 1;
  else if (isOld)
    fault(
      tally,
      'stale',
      `${call.method} ${JSON.stringify(call.id)}: version ${facts.version} of generation ${facts.generation}, ${call.asked} was saved`,
    );
  if (call.tool !== undefined && (facts.heard !== call.hear || facts.said !== call.say))
    fault(tally, 'wrong', `${call.hear} characters sent, ${facts.heard} heard; ${call.say} wanted, ${facts.said} got`);
  if (call.tool === 'work' && facts.arrival !== undefined)
    tally.places.set(call.seq, { place: facts.generation * PLACES + facts.arrival, lane: call.lane ?? 0 });
}

/** What the server says of itself, where it does. */
function factsOf(call: Call, result: Json): Facts | undefined {
  if (call.method === 'resources/read') return JSON.parse(result.contents[0].text as string) as Facts;
  if (call.tool === undefined || call.tool === 'die') return undefined;
  const [facts, said] = result.content;
  return { ...(JSON.parse(facts.text as string) as Facts), said: (said.text as string).length };
}

function kindOf(call: Call, { result, error }: Message): string {
  if (error?.data?.mayHaveRun === true) return 'error: may have run';
  if (error?.data?.waitedMs !== undefined) return 'error: held for too long';
  if (error?.data?.kind !== undefined) return `error: ${error.data.kind} failed`;
  if (error !== undefined) return 'unexpected';
  if (call.agent !== undefined && call.tool === undefined) return `agent: ${call.agent}`;
  if (result.isError !== true) return 'result';
  const text = String(result.content[0].text);
  if (text.includes('may or may not have taken effect')) return 'error: may have run';
  if (text.includes('and this request has waited')) return 'error: held for too long';
  if (text.startsWith('The MCP server did not start')) return 'report: the start failed';
  if (text.startsWith('The MCP server crashed')) return 'report: crashed';
  return 'unexpected';
}

/** The words of these answers say that nothing was executed. */
function isRefusal(kind: string): boolean {
  return kind.startsWith('report: ') || kind === 'error: held for too long';
}

function brief(message: Message): string {
  const text = JSON.stringify(message);
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
