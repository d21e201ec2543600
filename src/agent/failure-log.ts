/**
 * What the log says of a failure, of a crash, and of the end of either: what happened, what becomes of calls meanwhile,
 * and when it is tried again. For a person at a terminal; what an agent is told is in words.ts. Pure.
 */
import { withoutBanner } from './script-banner.js';
import { printedText } from './excerpt.js';
import { howOf, isLate, type Failure } from './failure.js';

/** What follows from a failure. Facts of the log's events too. */
export interface Outlook {
  /** The generation that goes on serving, with the code from before. */
  readonly serving?: number;
  /** Requests are answered with the failure; otherwise they wait for the next server. */
  readonly answered: boolean;
  /** When the next start is due, in milliseconds; without it, a save or a tool call tries again. */
  readonly nextTryMs?: number;
  /** The next server is being built or started already. */
  readonly underWay: boolean;
}

const failed: Record<Failure['kind'], string> = {
  build: 'build failed',
  start: 'start failed',
  era: 'start failed',
  crash: 'the server crashed',
  exit: 'the server ended',
  away: 'the server cannot be used',
  configuration: 'configuration error',
};

interface Shown {
  /** `--on-failure serve`: the old code executes tools too. */
  readonly servesTools: boolean;
  /** The reader has not seen the output yet: what a server prints is on stderr already. */
  readonly withOutput: boolean;
}

/** What failed, and how, without what follows from it. */
export function failureHeadline(failure: Failure): string {
  return `${failed[failure.kind]}: ${failure.command} ${howOf(failure)}`;
}

/** What failed, and how, for the audit trail and the status file. */
export function failureCause(failure: Failure): string {
  return `${failure.command} ${howOf(failure)}`;
}

/** What was printed, as lines, without the banner and the warnings of a script runner. */
export function failureOutput({ output }: Failure): string {
  return withoutBanner(printedText(output)).rest;
}

/** `isLogFile`: the log goes to a file, and what servers print on stderr does not. */
export function failedText(
  { failure, outlook, servesTools }: { failure: Failure; outlook: Outlook; servesTools: boolean },
  isLogFile: boolean,
): string {
  const isServers = failure.kind === 'start' || failure.kind === 'era' || failure.kind === 'away';
  return failureText(failure, outlook, { servesTools, withOutput: !isServers || isLogFile });
}

export function failureText(failure: Failure, outlook: Outlook, { servesTools, withOutput }: Shown): string {
  const output = withOutput ? failureOutput(failure) : '';
  const headline = `${failureHeadline(failure)}. ${consequence(failure, outlook, servesTools)}`;
  return output === '' ? headline : `${headline}\n${output}`;
}

function consequence(failure: Failure, outlook: Outlook, servesTools: boolean): string {
  const { serving, answered, nextTryMs, underWay } = outlook;
  if (serving !== undefined) {
    const old =
      failure.kind === 'configuration'
        ? `generation ${serving}, with the settings from before`
        : `the old code, generation ${serving}`;
    return servesTools
      ? `Calls are executed by ${old}, until this is mended (--on-failure serve)`
      : `Tool calls are answered with this error; ${old}, stays up`;
  }
  if (underWay && (isLate(failure) || failure.kind === 'away'))
    return 'Requests are answered with this error until it has answered';
  if (nextTryMs !== undefined)
    return answered ? `Requests are answered with this error. ${nextTry(nextTryMs)}` : startsAgain(nextTryMs);
  if (underWay) return 'It is started again';
  return 'No server runs: requests are answered with this error. The next save or tool call tries again';
}

/** `generation`: undefined where there is only one. */
export function lineTooLongText({ generation, limit }: { generation: number | undefined; limit: number }): string {
  const server = generation === undefined ? 'the server' : `generation ${generation}`;
  return `${server} wrote a line of more than ${limit} bytes: it is stopped. --max-message raises the limit`;
}

export interface Crash {
  readonly failure: Failure;
  readonly outlook: Outlook;
  /** It asked to be restarted, by its exit code. */
  readonly asksForRestart: boolean;
  /** Requests are answered with the failure from before. */
  readonly isOtherStanding: boolean;
}

export function crashedText({ failure, outlook, asksForRestart, isOtherStanding }: Crash): string {
  return crashText(howOf(failure), asksForRestart, outlook, isOtherStanding);
}

/** `ended`: how the process came to its end. `asked`: it wants to be started again. */
export function crashText(ended: string, asked: boolean, outlook: Outlook, standing: boolean): string {
  const { answered, nextTryMs, underWay } = outlook;
  const what = `the server ${ended}${asked ? ', which asks for a restart' : ''}`;
  if (nextTryMs === undefined) return `${what}. ${underWay ? 'It is started again' : 'It is not started again'}`;
  if (!answered) return `${what}. ${startsAgain(nextTryMs)}`;
  return `${what}. Requests are answered with ${standing ? 'the error from before' : 'this error'}. ${nextTry(nextTryMs)}`;
}

/** How a failure came to its end. `undone`: the files are back to the code that runs. */
export type Mended = 'reloaded' | 'undone';

export function mendedText(how: Mended, generation: number): string {
  return how === 'undone'
    ? `mended: the files are back to the code that runs, so nothing is restarted; generation ${generation} serves`
    : `mended: generation ${generation} serves`;
}

function nextTry(ms: number): string {
  return `Next try in ${seconds(ms)} s, or at the next save`;
}

function startsAgain(ms: number): string {
  return `It is started again ${ms === 0 ? 'at once' : `in ${seconds(ms)} s`}`;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
