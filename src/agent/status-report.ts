/**
 * What `server_status` says of the state, the last reload and the last build, and what is said of builds beside a
 * tool's result. Complete sentences that end in what to do next. Pure.
 */
import { meanwhileText, reasonOf, standingText, type Outdated } from './reports.js';
import type { ToolNames } from './tool-names.js';

const NEXT = 'There is nothing to wait for; do not call this again before something changes.';

export interface Status {
  readonly state: 'serving' | 'reloading' | 'failed' | 'broken' | 'waiting' | 'closing';
  readonly generation: number | undefined;
  readonly outdated: Outdated;
  /** The question was asked with `wait`, and this is how it has settled. */
  readonly waited: boolean;
  readonly lastReload: FilesAt | undefined;
  /** The last change that was acted on, with a reload or without. */
  readonly lastChange: FilesAt | undefined;
  readonly lastBuild: LastBuild | undefined;
}

export interface FilesAt {
  /** ISO 8601. */
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
  const { state, generation, waited, lastBuild } = now;
  const { standing } = now.outdated;
  const built = lastBuild === undefined ? '' : ` ${lastBuildText(lastBuild)}`;
  switch (state) {
    case 'serving':
      return `The MCP server is serving, generation ${generation}.${built} ${NEXT} ${tips(now, tools)}`;
    case 'reloading':
      return `The MCP server is ${waited ? 'still ' : ''}being reloaded.${built} ${whileReloading(now)}`;
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

function whileReloading({ waited, outdated: { standing, meanwhile } }: Status): string {
  const wait = waited ? '' : ' Call this with wait: true to learn how that ends.';
  if (standing !== undefined) return `${standingText(standing)} It is being tried again at this moment.${wait}`;
  if (meanwhile !== undefined) return `${meanwhileText(meanwhile)}${wait}`;
  return `Calls are held until it is done, so just call the tool that you need${waited ? '' : '; or call this with wait: true'}.`;
}

export function gainedCapabilities(names: readonly string[]): string {
  return `Since the client connected, the server has gained ${names.join(', ')}. The client asks only for what was declared when it connected: a person has to reconnect it to use ${names.length > 1 ? 'these' : 'this'}.`;
}

/** An edit while a call runs looks like the server's own writing: whoever made it has to know. */
export function takenForData(files: readonly string[]): string {
  return `Changed while calls ran, and taken for data that the server writes itself, so that no reload followed: ${fewOf(files)}. If that was an edit of yours, save the file again while no call runs.`;
}

/** For the agent's user, who may want to connect another client. */
export function servedOverHttp(url: string): string {
  return `Other clients can connect to it over HTTP (${url}).`;
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
  const then =
    tools.restart_server === undefined
      ? 'save one of the sources, which restarts the server'
      : `call ${tools.restart_server}`;
  return `But the code that runs is ${copy}, a copy that was installed without -e, so edits in ${sources} have no effect, whatever is restarted. Run \`${install}\` (or \`uv ${install}\`) in the virtual environment ${environment}, then ${then}.`;
}

/** A program that is compiled from sources that nobody watches. */
export interface ProgramOfUnknownSources {
  readonly program: string;
  readonly options: string;
  readonly doubt: string;
}

/** The options are for whoever configures the client. */
export function sourcesUnknown({ program, options, doubt }: ProgramOfUnknownSources): string {
  return `But only the program ${program} is watched, not its sources, and it is not built, since ${doubt}. After an edit, build it yourself: then it is restarted by itself. Or ask the user to start mcp-hotline with \`${options}\`.`;
}

function tips(now: Status, tools: ToolNames): string {
  return `If a tool is missing from your list, call ${tools.list_server_tools}. If an edit seems to have no effect: ${whatWasSeen(now)}. ${tools.server_status ?? 'This tool'} with log: 50 gives the server's stderr.`;
}

/** The reload and the changes that an agent can look for its edit in. */
function whatWasSeen({ lastReload, lastChange }: Status): string {
  const reload =
    lastReload === undefined
      ? 'no reload has happened in this session'
      : `the last reload, at ${lastReload.at}, was caused by ${fewOf(lastReload.files) ?? 'no file, but by a request or a crash'}`;
  // A change is logged before the reload that it causes.
  const isLater = lastReload === undefined || (lastChange !== undefined && lastChange.at > lastReload.at);
  const later = isLater && lastChange !== undefined ? fewOf(lastChange.files) : undefined;
  if (lastReload === undefined && later === undefined) return `${reload}, so no edit of a watched file was seen`;
  const change = later === undefined ? '' : `, and ${later} changed at ${lastChange?.at}, which needed no restart`;
  return `${reload}${change}; an edited file that is not among them may not be watched`;
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
