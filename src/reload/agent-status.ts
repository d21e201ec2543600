/**
 * What `server_status` tells: the state, the last reload, build and failure, and the server's stderr, gathered from those who know. The
 * words come from agent/reports.ts; when to answer is for agent-tools.ts.
 */
import { existsSync } from 'node:fs';
import type { Answer } from '../agent/answers.js';
import { cutText, lastThatFit, MAX_WORDS, roomBeside } from '../agent/limits.js';
import * as say from '../agent/reports.js';
import { factsOf } from '../agent/tool-listing.js';
import type { ToolNames } from '../agent/words.js';
import type { InstalledCopy } from '../config/installed-copy.js';
import type { FlowContext } from '../flow/flow.js';
import type { Freshness } from './freshness.js';
import type { History } from './history.js';
import type { Roster } from './roster.js';
import type { State } from './states.js';
import type { Traffic } from './traffic.js';

interface StatusContext {
  readonly flow: FlowContext;
  readonly traffic: Traffic;
  readonly roster: Roster;
  readonly history: History;
  state(): State;
  freshness(): Freshness | undefined;
}

interface Asked {
  readonly waited: boolean;
  /** How many lines of stderr are wanted. */
  readonly log: number;
  readonly standing: say.Standing | undefined;
}

/** Room for the facts beside the lines of stderr. */
const FACTS = 4000;
const MAX_LINE = 1000;
const MAX_FILES = 20;
const MAX_FAILURE = 1000;

export function statusAnswer(context: StatusContext, { waited, log, standing }: Asked, tools: ToolNames): Answer {
  const { flow, roster, history, freshness, traffic } = context;
  const state = stateOf(context.state());
  const generation = traffic.desk.serving;
  const { lastReload, lastFailure, lastBuild } = history;
  const reload = lastReload === undefined ? undefined : { at: lastReload.at, ...lastReload.facts };
  const reloadFiles = reload === undefined ? undefined : { at: reload.at, files: filesOf(reload) };
  const { gained = [] } = traffic.desk.capabilityGaps.get(generation ?? 0) ?? {};
  const status = say.status({ state, generation, standing, waited, lastReload: reloadFiles, lastBuild }, tools);
  const copy = copyThatRuns(flow);
  const told = [
    status,
    ...(gained.length === 0 ? [] : [say.gainedCapabilities(gained)]),
    ...(copy === undefined ? [] : [say.runsCopy(copy, tools)]),
  ].join(' ');
  const lines = log === 0 ? undefined : stderrOf(context, log);
  const shown = lines && lastThatFit(lines, roomBeside(cutText(told, MAX_WORDS)) - FACTS);
  const words =
    lines === undefined || shown?.length === lines.length
      ? told
      : `${told}${say.fewerLines(shown?.length ?? 0, lines.length)}`;
  return {
    words,
    ...(shown === undefined ? {} : { appendix: say.lastLines(shown) }),
    facts: {
      state,
      ...(gained.length === 0 ? {} : { gainedCapabilities: gained }),
      ...(generation === undefined
        ? {}
        : { generation, uptimeMs: Math.round(performance.now() - roster.since(generation)) }),
      fingerprint: flow.config.rules.map((rule) => freshness()?.watch.fingerprint(rule.name) ?? '').join(' '),
      ...(reload === undefined ? {} : { lastReload: reload }),
      ...(lastBuild === undefined ? {} : { lastBuild: { ...lastBuild, files: lastBuild.files.slice(0, MAX_FILES) } }),
      ...(lastFailure === undefined
        ? {}
        : { lastFailure: { at: lastFailure.at, text: cutText(lastFailure.text, MAX_FAILURE) } }),
      ...factsOf(standing),
      ...(copy === undefined ? {} : { installedCopy: copy }),
      ...(shown === undefined ? {} : { log: shown }),
    },
  };
}

/** What runs instead of the sources, unless it has been mended since: then the copy is gone. */
export function copyThatRuns({ config }: FlowContext): InstalledCopy | undefined {
  const { installedCopy } = config;
  return installedCopy !== undefined && existsSync(installedCopy.copy) ? installedCopy : undefined;
}

/** Where no server serves, it is the one that has ended that is asked about. */
function stderrOf({ traffic, roster }: StatusContext, count: number): readonly string[] {
  const { serving } = traffic.desk;
  const speaker = serving === undefined ? roster.last : roster.get(serving);
  const said = speaker?.output.bytes().toString('utf8').trimEnd() ?? '';
  if (said === '') return [];
  return said
    .split('\n')
    .slice(-count)
    .map((line) => cutText(line, MAX_LINE));
}

function filesOf(facts: Readonly<Record<string, unknown>>): readonly string[] {
  const { files } = facts;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}

function stateOf(state: State): say.Status['state'] {
  switch (state.at) {
    case 'serving':
      return state.failure === undefined ? 'serving' : 'failed';
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
