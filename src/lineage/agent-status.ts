/**
 * Collects what `server_status` answers: the state, the last reload, build and failure, and the server's stderr.
 * `agent/status-report.ts` has the sentences; `agent-tools.ts` decides when to answer.
 */
import { existsSync } from 'node:fs';
import type { Answer } from '../agent/answers.js';
import { silentCallsText } from '../agent/call-words.js';
import { cutText, fitFacts, jsonLength, lastThatFit, MAX_WORDS, roomBeside } from '../agent/limits.js';
import { firstOf, type Outdated } from '../agent/reports.js';
import * as say from '../agent/status-report.js';
import { factsOf } from '../agent/tool-listing.js';
import type { ToolNames } from '../agent/tool-names.js';
import type { InstalledCopy } from '../config/installed-copy.js';
import type { Session } from '../exchange/records.js';
import type { FlowContext } from '../flow/flow.js';
import type { History } from './history.js';
import type { LineageContext } from './lineage-context.js';
import type { Snapshots } from './snapshots.js';
import type { State } from './states.js';

interface StatusContext extends LineageContext {
  readonly history: History;
  snapshots(): Snapshots | undefined;
}

interface StatusRequest {
  readonly session: Session;
  readonly waited: boolean;
  /** How many lines of stderr are wanted. */
  readonly log: number;
  readonly outdated: Outdated;
}

/** Limit of the facts in an answer that also has lines of stderr. */
const MAX_FACTS_CHARACTERS = 8000;
const MAX_LINE_CHARACTERS = 1000;
/** Space for the JSON members around facts and lines. */
const JSON_OVERHEAD_CHARACTERS = 100;
const MAX_ITEMS = 20;
const MAX_ITEM_CHARACTERS = 200;
const MAX_FAILURE_CHARACTERS = 1000;

export function statusAnswer(
  context: StatusContext,
  { session, waited, log, outdated }: StatusRequest,
  tools: ToolNames,
): Answer {
  const { flow, history, snapshots, messages } = context;
  const state = stateOf(context.state());
  const { serving } = messages.lineage;
  const generation = serving?.generation;
  const { lastReload, lastFailure, lastBuild, lastChange } = history;
  const { gained = [] } = serving?.capabilityGaps.get(session) ?? {};
  const seen = { lastReload, lastChange, lastBuild };
  const status = say.status({ state, generation, outdated, waited, ...seen }, tools);
  const copy = copyThatRuns(flow);
  const { buildProposal: proposal } = flow.config;
  const { listening } = flow;
  const data = snapshots()?.serverData ?? [];
  const silent = messages.callWatch.silentCallsOf(session);
  const sentences = [
    status,
    ...(gained.length === 0 ? [] : [say.gainedCapabilities(gained)]),
    ...(copy === undefined ? [] : [say.runsCopy(copy, tools)]),
    ...(proposal === undefined ? [] : [say.sourcesUnknown(proposal)]),
    ...(silent.length === 0 ? [] : [silentCallsText(silent)]),
    ...(data.length === 0 ? [] : [say.takenForData(data)]),
    ...(listening === undefined ? [] : [say.servedOverHttp(listening.url)]),
  ].join(' ');
  const lines = log === 0 ? undefined : stderrOf(context, log);
  const facts = {
    state,
    ...(gained.length === 0 ? {} : { gainedCapabilities: gained }),
    ...(serving === undefined ? {} : { generation, uptimeMs: Math.round(performance.now() - serving.startedAt) }),
    fingerprint: flow.config.rules.map((rule) => snapshots()?.disk.fingerprint(rule.name) ?? '').join(' '),
    ...(listening === undefined ? {} : { url: listening.url }),
    ...(lastReload === undefined ? {} : { lastReload: shortened({ ...lastReload }) }),
    ...(lastBuild === undefined ? {} : { lastBuild: shortened({ ...lastBuild }) }),
    ...(lastFailure === undefined
      ? {}
      : { lastFailure: { at: lastFailure.at, text: cutText(lastFailure.text, MAX_FAILURE_CHARACTERS) } }),
    ...factsOf(outdated.standing),
    ...(copy === undefined ? {} : { installedCopy: copy }),
    ...(proposal === undefined ? {} : { buildProposal: proposal }),
    ...(silent.length === 0 ? {} : { silentCalls: silent.slice(0, MAX_ITEMS) }),
    ...(data.length === 0 ? {} : { takenForServerData: firstOf(data, MAX_ITEMS) }),
  };
  const beside = lines === undefined ? facts : fitFacts(facts, MAX_FACTS_CHARACTERS);
  const room = roomBeside(cutText(sentences, MAX_WORDS)) - say.fewerLines(log, log).length;
  const taken = Math.max(jsonLength(beside), say.lastLines(['']).length) + JSON_OVERHEAD_CHARACTERS;
  const shown = lines && lastThatFit(lines, room - taken);
  const words =
    lines === undefined || shown?.length === lines.length
      ? sentences
      : `${sentences}${say.fewerLines(shown?.length ?? 0, lines.length)}`;
  return {
    words,
    ...(shown === undefined ? {} : { appendix: say.lastLines(shown) }),
    facts: { ...beside, ...(shown === undefined ? {} : { log: shown }) },
  };
}

/** The installed copy that runs instead of the sources. Undefined if it has been removed since. */
export function copyThatRuns({ config }: FlowContext): InstalledCopy | undefined {
  const { installedCopy } = config;
  return installedCopy !== undefined && existsSync(installedCopy.copy) ? installedCopy : undefined;
}

/** The last `count` lines of the serving generation; if none serves, of the one that exited last. */
function stderrOf({ messages, generations }: StatusContext, count: number): readonly string[] {
  const source = messages.lineage.serving ?? generations.last;
  const text = source?.process.output.bytes().toString('utf8').trimEnd() ?? '';
  if (text === '') return [];
  return text
    .split('\n')
    .slice(-count)
    .map((line) => cutText(line, MAX_LINE_CHARACTERS));
}

/** The same facts, with long lists (files, changes) cut. */
function shortened(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, Array.isArray(value) ? shortList(value) : value]),
  );
}

function shortList(items: readonly unknown[]): readonly string[] {
  return firstOf(items.map(String), MAX_ITEMS).map((item) => cutText(item, MAX_ITEM_CHARACTERS));
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
