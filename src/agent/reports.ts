/**
 * What the agent's tools say: complete sentences that end in what to do next. The facts beside them are structured content.
 * Pure.
 */
import type { Failure, ToolNames } from './words.js';

const NEXT = 'There is nothing to wait for; do not call this again before something changes.';

export interface Reload {
  readonly generation: number;
  readonly ms: number;
  readonly changes: readonly string[];
}

export function restarted({ generation, ms, changes }: Reload): string {
  const lists =
    changes.length === 0 ? 'Its lists are the same as before.' : `Its lists changed: ${changes.join(', ')}.`;
  return `The MCP server was restarted in ${ms} ms; generation ${generation} serves now. ${lists} Go on with your work.`;
}

export function notRestarted(failure: Failure, tools: ToolNames): string {
  return `The MCP server could not be restarted: ${reasonOf(failure)}\nFix the error in the ${placeOf(failure)}. The save is noticed and the server is started anew by itself. Call ${tools.server_status} with wait: true to learn how that ends.`;
}

/** What failed, how, and what it printed. */
function reasonOf(failure: Failure): string {
  const output = failure.output.trim();
  return `\`${failure.command}\` ${failure.how}. ${output === '' ? 'It printed nothing.' : `Its output:\n\n${output}\n`}`;
}

/** A failure that stands, and who serves meanwhile. */
export interface Standing {
  readonly failure: Failure;
  /** The generation of the code before; undefined if no server runs. */
  readonly generation: number | undefined;
  /** `--on-failure serve`: the old code executes tools too. */
  readonly servesTools: boolean;
}

const TRIES_AGAIN = 'unless another attempt, which a call makes if the last one is some seconds old, goes well';

/** What is true of the next tool call while a failure stands. */
function standingText({ failure, generation, servesTools }: Standing): string {
  const what = failure.kind === 'configuration' ? 'configuration' : 'code';
  const fix = `Fix the error in the ${placeOf(failure)}; the save is noticed.`;
  if (generation === undefined)
    return `No MCP server is running: ${reasonOf(failure)}\nThe next tool call is answered with this failure, ${TRIES_AGAIN}. ${fix}`;
  const next = servesTools
    ? `That generation executes tools too, so the next tool call is executed by old code, not by what is on the disk.`
    : `The next tool call is not executed by old code, nor by new code: it is answered with this failure, ${TRIES_AGAIN}.`;
  return `The ${what} on the disk does not work: ${reasonOf(failure)}\nGeneration ${generation}, from before the failure, still serves everything${servesTools ? '' : ' but tools'}. ${next} ${fix}`;
}

/** Where the mistake is to be looked for. */
function placeOf(failure: Failure | undefined): string {
  return failure?.kind === 'configuration' ? 'file' : 'source';
}

export function stillRestarting(seconds: number, tools: ToolNames): string {
  return `The MCP server is still restarting after ${seconds} s. Call ${tools.server_status} with wait: true to learn how it ends.`;
}

export type Verdict =
  | {
      readonly kind: 'yes';
      readonly at: string;
      readonly reason: string;
      readonly generation: number;
      readonly crash: boolean;
    }
  | { readonly kind: 'no'; readonly at: string }
  | { readonly kind: 'never' }
  | { readonly kind: 'torn' }
  | { readonly kind: 'foreign'; readonly proxy: number };

/** `standing`: a failure that came after the restart, or kept it from happening. */
export function verified(verdict: Verdict, tools: ToolNames, standing?: Standing): string {
  const answer = verdictText(verdict, tools);
  if (standing !== undefined) return `${answer} But a failure stands. ${standingText(standing)}`;
  if (verdict.kind !== 'no' && verdict.kind !== 'never') return answer;
  return `${answer} If you have edited a watched file, the next tool call is executed by the new code all the same.`;
}

