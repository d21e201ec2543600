/**
 * What `server_status` tells: the state, the last reload, build and failure, and the server's stderr, gathered from
 * those who know. The words come from agent/status-report.ts; when to answer is for agent-tools.ts.
 */
import { existsSync } from 'node:fs';
import type { Answer } from '../agent/answers.js';
import { cutText, fitFacts, jsonLength, lastThatFit, MAX_WORDS, roomBeside } from '../agent/limits.js';
import { firstOf, type Outdated } from '../agent/reports.js';
import * as say from '../agent/status-report.js';
import { factsOf } from '../agent/tool-listing.js';
import type { ToolNames } from '../agent/tool-names.js';
import type { InstalledCopy } from '../config/installed-copy.js';
import type { Session } from '../exchange/records.js';
import type { FlowContext } from '../flow/flow.js';
import type { History } from './history.js';
import type { LiveGenerations } from './live-generations.js';
import type { Snapshots } from './snapshots.js';
import type { State } from './states.js';
import type { MessageFlow } from './message-flow.js';

interface StatusContext {
  readonly flow: FlowContext;
  readonly traffic: MessageFlow;
  readonly roster: LiveGenerations;
  readonly history: History;
  state(): State;
  snapshots(): Snapshots | undefined;
}

interface Asked {
  readonly session: Session;
  readonly waited: boolean;
  /** How many lines of stderr are wanted. */
  readonly log: number;
  readonly outdated: Outdated;
}

/** Most that the facts beside the lines of stderr may take of an answer that has both. */
const MAX_FACTS = 8000;
const MAX_LINE = 1000;
/** Room for the members around them. */
const BESIDE = 100;
const MAX_ITEMS = 20;
const MAX_ITEM = 200;
const MAX_FAILURE = 1000;

export function statusAnswer(
  context: StatusContext,
  { session, waited, log, outdated }: Asked,
  tools: ToolNames,
): Answer {
  const { flow, history, snapshots, traffic } = context;
  const state = stateOf(context.state());
  const { serving } = traffic.lineage;
  const generation = serving?.generation;
  const { lastReload, lastFailure, lastBuild, lastChange } = history;
  const { gained = [] } = serving?.capabilityGaps.get(session) ?? {};
  const seen = { lastReload, lastChange, lastBuild };
  const status = say.status({ state, generation, outdated, waited, ...seen }, tools);
  const copy = copyThatRuns(flow);
  const { buildProposal: proposal } = flow.config;
  const data = snapshots()?.serverData ?? [];
  const told = [
    status,
    ...(gained.length === 0 ? [] : [say.gainedCapabilities(gained)]),
    ...(copy === undefined ? [] : [say.runsCopy(copy, tools)]),
    ...(proposal === undefined ? [] : [say.sourcesUnknown(proposal)]),
    ...(data.length === 0 ? [] : [say.takenForData(data)]),
  ].join(' ');
  const lines = log === 0 ? undefined : stderrOf(context, log);
  const facts = {
    state,
    ...(gained.length === 0 ? {} : { gainedCapabilities: gained }),
    ...(serving === undefined ? {} : { generation, uptimeMs: Math.round(performance.now() - serving.startedAt) }),
    fingerprint: flow.config.rules.map((rule) => snapshots()?.disk.fingerprint(rule.name) ?? '').join(' '),
    ...(lastReload === undefined ? {} : { lastReload: shortened({ ...lastReload }) }),
    ...(lastBuild === undefined ? {} : { lastBuild: shortened({ ...lastBuild }) }),
    ...(lastFailure === undefined
      ? {}
      : { lastFailure: { at: lastFailure.at, text: cutText(lastFailure.text, MAX_FAILURE) } }),
    ...factsOf(outdated.standing),
    ...(copy === undefined ? {} : { installedCopy: copy }),
    ...(proposal === undefined ? {} : { buildProposal: proposal }),
    ...(data.length === 0 ? {} : { takenForServerData: firstOf(data, MAX_ITEMS) }),
  };
  const beside = lines === undefined ? facts : fitFacts(facts, MAX_FACTS);
  const room = roomBeside(cutText(told, MAX_WORDS)) - say.fewerLines(log, log).length;
  const taken = Math.max(jsonLength(beside), say.lastLines(['']).length) + BESIDE;
  const shown = lines && lastThatFit(lines, room - taken);
  const words =
    lines === undefined || shown?.length === lines.length
      ? told
      : `${told}${say.fewerLines(shown?.length ?? 0, lines.length)}`;
  return {
    words,
    ...(shown === undefined ? {} : { appendix: say.lastLines(shown) }),
    facts: { ...beside, ...(shown === undefined ? {} : { log: shown }) },
  };
}

/** What runs instead of the sources, unless it has been mended since: then the copy is gone. */
export function copyThatRuns({ config }: FlowContext): InstalledCopy | undefined {
  const { installedCopy } = config;
  return installedCopy !== undefined && existsSync(installedCopy.copy) ? installedCopy : undefined;
}

/** Where no server serves, it is the one that has ended that is asked about. */
function stderrOf({ traffic, roster }: StatusContext, count: number): readonly string[] {
  const speaker = traffic.lineage.serving ?? roster.last;
  const said = speaker?.process.output.bytes().toString('utf8').trimEnd() ?? '';
  if (said === '') return [];
  return said
    .split('\n')
    .slice(-count)
    .map((line) => cutText(line, MAX_LINE));
}

/** The same facts, with lists (files, changes) that may be very long cut short. */
function shortened(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, Array.isArray(value) ? shortList(value) : value]),
  );
}

function shortList(items: readonly unknown[]): readonly string[] {
  return firstOf(items.map(String), MAX_ITEMS).map((item) => cutText(item, MAX_ITEM));
}

function stateOf(state: State): say.Status['state'] {
  switch (state.at) {
    case 'serving':
      return state.standing === undefined ? 'serving' : 'failed';
    case 'broken':
    case 'waiting':
    case 'closing':
      return state.at;
    case 'leaving':
      return 'closing';
    default:
      return 'reloading';
  }
}
