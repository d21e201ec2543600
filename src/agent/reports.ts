/**
 * What the agent's tools say: complete sentences that end in what to do next. The facts beside them are structured
 * content. Pure.
 */
import { callStatus, waitWith, type ToolNames } from './tool-names.js';
import { howOf, type Failure } from './failure.js';
import { outputText } from './words.js';

export interface Reload {
  readonly generation: number;
  readonly ms: number;
  readonly changes: readonly string[];
}

export function restarted({ generation, ms, changes }: Reload): string {
  const lists =
    changes.length === 0
      ? 'Its lists are the same as before.'
      : `Its lists changed: ${firstOf(changes, MANY).join(', ')}.`;
  return `The MCP server was restarted in ${ms} ms; generation ${generation} serves now. ${lists} Go on with your work.`;
}

export function notRestarted(failure: Failure, tools: ToolNames): string {
  return `The MCP server could not be restarted: ${reasonOf(failure)}\nFix the error in the ${placeOf(failure)}. The save is noticed and the server is started anew by itself.${waitWith(tools, 'how that ends')}`;
}

/** What failed, how, and what it printed. */
export function reasonOf(failure: Failure): string {
  return `\`${failure.command}\` ${howOf(failure)}. ${outputText(failure.kind, failure.output)}`;
}

/** Who executes tool calls meanwhile, though a reload is under way (`--while-reloading serve`). */
export interface Meanwhile {
  readonly generation: number;
}

/** Why the answers of the server that serves are not those of what is on the disk. */
export interface Outdated {
  readonly standing: Standing | undefined;
  readonly meanwhile: Meanwhile | undefined;
}

export function meanwhileText({ generation }: Meanwhile): string {
  return `Calls do not wait for it (--while-reloading serve): until it is done, a tool call is executed by generation ${generation}, the one from before.`;
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
export function standingText({ failure, generation, servesTools }: Standing): string {
  const isConfiguration = failure.kind === 'configuration';
  const what = isConfiguration ? 'configuration' : 'code';
  const by = isConfiguration ? 'it, with the configuration from before' : 'old code, not by what is on the disk';
  const fix = `Fix the error in the ${placeOf(failure)}; the save is noticed.`;
  if (generation === undefined)
    return `No MCP server is running: ${reasonOf(failure)}\nThe next tool call is answered with this failure, ${TRIES_AGAIN}. ${fix}`;
  const next = servesTools
    ? `That generation executes tools too, so the next tool call is executed by ${by}.`
    : `The next tool call is not executed by old code, nor by new code: it is answered with this failure, ${TRIES_AGAIN}.`;
  return `The ${what} on the disk does not work: ${reasonOf(failure)}\nGeneration ${generation}, from before the failure, still serves everything${servesTools ? '' : ' but tools'}. ${next} ${fix}`;
}

/** Where the mistake is to be looked for. */
function placeOf(failure: Failure | undefined): string {
  return failure?.kind === 'configuration' ? 'file' : 'source';
}

export function stillRestarting(seconds: number, tools: ToolNames): string {
  return `The MCP server is still restarting after ${seconds} s.${waitWith(tools, 'how it ends')}`;
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
  /** The old server was stopped, and no other has come up since. */
  | { readonly kind: 'begun'; readonly at: string; readonly reason: string }
  /** The same, by another connection that has ended since. */
  | { readonly kind: 'given up'; readonly at: string; readonly reason: string }
  | { readonly kind: 'never' }
  | { readonly kind: 'torn' }
  | { readonly kind: 'foreign'; readonly proxy: number };

/** `standing`: a failure that came after the restart, or kept it from happening. */
export function verified(verdict: Verdict, tools: ToolNames, { standing, meanwhile }: Partial<Outdated> = {}): string {
  const answer = verdictText(verdict, tools);
  if (standing !== undefined) return `${answer} But a failure stands. ${standingText(standing)}`;
  if (meanwhile !== undefined) return `${answer} A reload is under way. ${meanwhileText(meanwhile)}`;
  if (verdict.kind !== 'no' && verdict.kind !== 'never') return answer;
  return `${answer} If you have edited a watched file, the next tool call is executed by the new code all the same.`;
}

function verdictText(verdict: Verdict, tools: ToolNames): string {
  switch (verdict.kind) {
    case 'yes':
      return verdict.crash
        ? `Yes, but not because anybody asked for it: the server crashed and was started again at ${verdict.at}; it was generation ${verdict.generation}.${callStatus(tools, 'to see how it is now')}`
        : `Yes: the MCP server was restarted at ${verdict.at} (${verdict.reason}); that was generation ${verdict.generation}.`;
    case 'no':
      return `No: the last restart was at ${verdict.at}, before the time that you gave.`;
    case 'begun':
      return `No: a restart was begun at ${verdict.at} (${verdict.reason}), but no new server has come up since.`;
    case 'given up':
      return `No: a restart was begun at ${verdict.at} (${verdict.reason}) by another connection, which ended before its new server had come up.`;
    case 'never':
      return 'No: no restart of this server is on record.';
    case 'torn':
      return `That cannot be told: the record of the last restart is damaged.${tools.restart_server === undefined ? '' : ` Call ${tools.restart_server} if you need to be sure; it writes a new one.`}`;
    case 'foreign':
      return `No: the last restart on record was that of another connection that is still open (process ${verdict.proxy}), not of the server that you are using.`;
  }
}

const MANY = 50;

/** The first of many, and how many more there are. */
export function firstOf(items: readonly string[], max: number): readonly string[] {
  return items.length <= max ? items : [...items.slice(0, max), `and ${items.length - max} more`];
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
  readonly outdated: Outdated;
}

export function listed(listing: Listed, tools: ToolNames): string {
  const { standing, meanwhile } = listing.outdated;
  const list = listedText(listing, tools);
  if (standing !== undefined) {
    const what =
      standing.failure.kind === 'configuration'
        ? 'which runs with the configuration from before the failure. Edits of the code since then, if any, are not in it.'
        : 'the old code, and not of what is on the disk.';
    return `This is the list of generation ${standing.generation}, ${what} ${list}\n${standingText(standing)}`;
  }
  if (meanwhile === undefined) return list;
  return `This is the list of generation ${meanwhile.generation}, from before the reload that is under way. ${meanwhileText(meanwhile)} ${list}`;
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
  const more = standing === undefined ? callStatus(tools, 'to see what is wrong') : ` ${standingText(standing)}`;
  return `The tools of the MCP server can't be listed: ${why}.${more}`;
}