function verdictText(verdict: Verdict, tools: ToolNames): string {
  switch (verdict.kind) {
    case 'yes':
      return verdict.crash
        ? `Yes, but not because anybody asked for it: the server crashed and was started again at ${verdict.at}; it was generation ${verdict.generation}. Call ${tools.server_status} to see how it is now.`
        : `Yes: the MCP server was restarted at ${verdict.at} (${verdict.reason}); that was generation ${verdict.generation}.`;
    case 'no':
      return `No: the last restart was at ${verdict.at}, before the time that you gave.`;
    case 'never':
      return 'No: no restart of this server is on record.';
    case 'torn':
      return `That can not be told: the record of the last restart is damaged. Call ${tools.restart_server} if you need to be sure; it writes a new one.`;
    case 'foreign':
      return `No: the last restart on record was that of another connection that is still open (process ${verdict.proxy}), not of the server that you are using.`;
  }
}

export interface Status {
  readonly state: 'serving' | 'reloading' | 'failed' | 'broken' | 'waiting' | 'closing';
  readonly generation: number | undefined;
  readonly standing: Standing | undefined;
  /** The question was asked with `wait`, and this is how it has settled. */
  readonly waited: boolean;
  readonly lastReload: LastReload | undefined;
  readonly lastBuild: LastBuild | undefined;
}

export interface LastReload {
  readonly at: string;
  readonly files: readonly string[];
}

/** The last build that ran, of whichever rule. */
export interface LastBuild {
  readonly rule: string;
  /** When it ended, in ISO 8601. */
  readonly at: string;
  readonly ms: number;
  /** The changed files of the rule; none at the first build, or if a rebuild was asked for. */
  readonly files: readonly string[];
  readonly ok: boolean;
}

export function status(now: Status, tools: ToolNames): string {
  const { state, generation, standing, waited, lastBuild } = now;
  const built = lastBuild === undefined ? '' : ` ${lastBuildText(lastBuild)}`;
  switch (state) {
    case 'serving':
      return `The MCP server is serving, generation ${generation}.${built} ${NEXT} ${tips(now, tools)}`;
    case 'reloading':
      return waited
        ? `The MCP server is still being reloaded.${built} Calls are held until it is done, so just call the tool that you need.`
        : `The MCP server is being reloaded.${built} Calls are held until it is done, so just call the tool that you need; or call this with wait: true.`;
    case 'failed':
    case 'broken':
      return `${standing === undefined ? 'A failure stands.' : standingText(standing)}${built} ${NEXT}`;
    case 'waiting': {
      const why = standing === undefined ? '' : ` ${reasonOf(standing.failure)}`;
      return `No MCP server is running; it is started again after a pause.${why}\nFix the cause in the source if there is one: the save is noticed and the server started at once.${built} ${waited ? NEXT : 'Call this with wait: true to learn how the next start ends.'}`;
    }
    case 'closing':
      return 'The connection is being closed.';
  }
}

export function gainedCapabilities(names: readonly string[]): string {
  return `Since the client connected, the server has gained ${names.join(', ')}. The client asks only for what was declared when it connected: a person has to reconnect it to use ${names.length > 1 ? 'these' : 'this'}.`;
}

/** Sources that are edited, and a copy of them that runs. */
export interface CopyThatRuns {
  readonly copy: string;
  readonly sources: string;
  readonly install: string;
  readonly environment: string;
}

/** A restart alone brings no edit into effect. */
export function runsCopy({ copy, sources, install, environment }: CopyThatRuns, tools: ToolNames): string {
  return `But the code that runs is ${copy}, a copy that was installed without -e, so edits in ${sources} have no effect, whatever is restarted. Run \`${install}\` (or \`uv ${install}\`) in the virtual environment ${environment}, then call ${tools.restart_server}.`;
}

function tips({ lastReload }: Status, tools: ToolNames): string {
  const reload =
    lastReload === undefined
      ? 'no reload has happened in this session, so no edit of a watched file was seen'
      : `the last reload, at ${lastReload.at}, was caused by ${fewOf(lastReload.files) ?? 'no file, but by a request or a crash'}; an edited file that is not among them may not be watched`;
  return `If a tool is missing from your list, call ${tools.list_server_tools}. If an edit seems to have no effect: ${reload}. ${tools.server_status} with log: 50 gives the server's stderr.`;
}

function lastBuildText({ rule, at, ms, files, ok }: LastBuild): string {
  const why = fewOf(files);
  return `The last build was that of rule "${rule}" at ${at}${why === undefined ? '' : ` (${why})`}: it ${ok ? 'went well' : 'failed'} after ${ms} ms.`;
}

/** Beside the first tool result after a build, for a rule with `"note": true`. */
export function buildNote({ rule, at, ms, files }: LastBuild): string {
  const why = fewOf(files);
  return `Note of mcp-hotline: rule "${rule}" was built in ${ms} ms at ${at}${why === undefined ? '' : ` because of ${why}`}, before this result.`;
}

const FEW = 5;

function fewOf(files: readonly string[]): string | undefined {
  if (files.length === 0) return undefined;
  const named = files.slice(0, FEW).join(', ');
  return files.length > FEW ? `${named} and ${files.length - FEW} more` : named;
}

export function lastLines(lines: readonly string[]): string {
  if (lines.length === 0) return 'The server has printed nothing on stderr, and nothing but messages on stdout.';
  return `The server's last lines on stderr, and on stdout where they were no messages:\n${lines.join('\n')}`;
}

export function fewerLines(given: number, asked: number): string {
  return ` Of the ${asked} lines on stderr that you asked for, the last ${given} fit into this answer.`;
}

export function noSuchTool(name: string, near: readonly string[], tools: ToolNames): string {
  const meant =
    near.length === 0
      ? 'It has no tool with a name like it.'
      : `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
  return `The MCP server has no tool called "${name}". ${meant} ${tools.list_server_tools} gives all of them.`;
}

/** What is given of the server's tools, and of how many. */
export interface Listed {
  /** How many tools the server has, how many of them were asked for, and how many are in the answer. */
  readonly total: number;
  readonly found: number;
  readonly given: number;
  readonly kind: 'whole' | 'described' | 'names';
  readonly wanted: string | undefined;
  readonly standing: Standing | undefined;
}

export function listed(listing: Listed, tools: ToolNames): string {
  const { standing } = listing;
  if (standing === undefined) return listedText(listing, tools);
  return `This is the list of generation ${standing.generation}, the old code, and not of what is on the disk. ${listedText(listing, tools)}\n${standingText(standing)}`;
}

function listedText({ total, found, given, kind, wanted }: Listed, tools: ToolNames): string {
  if (total === 0) return 'The MCP server has no tools at the moment.';
  const count = total === 1 ? 'one tool' : `${total} tools`;
  const part = JSON.stringify(wanted?.slice(0, 100));
  if (found === 0)
    return `The MCP server has ${count}, and none whose name contains ${part}. Call ${tools.list_server_tools} without a name to get all of them.`;
  const some = wanted === undefined ? '' : `, of which ${found} match ${part}`;
  const has = `The MCP server has ${count}${some}.`;
  const call = `Call a tool directly, or with ${tools.call_server_tool} if your own list does not show it yet.`;
  if (kind === 'whole') return `${has} ${call}`;
  if (found === 1)
    return `${has} Its definition is too long for an answer, so its schemas are left out. ${call} The server says what is wrong with the arguments.`;
  const what = given === found ? 'only names are given, without schemas' : `only the first ${given} names are given`;
  return `${has} They are too long for one answer: ${what}. Call ${tools.list_server_tools} with name, a tool's name or a part of one, to get the schemas of those that match. ${call}`;
}

export function noLists(why: string, tools: ToolNames, standing?: Standing): string {
  const more = standing === undefined ? `Call ${tools.server_status} to see what is wrong.` : standingText(standing);
  return `The tools of the MCP server can't be listed: ${why}. ${more}`;
}
